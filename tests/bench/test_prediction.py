# SPDX-License-Identifier: GPL-2.0-only
"""The simulator is asked about the programs that run in the machine."""

import pytest
from host.contestants import OWN, Contestant
from host.prediction import add_predictions, options_of, predict, workload
from host.sets import SETS, Measurement

BY_NAME = {contestant.name: contestant for contestant in OWN}
QUEUE = Measurement("queue", share=0.5, chunks=40, chunk_us=20_000)


def over_pinned(name, of=QUEUE):
    return predict(of, options_of(BY_NAME[name]))["median"]


def test_modes_and_switches_are_handed_on():
    assert options_of(BY_NAME["donor-power"]) == ["--policy=pinned,donor", "--mode=power"]
    assert "--set=donate_select_cpu=0" in options_of(BY_NAME["donor-no-donation"])
    assert options_of(BY_NAME["control"]) == options_of(BY_NAME["kernel"])
    assert options_of(BY_NAME["minimal"]) is options_of(Contestant("peer", "program", None)) is None


def test_workers_born_in_one_cache_share_cores_without_donation():
    born = Measurement("born", share=0.5, chunks=40, chunk_us=20_000, born="{first-cache}")
    assert workload(born)["tasks"]["parent"]["phases"]["start"]["cpus"] == [0, 1, 2, 3]
    assert over_pinned("donor", born) == pytest.approx(1, abs=0.05)
    assert over_pinned("donor-no-donation", born) > 1.5


def test_the_share_beside_a_busy_sibling_counts():
    cheap = Measurement("cheap", share=1, chunks=40, chunk_us=20_000, born="{first-cache}")
    assert over_pinned("donor-no-donation", cheap) == pytest.approx(1, abs=0.05)


def test_a_chain_takes_its_cores_from_the_workers_where_it_may():
    beside = Measurement("beside", share=0.5, chunks=3, chunk_us=1_600_000, workers=3, born="{first-cache}", chain=True)
    assert over_pinned("donor", beside) == pytest.approx(1, abs=0.05)
    assert over_pinned("kernel", beside) > 1.1


def test_a_row_has_what_was_to_be_expected_of_what_was_measured():
    names = SETS["spread"].names
    result = {"contestants": {"donor": {"over_pinned": {}, "over_pinned_beside-frames": {}}, "minimal": {"over_pinned": {}}, "kernel": {}}}
    add_predictions(result, SETS["spread"], [BY_NAME[name] for name in result["contestants"]], quick=True)
    assert result["contestants"]["donor"]["predicted_over_pinned"]["pairs"] == 5
    assert names[1] == "beside-frames" and result["contestants"]["donor"]["predicted_over_pinned_beside-frames"]["median"] < 1.05
    assert result["contestants"]["minimal"] == {"over_pinned": {}} and result["contestants"]["kernel"] == {}
