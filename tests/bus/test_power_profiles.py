# SPDX-License-Identifier: GPL-2.0-only
"""The mode follows power profiles, whoever provides them; when, and against whom."""

import re
import time

import pytest
from gi.repository import GLib

from desktop import GAP, MODES, NEW, OLD, POLICY, QUICK, SETTLED, Provider, modes, path_of, stays, until_mode
from desktop import bus, provide, services  # noqa: F401, fixtures
from harness import Bus, Donord, until


@pytest.mark.parametrize("names", [[NEW], [OLD], [NEW, OLD]], ids=["new", "old", "both"])
@pytest.mark.parametrize("profile, mode", MODES.items())
def test_the_profile_chooses_the_mode(donord, provide, names, profile, mode):
    provide(*names, profile=profile)
    donord.start()
    until(lambda: donord.get("ModeSource") == "profile", "the profile")
    until_mode(donord, mode)
    assert donord.params()["mode"] == mode
    properties = donord.properties()
    assert properties["ModeReason"] == f'power profile "{profile}" of {names[0]} 0.30'
    assert (properties["PowerProfile"], properties["PowerProfilesProvider"]) == (profile, names[0])
    assert properties["FollowPowerProfiles"] is True


def test_a_provider_may_come_change_go_and_come_back(donord, provide):
    donord.start()
    donord.forget()
    first = provide(profile="performance")
    until_mode(donord, "performance")
    time.sleep(GAP)
    first.choose("power-saver")
    until(lambda: donord.get("PowerProfile") == "power-saver", "the profile")
    assert donord.get("Mode") == "performance"  # not yet
    until_mode(donord, "power")
    first.leave()
    until(lambda: donord.get("PowerProfilesProvider") == "", "nobody")
    assert donord.get("PowerProfile") == ""
    until(lambda: donord.get("ModeSource") == "config", "the configuration")
    provide(profile="performance")
    until_mode(donord, "performance")
    assert modes(donord) == [("balanced", "performance", "profile"), ("performance", "power", "profile"),
                             ("power", "balanced", "config"), ("balanced", "performance", "profile")]
    assert donord.attaches() == 1


def test_a_restart_of_the_provider_is_no_change(donord, provide):
    donord.start()
    provider = provide(profile="performance")
    until_mode(donord, "performance")
    donord.forget()
    for _ in range(5):
        provider.leave()
        provider = provide(profile="performance")
    stays(donord, 2 * SETTLED, Mode="performance", ModeSource="profile")
    assert modes(donord) == []


@pytest.mark.parametrize("names, shown", [([NEW, OLD], NEW), ([OLD, NEW], NEW)])
def test_the_new_name_is_preferred(donord, bus, services, provide, names, shown):
    provide(names[0], profile="performance" if names[0] == NEW else "power-saver")
    provide(names[1], profile="performance" if names[1] == NEW else "power-saver")
    donord.start()
    until_mode(donord, "performance")
    assert donord.get("PowerProfilesProvider") == shown
    services[names.index(NEW)].leave()
    until(lambda: donord.get("PowerProfilesProvider") == OLD, "the old name")
    until_mode(donord, "power")


def test_what_tuned_says(donord, provide):
    """Both names; a profile that is none of the three; two reasons at once."""
    donord.configure("[PowerProfiles]\nUnknown=power\nOnDegraded=balanced\nSettleMSec=0\n")
    tuned = provide(NEW, OLD, profile="unknown", version="2.27")
    donord.start()
    until_mode(donord, "power")
    assert donord.get("ModeReason") == f'power profile "unknown" of {NEW} 2.27'
    time.sleep(GAP)
    tuned.choose("performance")
    until_mode(donord, "performance")
    time.sleep(GAP)
    tuned.set(PerformanceDegraded="lap-detected,high-operating-temperature")
    until_mode(donord, "balanced")
    assert donord.get("PerformanceDegraded") == "lap-detected,high-operating-temperature"
    assert "high-operating-temperature" in donord.get("ModeReason")
    assert donord.set_mode("performance") == "performance"  # who asks gets it
    donord.forget()
    tuned.set(PerformanceDegraded="")
    until(lambda: donord.get("PerformanceDegraded") == "", "no longer degraded")
    until(lambda: donord.get("ModeBeneath")[0] == "performance", "no longer capped")


def test_a_profile_may_have_no_say(donord, provide):
    donord.configure("[Scheduler]\nMode=performance\n[PowerProfiles]\nBalanced=none\n")
    provide(profile="balanced")
    donord.start()
    until(lambda: donord.get("PowerProfile") == "balanced", "the profile")
    stays(donord, 2 * SETTLED, Mode="performance", ModeSource="config")


def test_following_can_be_switched_off_and_on(donord, provide):
    donord.configure("[PowerProfiles]\nFollow=no\n")
    provide(profile="power-saver")
    donord.start()
    until(lambda: donord.get("PowerProfile") == "power-saver", "it is shown nevertheless")
    assert donord.get("FollowPowerProfiles") is False
    stays(donord, 2 * SETTLED, Mode="balanced", ModeSource="config")
    donord.configure("[PowerProfiles]\nFollow=yes\n")
    donord.process.send_signal(1)
    until(lambda: donord.get("FollowPowerProfiles") is True, "the new configuration")
    assert donord.get("Mode") == "power"  # an administrator's change does not settle


def test_odd_answers_do_no_harm(donord, provide):
    """A text that is too long is cut between two characters: a broken one would end our connection."""
    donord.configure(QUICK + "Unknown=power\n")
    odd = provide(profile="x" + "é" * 100, version="ü" * 500)
    donord.start()
    until_mode(donord, "power")
    assert donord.get("PowerProfile") == "x" + "é" * 31
    path, interface = path_of(NEW), NEW
    odd.announce(path, interface, {"ActiveProfile": GLib.Variant("u", 7), "Other": GLib.Variant("as", ["a"])}, [])
    odd.announce(path, interface, {}, ["Version"])
    odd.announce(path, "org.example.Other", {"ActiveProfile": GLib.Variant("s", "performance")}, [])
    stays(donord, 0.3, Mode="power", PowerProfile="x" + "é" * 31)
    time.sleep(GAP)
    odd.announce(path, interface, {"Version": GLib.Variant("u", 7), "ActiveProfile": GLib.Variant("s", "balanced")}, [])
    until(lambda: donord.get("PowerProfile") == "balanced", "what stands beside the wrong one")
    odd.objects[path][1]["ActiveProfile"] = GLib.Variant("s", "performance")
    odd.announce(path, interface, {}, ["ActiveProfile"])  # changed, without saying how
    until(lambda: donord.get("PowerProfile") == "performance", "asked again")


def test_only_the_owner_of_the_name_is_believed(donord, provide, bus, services):
    donord.configure(QUICK)
    provide(profile="performance")
    donord.start()
    until_mode(donord, "performance")
    stranger = Provider(bus, profile="power-saver")
    services.append(stranger)
    stranger.announce(path_of(NEW), NEW, {"ActiveProfile": GLib.Variant("s", "power-saver")}, [])
    stays(donord, 0.5, Mode="performance", PowerProfile="performance")


def test_the_service_does_not_wait_for_a_provider(donord, bus, services):
    """It has the name, and answers nothing."""
    mute = bus.connect()
    services.append(Provider(bus))
    services[0].connection = mute
    assert services[0].request_name(NEW) == 1
    begin = time.monotonic()
    donord.start()
    assert donord.get("State") == "attached" and donord.get("PowerProfilesProvider") == ""
    assert donord.set_mode("power") == "power"
    assert time.monotonic() - begin < 3


def test_a_provider_is_never_started(tmp_path, services):
    """The bus would, if anybody called it."""
    mark = tmp_path / "started"
    for name in (NEW, OLD):
        (tmp_path / f"{name}.service").write_text(
            f"[D-BUS Service]\nName={name}\nUser=root\nExec=/bin/sh -c 'touch {mark}'\n")
    bus = Bus(POLICY + f"<servicedir>{tmp_path}</servicedir>")
    donord = Donord(bus)
    try:
        donord.start()
        stays(donord, 1, PowerProfilesProvider="", Mode="balanced")
        assert not mark.exists()
    finally:
        donord.close()
        bus.close()


# Settling.


def test_a_change_settles_for_half_a_second_and_the_latest_wins(donord, provide):
    provider = provide()
    donord.start()
    until(lambda: donord.get("PowerProfile") == "balanced", "the profile")
    donord.forget()
    begin = time.monotonic()
    provider.choose("performance")
    until(lambda: donord.get("PowerProfile") == "performance", "the profile")
    provider.choose("power-saver")
    until_mode(donord, "power")
    assert SETTLED - 0.05 <= time.monotonic() - begin < 2 * SETTLED
    assert modes(donord) == [("balanced", "power", "profile")]


def test_what_does_not_last_is_no_change(donord, provide):
    provider = provide()
    donord.start()
    until(lambda: donord.get("ModeSource") == "profile", "the profile")
    donord.forget()
    for profile in ["performance", "balanced", "power-saver", "balanced"]:
        provider.choose(profile)
        until(lambda: donord.get("PowerProfile") == profile, "the profile")
    stays(donord, 2 * SETTLED, Mode="balanced")
    assert modes(donord) == []


def test_a_person_never_waits(donord, provide):
    provider = provide()
    donord.start()
    until(lambda: donord.get("ModeSource") == "profile", "the profile")
    provider.choose("performance")
    until(lambda: donord.get("PowerProfile") == "performance", "the profile")
    assert donord.get("Mode") == "balanced"
    assert donord.set_mode("power") == "power"
    for mode in ["performance", "balanced"] * 5:
        assert donord.set_mode(mode) == mode and donord.get("Mode") == mode


def test_flapping_is_told_once_and_ends_in_the_lower_mode(donord, provide):
    donord.configure(QUICK)
    provider = provide()
    donord.start()
    until(lambda: donord.get("ModeSource") == "profile", "the profile")
    donord.forget()
    for i in range(6):
        profile = ["performance", "balanced"][i % 2]
        provider.choose(profile)
        until_mode(donord, MODES[profile])
    assert "too often" not in donord.logged()
    provider.choose("performance")
    until(lambda: donord.get("PowerProfile") == "performance", "the profile")
    stays(donord, GAP + 1, Mode="balanced", PowerProfile="performance")
    for i in range(5):
        provider.choose(["balanced", "performance"][i % 2])
    stays(donord, 1, Mode="balanced")
    assert donord.logged().count("too often") == 1
    assert len(modes(donord)) == 6
    assert donord.set_mode("performance") == "performance"  # a person is not held back


# What a person chose.


def test_another_profile_ends_what_a_person_chose(donord, provide):
    donord.configure(QUICK)
    provider = provide()
    donord.start()
    until(lambda: donord.get("ModeSource") == "profile", "the profile")
    donord.set_mode("power")
    provider.choose("balanced")  # the same
    provider.leave()
    until(lambda: donord.get("PowerProfile") == "", "nobody")
    provider = provide()
    until(lambda: donord.get("PowerProfile") == "balanced", "back with the same")
    stays(donord, 0.5, Mode="power", ModeSource="override")
    assert "the choice of a mode ends" not in donord.logged()
    provider.choose("performance")
    until_mode(donord, "performance")
    assert donord.get("ModeSource") == "profile"
    assert donord.logged().count("the choice of a mode ends: the power profile changed") == 1
    assert re.findall("power profiles: provided by (.*)", donord.logged()) == [NEW, "nobody", NEW]


@pytest.mark.parametrize("profile, source", [("balanced", "override"), ("performance", "profile")])
def test_a_profile_that_changed_while_the_service_was_away(donord, provide, profile, source):
    """The choice outlives a restart of the service, and so does what it was chosen until."""
    donord.configure(QUICK)
    provider = provide()
    donord.start()
    until(lambda: donord.get("ModeSource") == "profile", "the profile")
    donord.set_mode("power")
    donord.stop()
    donord.notes.clear()
    provider.choose(profile)
    donord.start()
    until(lambda: donord.get("PowerProfile") == profile, "the profile")
    stays(donord, 0.5, ModeSource=source)
