# SPDX-License-Identifier: GPL-2.0-only
"""What donorctl shows of who chose the mode, and how it chooses one."""

import time

import pytest
from fake_donord import (DONORCTL, assert_bad, assert_good, bus, environment, one_bus, run,
                         run_json, service)
from gi.repository import GLib

OVERRIDE = {"Mode": ("s", "power"), "Until": ("s", "profile-change"), "Since": ("t", 5),
            "Uid": ("u", 1000), "EndsUSec": ("t", 0), "Persist": ("b", False), "Reason": ("s", "")}
HOLD = {"Mode": ("s", "performance"), "Reason": ("s", "game 730"), "ApplicationId": ("s", "steam"),
        "Uid": ("u", 1000), "Since": ("t", 7), "TimeoutUSec": ("t", 60_000_000),
        "Soft": ("b", False)}


def dictionary(values: dict, **changes) -> dict:
    return {key: GLib.Variant(type, changes.get(key, value)) for key, (type, value) in values.items()}


def test_status_says_who_chose_the_mode_and_what_lies_beneath(bus, service):
    service.set(Mode="performance", ModeSource="hold", ModeReason="by steam (uid 1000): game 730",
                ModeBeneath=("power", "profile", "power-profiles-daemon: power-saver"),
                Holds=[dictionary(HOLD), dictionary(HOLD, Mode="power")])
    lines = run(bus, "status").stdout.splitlines()
    assert lines[1:4] == ["      Mode: performance, from hold: by steam (uid 1000): game 730",
                          "   Beneath: power, from profile: power-profiles-daemon: power-saver",
                          "     Holds: 2; see: donorctl holds"]


@pytest.mark.parametrize("changes, words", [
    ({}, "power until the power profile changes"),
    ({"Until": "power-source-change"}, "power until battery and mains change places"),
    ({"Until": "reboot"}, "power until a reboot"),
    ({"Until": "released"}, "power until it is released"),
    ({"Until": "doomsday"}, "power doomsday"),  # of a newer service
    ({"Persist": True}, "power until the power profile changes, also after a reboot"),
])
def test_status_says_when_a_choice_ends(bus, service, changes, words):
    service.set(Override=dictionary(OVERRIDE, **changes))
    assert f"    Choice: {words}\n" in run(bus, "status").stdout


def test_status_says_how_long_a_choice_lasts(bus, service):
    ends = (time.time_ns() // 10**9 + 7200 + 30) * 10**6
    service.set(Override=dictionary(OVERRIDE, EndsUSec=ends))
    assert "profile changes, for another 2h at most\n" in run(bus, "status").stdout


def test_status_as_json_has_choice_and_holds(bus, service):
    service.set(Override=dictionary(OVERRIDE, Reason="on the train"), Holds=[dictionary(HOLD)])
    status = run_json(bus, "status")
    assert status["override"] == {"mode": "power", "until": "profile-change", "since_usec": 5, "ends_usec": 0,
                                  "uid": 1000, "persist": False, "reason": "on the train"}
    hold = {"mode": "performance", "reason": "game 730", "application_id": "steam", "uid": 1000, "since_usec": 7,
            "timeout_usec": 60_000_000, "soft": False}
    assert status["holds"] == [hold]
    assert run_json(bus, "holds") == {"holds": [hold]}


def test_keys_of_a_newer_service_are_passed_over(bus, service):
    more = {"Colour": ("(us)", (1, "green"))}
    service.set(Override=dictionary(OVERRIDE | more), Holds=[dictionary(HOLD | more)])
    status = run_json(bus, "status")
    assert status["override"]["mode"] == "power" and status["holds"][0]["application_id"] == "steam"


def test_holds(bus, service):
    since = (time.time_ns() // 10**9 - 125) * 10**6
    service.set(Holds=[dictionary(HOLD, Since=since), dictionary(HOLD, Mode="power", Soft=True, Reason="a\x1b[2Jb")])
    lines = run(bus, "holds").stdout.splitlines()
    assert lines[0].split() == ["MODE", "APPLICATION", "UID", "FOR", "SOFT", "REASON"]
    assert lines[1].split()[:4] == ["performance", "steam", "1000", "2min"]
    assert lines[1].endswith("no   game 730")
    assert lines[2].split()[0] == "power" and "yes" in lines[2] and "\x1b" not in lines[2]
    assert run(bus, "holds", "--no-legend").stdout.splitlines()[0].startswith("performance")


def test_no_holds(bus, service):
    done = run(bus, "holds")
    assert_good(done)
    assert run_json(bus, "holds") == {"holds": []}


@pytest.mark.parametrize("words, options", [
    (["--for=2h"], {"timeout-usec": 7_200_000_000}),
    (["--until=released"], {"until": "released"}),
    (["--until", "reboot", "--reason", "on the train"], {"until": "reboot", "reason": "on the train"}),
    (["--persist", "--keep-holds"], {"persist": True, "keep-holds": True}),
    (["--for=1s", "--until=profile-change", "--persist", "--reason=ä"],
     {"timeout-usec": 1_000_000, "until": "profile-change", "persist": True, "reason": "ä"}),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_set_passes_on_what_was_asked(bus, service, words, options):
    assert_good(run(bus, *words, "set", "power"))
    assert_good(run(bus, "set", "power", *words))
    assert service.calls == [("SetMode", "power", options)] * 2


def test_set_says_what_it_has_to_wait_for(bus, service):
    service.set(Override=dictionary(OVERRIDE), ModeSource="locked", ModeReason="Lock=balanced in the configuration")
    service.SetMode = lambda mode, options: GLib.Variant("(s)", ("balanced",))
    done = run(bus, "set", "power")
    assert_good(done)
    assert done.stdout == ("balanced\npower is chosen, but has to wait: balanced is in force from locked: "
                           "Lock=balanced in the configuration\n")


def test_release(bus, service):
    service.set(Override=dictionary(OVERRIDE), ModeSource="override", Mode="power")
    done = run(bus, "release")
    assert_good(done)
    assert done.stdout == "power\n" and service.calls == [("ReleaseOverride",)]


def test_release_does_not_start_the_service(bus):
    assert_bad(run(bus, "release"), 7, "donord is not running")
    assert not bus.mark.exists()


def test_donation_persists(bus, service):
    assert_good(run(bus, "donation", "enqueue", "on", "--persist"))
    assert_good(run(bus, "donation", "enqueue", "auto", "--persist"))
    assert service.calls == [("SetDonation", "enqueue", True, {"persist": True}),
                             ("SetDonation", "enqueue", False, {"follow-mode": True, "persist": True})]
