# SPDX-License-Identifier: GPL-2.0-only
"""tune, config and reload of donorctl."""

import pytest
from fake_donord import (BOUNDS, ERROR, FREEDESKTOP, assert_bad, assert_good, bus, one_bus, run,
                         run_json, service)


def replace(service, name, **values):
    fields = ["name", "value", "minimum", "maximum", "default", "unit", "origin", "help"]
    service.parameters = [
        tuple(values.get(field, old) for field, old in zip(fields, row)) if row[0] == name else row
        for row in service.parameters]


def test_tune_lists_all_parameters(bus, service):
    replace(service, "steal", value=1, origin="/etc/donor/donor.conf:7")
    done = run(bus, "tune")
    assert_good(done)
    head, *rows = [line.split() for line in done.stdout.splitlines()]
    assert head == ["PARAMETER", "VALUE", "UNIT", "LEAST", "MOST", "ORIGIN"]
    assert rows == [[name, "1", "bool", "0", "1", "/etc/donor/donor.conf:7"] if name == "steal"
                    else [name, str(least), unit, str(least), str(most), "default"]
                    for name, (unit, least, most) in BOUNDS.items()]
    assert not [call for call in service.calls if call[0] != "GetParameters"]


def test_tune_shows_one(bus, service):
    replace(service, "slice_max_ns", value=2_000_000, origin="run-time")
    done = run(bus, "tune", "slice_max_ns")
    assert_good(done)
    assert done.stdout.splitlines() == [
        "slice_max_ns: What slice_max_ns is for", "    value: 2000000 (ns)", "   origin: run-time",
        "  default: 100000000 in this mode", "   bounds: 500000 to 100000000"]


def test_tune_as_json(bus, service):
    keys = ["name", "value", "unit", "minimum", "maximum", "default", "origin", "help"]
    rows = run_json(bus, "tune")["parameters"]
    assert [row["name"] for row in rows] == list(BOUNDS) and all(list(row) == keys for row in rows)
    assert run_json(bus, "tune", "steal") == {
        "name": "steal", "value": 0, "unit": "bool", "minimum": 0, "maximum": 1, "default": 1,
        "origin": "default", "help": "What steal is for"}


@pytest.mark.parametrize("words, asked", [
    (["slice_max_ns", "2000000"], ("slice_max_ns", 2_000_000, {"reset": False, "persist": False})),
    (["slice_max_ns", "2ms"], ("slice_max_ns", 2_000_000, {"reset": False, "persist": False})),
    (["steal", "off"], ("steal", 0, {"reset": False, "persist": False})),
    (["steal", "yes"], ("steal", 1, {"reset": False, "persist": False})),
    (["donate_max_walk", "128"], ("donate_max_walk", 128, {"reset": False, "persist": False})),
    (["steal", "auto"], ("steal", 0, {"reset": True, "persist": False})),
    (["steal", "1", "--persist"], ("steal", 1, {"reset": False, "persist": True})),
    (["steal", "1", "--mode=power"], ("steal", 1, {"reset": False, "persist": False, "mode": "power"})),
    (["-m", "power", "steal", "auto", "--persist"],
     ("steal", 0, {"reset": True, "persist": True, "mode": "power"})),
], ids=lambda value: " ".join(map(str, value)))
def test_tune_sets(bus, service, words, asked):
    done = run(bus, "tune", *words)
    assert_good(done)
    assert service.calls[-1] == ("SetParameter", *asked)
    assert done.stdout == f"{asked[1]}\n"


def test_tune_says_when_another_mode_is_in_force(bus, service):
    service.effective = 5_000_000
    assert run(bus, "tune", "slice_max_ns", "2ms", "-m", "power").stdout == (
        "5000000\n2000000 takes effect in mode power\n")
    assert run(bus, "tune", "slice_max_ns", "auto").stdout == "5000000\n"


@pytest.mark.parametrize("words, texts", [
    (["slice_max", "1"], ["no parameter 'slice_max'", "did you mean 'slice_max_ns'?", "donorctl tune"]),
    (["xyzzy"], ["no parameter 'xyzzy'. See: donorctl tune"]),
    (["\033[2J"], ["no parameter '?[2J'"]),
    (["slice_max_ns", "499999"], ["'499999'", "from 500000 to 100000000 (ns)", "500us"]),
    (["slice_max_ns", "1s"], ["'1s'"]),
    (["slice_max_ns", "fast"], ["'fast'"]),
    (["slice_max_ns", "-1"], ["unknown option"]),
    (["slice_max_ns", ""], ["''"]),
    (["slice_max_ns", "18446744073709551617"], ["'18446744073709551617'"]),
    (["steal", "2"], ["steal cannot be '2'; it is on, off or auto"]),
    (["donate_max_walk", "5ms"], ["from 1 to 128 (domains)"]),
], ids=lambda value: " ".join(value)[:30].replace("\033", "ESC"))
def test_tune_refuses_before_it_asks(bus, service, words, texts):
    done = run(bus, "tune", *words)
    assert_bad(done, 2, *texts)
    assert done.stdout == "" and "SetParameter" not in [call[0] for call in service.calls]


def test_what_does_not_fit_is_told_as_the_service_says_it(bus, service):
    service.errors["SetParameter"] = (FREEDESKTOP + "InvalidArgs", "Then a would be above b.")
    done = run(bus, "tune", "steal", "on")
    assert_bad(done, 1, "donorctl: Then a would be above b.\n")
    service.errors["SetParameter"] = (FREEDESKTOP + "AccessDenied", "no")
    assert_bad(run(bus, "tune", "steal", "on"), 4, "sudo")


def test_config_shows_values_and_origins(bus, service):
    done = run(bus, "config")
    assert_good(done)
    assert [line.split() for line in done.stdout.splitlines()] == [
        ["GROUP", "KEY", "VALUE", "ORIGIN"], ["Scheduler", "Mode", "power", "/etc/donor/donor.conf:2"],
        ["Scheduler", "Attach", "yes", "default"]]
    assert run_json(bus, "config") == {
        "files": ["/etc/donor/donor.conf"],
        "configuration": [
            {"group": "Scheduler", "key": "Mode", "value": "power", "origin": "/etc/donor/donor.conf:2"},
            {"group": "Scheduler", "key": "Attach", "value": "yes", "origin": "default"}]}


def test_reload_prints_the_warnings(bus, service):
    done = run(bus, "reload")
    assert_good(done)
    assert done.stdout == ""
    service.warnings = ["/etc/donor/donor.conf:3: Mode=fast", "b \033[2J"]
    done = run(bus, "reload")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "donorctl: /etc/donor/donor.conf:3: Mode=fast\ndonorctl: b ?[2J\n"
    service.errors["Reload"] = (ERROR + "ConfigInvalid", "No file can be read.")
    assert_bad(run(bus, "reload"), 1, "No file can be read. Details: journalctl -u donord")
