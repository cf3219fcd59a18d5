# SPDX-License-Identifier: GPL-2.0-only
"""Ratios, and when a session is void."""

import json

import pytest
from host.contestants import OWN, chosen
from host.pairs import summarise
from host.plan import plan, turns
from host.sets import SETS
from host.table import table

CONTESTANTS = chosen(["donor"], [])
CHECK = {"check": {"log_over_credit": [1.001, 0.999, 1.0]}}


def pair(contestant, number, took, pinned, measurement="a"):
    names = {"contestant": contestant, "measurement": measurement, "pair": number}
    return [{"run": {**names, "pinned": False, "took_ns": took}}, {"run": {**names, "pinned": True, "took_ns": pinned}}]


def session(control=1.0, donor=(1.02, 1.01, 1.4), measurement="a"):
    lines = [CHECK]
    for number, ratio in enumerate(donor):
        host = 1000 * (number + 1)  # each pair on a host of another speed
        lines += pair("kernel", number, int(host * 1.1), host, measurement)
        lines += pair("control", number, int(host * 1.1 * control), host, measurement)
        lines += pair("donor", number, int(host * ratio), host, measurement)
    return lines


def test_a_ratio_is_of_a_pair_and_the_median_is_told_with_least_and_most():
    donor = summarise(session(), CONTESTANTS, ["a"])["contestants"]["donor"]
    assert donor["over_pinned"] == {"median": 1.02, "min": 1.01, "max": 1.4, "pairs": 3}
    assert donor["over_kernel"]["median"] == pytest.approx(1.02 / 1.1, rel=1e-3)


def test_half_a_pair_does_not_count():
    lines = session() + pair("donor", 3, 9000, 1)[:1]
    assert summarise(lines, CONTESTANTS, ["a"])["contestants"]["donor"]["over_pinned"]["pairs"] == 3


def test_further_measurements_have_names_of_their_own():
    lines = session() + session(measurement="b", donor=(2.0,))
    donor = summarise(lines, CONTESTANTS, ["a", "b"])["contestants"]["donor"]
    assert donor["over_pinned"]["pairs"] == 3 and donor["over_pinned_b"]["median"] == 2.0


def test_a_good_session_is_not_void():
    assert "void" not in summarise(session(control=1.029), CONTESTANTS, ["a"])


@pytest.mark.parametrize("control", [0.96, 1.04])
def test_a_session_whose_control_strays_is_void_and_says_so(control):
    result = summarise(session(control=control), CONTESTANTS, ["a"])
    assert f"{control:.3f} instead of 1" in result["void"]
    assert "VOID" in table("set", "title", result, ["a"])


def test_the_second_measurement_can_make_it_void_as_well():
    assert summarise(session() + session(1.1, measurement="b"), CONTESTANTS, ["a", "b"])["void"].startswith("b:")


def test_a_session_without_control_is_void():
    lines = [line for line in session() if line.get("run", {}).get("contestant") != "control"]
    assert "no run of the control" in summarise(lines, CONTESTANTS, ["a"])["void"]


def test_what_is_not_paired_has_no_control_but_what_the_tracer_saw():
    run = {"contestant": "donor", "measurement": "b", "pair": 0, "pinned": False, "conduct": {"shared_core_waste": 0.25}}
    result = summarise([*session(), {"run": run}], CONTESTANTS, ["a", "b"], ["b"])
    assert "void" not in result
    assert result["contestants"]["donor"]["shared_core_waste_b"]["median"] == 0.25
    assert "25.0%" in table("set", "title", result, ["a", "b"])


@pytest.mark.parametrize("worst", [0.95, 1.05])
def test_a_tracer_that_credits_wrongly_makes_it_void(worst):
    lines = [{"check": {"log_over_credit": [1.0, 1.0, worst]}}, *session()[1:]]
    assert f"amounts to {worst:.3f} times" in summarise(lines, CONTESTANTS, ["a"])["void"]
    assert "not checked" in summarise(lines[1:], CONTESTANTS, ["a"])["void"]


def test_a_contestant_that_cannot_attach_is_a_row_that_says_why():
    lines = [line for line in session() if line.get("run", {}).get("contestant") != "donor"]
    result = summarise([*lines, {"failed": {"contestant": "donor", "why": "no such thing"}}], CONTESTANTS, ["a"])
    assert result["contestants"]["donor"] == {"failed": "no such thing"}
    assert "void" not in result
    assert "failed: no such thing" in table("set", "title", result, ["a"])


def test_the_result_is_json_with_a_row_for_each_contestant():
    result = json.loads(json.dumps(summarise(session(), CONTESTANTS, ["a"])))
    assert list(result["contestants"]) == ["kernel", "control", "donor"]
    assert set(result["contestants"]["control"]["over_kernel"]) == {"median", "min", "max", "pairs"}


def test_everyone_has_each_measurement_in_each_round_and_another_begins():
    measurements = SETS["seed"].measurements
    planned = turns(2, OWN, measurements)
    rounds = [[turn["contestant"] for turn in planned if (turn["pair"], turn["measurement"]) == (pair, "algorithm3")] for pair in (0, 1)]
    assert sorted(rounds[0]) == sorted(rounds[1]) == sorted(one.name for one in OWN)
    assert rounds[0][0] != rounds[1][0]
    assert len(planned) == 2 * len(OWN) * len(measurements)


def test_the_pinned_run_changes_sides():
    planned = turns(4, OWN, SETS["seed"].measurements[:1])
    assert [turn["pinned_first"] for turn in planned if turn["contestant"] == "donor"] == [True, False, True, False]


def test_real_programs_run_where_siblings_slow_them_down():
    assert "primesieve-itself" not in SETS["seed"].names
    throttled = SETS["seed"].throttled()
    assert throttled.names[-1] == "primesieve-itself" and throttled.watched == []
    planned = plan(throttled, 1, OWN, quick=True, modelled=False)
    assert planned["modelled"] is False
    assert planned["measurements"][-1]["pinned"][:3] == ["taskset", "--cpu-list", "{cores}"]


def test_quick_is_a_quarter_of_the_work():
    full, quick = (plan(SETS["seed"], 1, OWN, quick=quick, modelled=True)["measurements"][0]["command"] for quick in (False, True))
    assert "--chunks=400" in full and "--chunks=100" in quick
    hogs = plan(SETS["spread"], 1, OWN, quick=True, modelled=True)["measurements"][0]["command"]
    assert "--chunks=4" in hogs and "--chunk-us=400000" in hogs and "--born={first-cache}" in hogs


def test_only_chosen_ones_and_always_the_control():
    assert [one.name for one in chosen(["minimal"], [])] == ["kernel", "control", "minimal"]
    assert chosen([], []) == OWN
