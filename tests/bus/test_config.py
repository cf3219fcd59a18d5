# SPDX-License-Identifier: GPL-2.0-only
"""The configuration on the bus: what is in force, where it comes from, reading it again."""

import os
import random
import signal

import pytest

from harness import ERROR, until

WHO = f"Reload by uid {os.getuid()}"


def configuration(donord) -> dict:
    return {(group, key): (value, origin) for group, key, value, origin in donord.call("GetConfiguration")}


def reload_by_bus(donord) -> list:
    return donord.call("Reload")


def reload_by_signal(donord) -> list:
    """What systemctl reload does; the warnings are in the log."""
    done = len(donord.logged())
    donord.notes.clear()
    donord.process.send_signal(signal.SIGHUP)
    until(lambda: "READY=1" in donord.notes, "the end of the reload")
    return [line.removeprefix("donord: ") for line in donord.logged()[done:].splitlines() if ".conf" in line]


def test_each_key_is_shown_with_its_default(donord):
    donord.start()
    shown = configuration(donord)
    assert {origin for _, origin in shown.values()} == {"default"}
    assert shown["Scheduler", "Mode"][0] == "balanced" and shown["Restart", "MaxSec"][0] == "5min"
    assert shown["PowerProfiles", "SettleMSec"][0] == "500ms" and shown["Metrics", "TextFile"][0] == ""
    assert donord.get("ConfigFiles") == []


def test_each_value_says_which_line_of_which_file_it_comes_from(donord):
    donord.configure("[Scheduler]\nMode=power\nAttach=no\n", "usr/lib/donor/donor.conf")
    donord.configure("\n[Scheduler]\nMode=performance\n[Mode.power]\nslice_max_ns=7ms\n",
                     "etc/donor/donor.conf.d/50-local.conf")
    donord.start()
    main, local = f"{donord.root}/usr/lib/donor/donor.conf", f"{donord.root}/etc/donor/donor.conf.d/50-local.conf"
    assert donord.get("ConfigFiles") == [main, local]
    shown = configuration(donord)
    assert shown["Scheduler", "Mode"] == ("performance", f"{local}:3")
    assert shown["Scheduler", "Attach"] == ("no", f"{main}:3")
    assert shown["Scheduler", "Lock"] == ("none", "default")
    assert shown["Mode.power", "slice_max_ns"] == ("7000000", f"{local}:5")
    assert [key for key in shown if key[0].startswith("Mode.")] == [("Mode.power", "slice_max_ns")]


@pytest.mark.parametrize("reload", [reload_by_bus, reload_by_signal])
def test_a_reload_says_what_it_passed_over_and_does_the_rest(donord, reload):
    donord.start()
    donord.configure("[Scheduler]\nMode=fast\n[Donation]\nEnqueue=no\n[Mode.power]\nsteal=7\nspeed=9\n")
    file = f"{donord.root}/etc/donor/donor.conf"
    donord.forget()
    warnings = reload(donord)
    assert [c["ConfigFiles"] for c in donord.changes() if "ConfigFiles" in c] == [[file]]
    assert [w.split(": ")[0] for w in warnings] == [f"{file}:{line}" for line in (2, 6, 7)]
    assert "Mode=fast" in warnings[0] and "steal=7 is not 0 or 1" in warnings[1] and "speed" in warnings[2]
    assert donord.get("DonationEffective") == ["select-cpu"] and donord.get("ConfigFiles") == [file]
    assert "RELOADING=1" in donord.notes
    for warning in warnings:
        assert donord.logged().count(warning) == 1


def test_a_reload_loses_nothing_that_was_asked_for(donord):
    donord.configure("[Scheduler]\nMode=power\n")
    donord.start()
    donord.set_mode("performance")
    donord.set_donation("enqueue", False)
    before = donord.params()
    before.pop("generation")
    for text in ["[Scheduler]\nMode=power\n[Holds]\nMax=7\n", "", "[Scheduler]\nMode=balanced\n"]:
        donord.configure(text)
        assert reload_by_bus(donord) == []
        after = donord.params()
        after.pop("generation")
        assert after == before and donord.get("Mode") == "performance"
    assert donord.get("DefaultMode") == "balanced" and donord.attaches() == 1


def test_when_nothing_can_be_read_the_old_configuration_stays(donord):
    donord.configure("[Scheduler]\nMode=power\n")
    donord.start()
    before = donord.call("GetConfiguration"), donord.properties(), donord.params()
    donord.forget()
    donord.configure("[Scheduler\nMode=performance\n")
    refusal = donord.refused("Reload")
    assert refusal.name == ERROR + "ConfigInvalid" and "journal" in refusal.text
    assert "donor.conf:1: " in donord.logged()
    assert (donord.call("GetConfiguration"), donord.properties(), donord.params()) == before
    assert donord.signals == []
    assert donord.notes[-1] == "READY=1"  # systemd waits for the end of each reload
    # A drop-in that is right makes it a configuration.
    donord.configure("[Holds]\nMax=7\n", "etc/donor/donor.conf.d/50-local.conf")
    assert len(reload_by_bus(donord)) == 1
    assert donord.get("DefaultMode") == "balanced" and configuration(donord)["Holds", "Max"][0] == "7"


def test_a_kernel_that_refuses_keeps_the_old_configuration(donord):
    donord.start()
    donord.play("set-params-error", "5")
    before = donord.call("GetConfiguration")
    donord.configure("[Scheduler]\nMode=power\n")
    assert donord.refused("Reload").name == ERROR + "TransitionFailed"
    assert donord.call("GetConfiguration") == before and donord.get("DefaultMode") == "balanced"


def test_damaged_files_of_all_sorts_are_survived(donord):
    donord.start()
    dice = random.Random(1)
    pieces = ["[Scheduler]", "Mode=power", "Mode", "=", "[", "]", "\n", "#", ";", "\"", "\\", "\t", "\0", "ä", "\udcff",
              "[Mode.power]", "steal=", "slice_min_ns=20ms", "[Mode.", "TextFile=/ä\udcfe", "x" * 5000, "1" * 40]
    for _ in range(150):
        text = "\n".join(dice.choice(pieces) for _ in range(dice.randrange(12)))
        for path in ["etc/donor/donor.conf", "etc/donor/donor.conf.d/\udcff.conf"]:
            file = donord.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode(errors="surrogateescape"))
        try:
            assert all(isinstance(warning, str) for warning in reload_by_bus(donord))
        except Exception as error:  # only the one refusal
            assert getattr(error, "name", None) == ERROR + "ConfigInvalid", error
        assert len(configuration(donord)) >= 35 and len(donord.get("ConfigFiles")) <= 2
    assert donord.attaches() == 1 and donord.process.poll() is None
