# SPDX-License-Identifier: GPL-2.0-only
"""Single parameters on the bus: each of knobs.def, its bounds, where its value comes from."""

import json
import os
import re
import signal
from pathlib import Path

import pytest
from gi.repository import GLib

from harness import ERROR, INVALID_ARGS, until

REPOSITORY = Path(__file__).parents[2]
KNOBS = {name: (unit, int(least), int(most), dict(zip(["power", "balanced", "performance"], map(int, values.split(", ")))))
         for name, unit, least, most, values in re.findall(
             r'^KNOB\((\w+), "([^"]+)", (\d+), (\d+), (\d+, \d+, \d+),', (REPOSITORY / "bpf/knobs.def").read_text(), re.M)}
MODES = ["power", "balanced", "performance"]
WHO = f"SetParameter by uid {os.getuid()}"
# The first of each must not be above the second.
PAIRS = [("slice_min_ns", "slice_max_ns"), ("slice_max_ns", "debt_max_ns"), ("latency_min_ns", "latency_max_ns")]
OPTION_TYPES = {"mode": "s", "reset": "b", "persist": "b"}


def tune(donord, name, value=0, **options):
    variants = {key: GLib.Variant(OPTION_TYPES[key], given) for key, given in options.items()}
    return donord.call("SetParameter", "(sta{sv})", name, value, variants)


def not_tuned(donord, name, value=0, **options):
    variants = {key: GLib.Variant(OPTION_TYPES[key], given) for key, given in options.items()}
    return donord.refused("SetParameter", "(sta{sv})", name, value, variants)


def parameters(donord) -> dict:
    return {row[0]: row[1:] for row in donord.call("GetParameters")}


def lower(donord, name):
    """Move what must stay below this one to its least, the lowest first."""
    for small, large in PAIRS:
        if large == name:
            lower(donord, small)
            tune(donord, small, KNOBS[small][1])


def lift(donord, name):
    for small, large in PAIRS:
        if small == name:
            lift(donord, large)
            tune(donord, large, KNOBS[large][2])


def test_there_are_all_knobs():
    assert len(KNOBS) == (REPOSITORY / "bpf/knobs.def").read_text().count("\nKNOB(")


def test_each_parameter_is_shown_with_bounds_default_unit_and_text(donord):
    donord.start()
    rows = donord.call("GetParameters")
    assert [row[0] for row in rows] == list(KNOBS)
    for name, value, least, most, default, unit, origin, text in rows:
        assert (unit, least, most) == KNOBS[name][:3]
        assert value == default == KNOBS[name][3]["balanced"] == int(donord.params()[name])
        assert origin == "default" and len(text) > 10
    donord.set_mode("power")
    assert {name: row[3] for name, row in parameters(donord).items()} == {
        name: knob[3]["power"] for name, knob in KNOBS.items()}


@pytest.mark.parametrize("name", KNOBS)
def test_each_parameter_takes_its_bounds_and_nothing_beyond(donord, name):
    unit, least, most, _ = KNOBS[name]
    donord.start()
    for value, make_room in (least, lower), (most, lift):
        make_room(donord, name)
        assert tune(donord, name, value) == value
        assert int(donord.params()[name]) == value
        assert parameters(donord)[name][0] == value and parameters(donord)[name][5] == "run-time"
        for mode in MODES + ["balanced"]:
            donord.set_mode(mode)
            assert int(donord.params()[name]) == value
    before = donord.params(), donord.properties()
    donord.forget()
    for value in [most + 1, 2**64 - 1] + ([least - 1] if least else []):
        refusal = not_tuned(donord, name, value)
        assert refusal.name == INVALID_ARGS and f"{name} cannot be {value}" in refusal.text
        assert "0 or 1" in refusal.text if unit == "bool" else f"from {least} to {most} ({unit})" in refusal.text
    assert (donord.params(), donord.properties()) == before and donord.signals == []
    assert donord.attaches() == 1


def test_all_parameters_together_survive_modes_reloads_and_an_attach(donord):
    donord.start()
    # The greatest values fit each other: those that must be above others have greater bounds.
    wanted = {}
    for name in [large for _, large in reversed(PAIRS)] + list(KNOBS):
        if name not in ("donate_select_cpu", "donate_enqueue"):
            wanted[name] = tune(donord, name, KNOBS[name][2])
    assert wanted == {name: KNOBS[name][2] for name in wanted}
    for mode in MODES:
        donord.set_mode(mode)
        assert {name: int(donord.params()[name]) for name in wanted} == wanted
    donord.call("Reload")
    donord.detach()
    assert {name: row[0] for name, row in parameters(donord).items() if name in wanted} == wanted
    donord.attach()
    assert {name: int(donord.params()[name]) for name in wanted} == wanted


def test_what_does_not_fit_is_refused_with_a_way_out(donord):
    donord.start()
    for small, large in PAIRS:
        value = KNOBS[large][3]["performance"] + 1  # one that fits in another mode is not enough
        if value > KNOBS[small][2]:
            tune(donord, large, KNOBS[small][2] - 1)
            value = KNOBS[small][2]
        before = donord.params()
        refusal = not_tuned(donord, small, value)
        assert refusal.name == INVALID_ARGS
        assert f"{small} would be above {large} in mode p" in refusal.text and "first" in refusal.text
        assert donord.params() == before
    assert tune(donord, "slice_min_ns", 4_000_000, mode="power") == KNOBS["slice_min_ns"][3]["balanced"]


def test_a_parameter_of_one_mode_waits_for_it(donord):
    donord.start()
    donord.forget()
    assert tune(donord, "slice_max_ns", 7_000_000, mode="power-saver") == 5_000_000
    assert donord.heard() == []  # nothing in force changed
    assert [list(c) for c in donord.changes()] == [["Modes"]]
    assert [m["Parameters"]["slice_max_ns"] for m in donord.get("Modes")] == [7_000_000, 5_000_000, 3_000_000]
    donord.set_mode("power")
    assert donord.params()["slice_max_ns"] == "7000000"
    assert parameters(donord)["slice_max_ns"][5] == "run-time"
    # The value for all modes replaces it: what was asked for last is in force.
    assert tune(donord, "slice_max_ns", 6_000_000) == 6_000_000
    assert tune(donord, "slice_max_ns", 9_000_000, mode="power") == 9_000_000
    assert tune(donord, "slice_max_ns", reset=True, mode="power") == 6_000_000
    assert tune(donord, "slice_max_ns", reset=True) == 8_000_000
    assert parameters(donord)["slice_max_ns"][5] == "default"


def test_it_is_announced_and_described(donord):
    donord.start()
    donord.forget()
    tune(donord, "slice_max_ns", 4_000_000)
    assert donord.heard() == [("ParametersChanged", {"slice_max_ns": 4_000_000}, WHO)]
    assert [list(c) for c in donord.changes()] == [["Modes"]]
    assert json.loads(donord.call("Describe"))["tuning"] == {
        "all": {"slice_max_ns": 4_000_000}, "power": {}, "balanced": {}, "performance": {}}
    donord.forget()
    tune(donord, "slice_max_ns", 4_000_000)  # as it is
    assert donord.heard() == [] and donord.changes() == []
    tune(donord, "slice_max_ns", reset=True)
    assert donord.heard() == [("ParametersChanged", {"slice_max_ns": 5_000_000}, WHO)]


def test_the_switches_of_donation_are_those_of_set_donation(donord):
    donord.configure("[Donation]\nSelectCpu=no\n")
    donord.start()
    assert parameters(donord)["donate_select_cpu"][5] == f"{donord.root}/etc/donor/donor.conf:2"
    donord.forget()
    assert tune(donord, "donate_enqueue", 0) == 0
    assert donord.heard() == [("DonationChanged", "enqueue", False, WHO)]
    assert not donord.get("DonationEnqueue")
    assert parameters(donord)["donate_enqueue"][5] == "run-time"
    donord.set_donation("enqueue", True)
    assert donord.params()["donate_enqueue"] == "1"
    assert tune(donord, "donate_enqueue", reset=True) == 1
    assert json.loads(donord.call("Describe"))["donation_follows_mode"] == {"select-cpu": False, "enqueue": True}
    tune(donord, "donate_enqueue", 1, mode="power")
    donord.set_mode("power")
    assert donord.params()["donate_enqueue"] == "1" and donord.get("DonationEnqueue")


@pytest.mark.parametrize("arguments, options, error, words", [
    (("slice", 1), {}, ERROR + "NoSuchParameter", "'slice'; 'donorctl tune' lists them"),
    (("", 1), {}, ERROR + "NoSuchParameter", "''"),
    (("steal", 1), {"mode": ("s", "turbo")}, ERROR + "NoSuchMode", "'turbo'"),
    (("steal", 1), {"force": ("b", True)}, INVALID_ARGS, "'force'"),
    (("steal", 1), {"reset": ("s", "yes")}, INVALID_ARGS, "'reset'"),
])
def test_wrong_arguments_have_their_own_error_and_change_nothing(donord, arguments, options, error, words):
    donord.start()
    before = donord.properties(), donord.params()
    donord.forget()
    variants = {key: GLib.Variant(*given) for key, given in options.items()}
    refusal = donord.refused("SetParameter", "(sta{sv})", *arguments, variants)
    assert refusal.name == error and words in refusal.text
    assert (donord.properties(), donord.params()) == before and donord.signals == []


def test_a_kernel_that_refuses_changes_nothing(donord):
    donord.start()
    donord.play("set-params-error", "5")
    before = donord.call("GetParameters"), donord.properties()
    donord.forget()
    assert not_tuned(donord, "steal", 0).name == ERROR + "TransitionFailed"
    assert (donord.call("GetParameters"), donord.properties()) == before and donord.signals == []


def test_the_configuration_gives_modes_their_parameters(donord):
    donord.configure("[Mode.power]\nslice_max_ns=7ms\ndonate_enqueue=yes\n[Mode.balanced]\nsteal=no\n")
    donord.start()
    file = f"{donord.root}/etc/donor/donor.conf"
    assert donord.params()["steal"] == "0"
    assert parameters(donord)["steal"][5] == f"{file}:5"
    assert [m["Parameters"]["slice_max_ns"] for m in donord.get("Modes")] == [7_000_000, 5_000_000, 3_000_000]
    donord.set_mode("power")
    assert (donord.params()["slice_max_ns"], donord.params()["donate_enqueue"]) == ("7000000", "1")
    assert parameters(donord)["slice_max_ns"][5] == f"{file}:2"
    tune(donord, "slice_max_ns", 9_000_000)
    assert parameters(donord)["slice_max_ns"][5] == "run-time"
    tune(donord, "slice_max_ns", reset=True)
    assert donord.params()["slice_max_ns"] == "7000000"


def test_a_reload_changes_what_modes_are_and_leaves_run_time_choices(donord):
    donord.start()
    tune(donord, "steal", 0)
    donord.forget()
    donord.configure("[Mode.balanced]\nslice_max_ns=7ms\nsteal=yes\n")
    assert donord.call("Reload") == []
    assert (donord.params()["slice_max_ns"], donord.params()["steal"]) == ("7000000", "0")
    assert donord.heard() == [("ParametersChanged", {"slice_max_ns": 7_000_000}, f"Reload by uid {os.getuid()}")]
    assert sorted(name for c in donord.changes() for name in c) == ["ConfigFiles", "Modes"]
    donord.configure("")
    donord.process.send_signal(signal.SIGHUP)
    until(lambda: donord.params()["slice_max_ns"] == "5000000", "the mode's own value")
    assert donord.params()["steal"] == "0"


def test_a_file_that_does_not_fit_a_run_time_choice_is_told_and_the_kernel_gets_what_fits(donord):
    donord.start()
    tune(donord, "slice_min_ns", 3_000_000)
    donord.configure("[Mode.performance]\nslice_max_ns=2ms\n")
    warnings = donord.call("Reload")
    assert len(warnings) == 1 and "In mode performance, slice_min_ns would be above slice_max_ns" in warnings[0]
    donord.set_mode("performance")
    assert (donord.params()["slice_min_ns"], donord.params()["slice_max_ns"]) == ("500000", "3000000")
    assert parameters(donord)["slice_min_ns"][5] == parameters(donord)["slice_max_ns"][5] == "default"
    tune(donord, "steal", 0)  # others can still be set
    tune(donord, "slice_min_ns", reset=True)
    assert donord.params()["slice_max_ns"] == "2000000"


# What outlives what.


def restart(donord):
    assert donord.stop() == 0
    donord.notes.clear()
    donord.start()


def reboot(donord):
    assert donord.stop() == 0
    for file in donord.run.iterdir():
        file.unlink()
    donord.notes.clear()
    donord.start()


def test_choices_outlive_a_restart_and_a_reboot_where_that_was_asked_for(donord):
    donord.start()
    tune(donord, "steal", 0)
    tune(donord, "slice_max_ns", 4_000_000, persist=True)
    tune(donord, "slice_max_ns", 7_000_000, mode="power")
    tune(donord, "donate_enqueue", 0, persist=True)
    restart(donord)
    assert (donord.params()["steal"], donord.params()["slice_max_ns"]) == ("0", "4000000")
    shown = parameters(donord)
    assert [shown[name][5] for name in ("steal", "slice_max_ns", "donate_enqueue")] == [
        "run-time", "persistent", "persistent"]
    donord.set_mode("power")
    assert donord.params()["slice_max_ns"] == "7000000"
    reboot(donord)
    assert (donord.params()["steal"], donord.params()["slice_max_ns"]) == ("1", "4000000")
    assert donord.params()["donate_enqueue"] == "0"
    tune(donord, "slice_max_ns", reset=True)
    reboot(donord)
    assert donord.params()["slice_max_ns"] == str(KNOBS["slice_max_ns"][3][donord.get("Mode")])


def test_the_last_choice_is_the_one_that_is_kept(donord):
    donord.start()
    tune(donord, "slice_max_ns", 4_000_000, persist=True)
    tune(donord, "slice_max_ns", 6_000_000, persist=True, mode="balanced")
    tune(donord, "slice_max_ns", 4_500_000)
    restart(donord)
    assert donord.params()["slice_max_ns"] == "4500000"
    reboot(donord)
    assert donord.params()["slice_max_ns"] == "5000000"


def test_a_choice_that_cannot_be_kept_as_asked_is_no_choice(donord):
    donord.start()
    donord.state.rename(donord.dir / "elsewhere")
    (donord.dir / "elsewhere" / "state.new").mkdir()  # nothing can be written there
    before = donord.params(), donord.call("GetParameters")
    donord.forget()
    refusal = not_tuned(donord, "steal", 0, persist=True)
    assert "outlive a reboot" in refusal.text and "Nothing was changed" in refusal.text
    assert donord.params().pop("steal") == before[0].pop("steal") and donord.call("GetParameters") == before[1]
    assert donord.signals == []
    assert tune(donord, "steal", 0) == 0


def test_values_in_the_state_that_no_parameter_can_have_are_passed_over(donord):
    (donord.state / "state").write_text(json.dumps({
        "parameter.steal.all": 2, "parameter.slice_max_ns.all": "4000000", "parameter.slice_min_ns.balanced": 1,
        "parameter.debt_max_ns.balanced": -1,
        "parameter.speed.all": 1, "parameter.donate_max_walk.all": 3,
        "parameter.latency_min_ns.all": 90_000_000, "parameter.latency_max_ns.all": 80_000_000}))
    donord.start()
    tuned = {name: row[0] for name, row in parameters(donord).items() if row[5] != "default"}
    assert tuned == {"donate_max_walk": 3}  # and the two that do not fit each other are the mode's own
