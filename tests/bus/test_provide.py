# SPDX-License-Identifier: GPL-2.0-only
"""With Provide=auto donor offers power profiles where nobody does, as power-profiles-daemon would."""

import os
import subprocess
import time
import xml.etree.ElementTree as ElementTree

import pytest
from gi.repository import GLib

from desktop import AUTO, NEW, OLD, PATIENCE, PROPERTIES, Slider, path_of, until_it_provides
from desktop import bus  # noqa: F401, a fixture
from harness import DEADLINE, INVALID_ARGS, NOBODY, Donord, until


@pytest.fixture(scope="module")
def offering(bus):
    """One that offers them: it takes ten seconds to come to that."""
    donord = Donord(bus)
    donord.configure(AUTO + "[Holds]\nMaxPerUid=3\n")
    begin = time.monotonic()
    donord.start()
    until_it_provides(donord)
    assert time.monotonic() - begin >= PATIENCE
    yield donord
    donord.close()


@pytest.fixture
def sliders(bus, offering):
    """The new name and the old one, in a state that does not depend on the tests before."""
    sliders = [Slider(bus, name) for name in (NEW, OLD)]
    sliders[0].set("balanced")  # ends all holds
    sliders[0].signals(), sliders[1].signals()
    for slider in sliders:
        slider.heard.clear()
    yield sliders
    for slider in sliders:
        slider.leave()


def test_nothing_is_said_of_a_profile_that_nobody_chose(offering):
    """The first test: the others choose one."""
    assert offering.get("ModeSource") == "config"
    assert offering.get("PowerProfile") == "balanced"
    assert offering.set_mode("performance") == "performance"
    assert offering.get("PowerProfile") == "performance"  # the slider shows what is


# As power-profiles-daemon 0.30 has it; "rw" is what may be written.
MEMBERS = {
    "HoldProfile": "sss>u", "ReleaseProfile": "u>", "ProfileReleased": "u", "ActiveProfile": "s rw",
    "PerformanceInhibited": "s r", "PerformanceDegraded": "s r", "Profiles": "aa{sv} r", "Actions": "as r",
    "ActiveProfileHolds": "aa{sv} r", "Version": "s r"}
NEW_MEMBERS = MEMBERS | {"SetActionEnabled": "sb>", "ActionsInfo": "aa{sv} r", "BatteryAware": "b rw"}


def members(xml, interface):
    result = {}
    for member in ElementTree.fromstring(xml).find(f"interface[@name='{interface}']"):
        types = {way: "".join(a.get("type") for a in member.findall("arg") if a.get("direction", "out") == way)
                 for way in ("in", "out")}
        if member.tag == "property":
            result[member.get("name")] = f"{member.get('type')} {member.get('access').replace('read', 'r').replace('write', 'w')}"
        elif member.tag == "signal":
            result[member.get("name")] = types["out"]
        elif member.tag == "method":
            result[member.get("name")] = f"{types['in']}>{types['out']}"
    return result


@pytest.mark.parametrize("number, name, wanted", [(0, NEW, NEW_MEMBERS), (1, OLD, MEMBERS)], ids=["new", "old"])
def test_the_members_are_those_of_the_original(sliders, number, name, wanted):
    xml = sliders[number].call("Introspect", interface="org.freedesktop.DBus.Introspectable")
    assert members(xml, name) == wanted


@pytest.mark.parametrize("number", [0, 1], ids=["new", "old"])
@pytest.mark.parametrize("profile, mode", [("power-saver", "power"), ("performance", "performance"),
                                           ("balanced", "balanced")])
def test_the_slider_chooses_the_mode_at_once(offering, sliders, number, profile, mode):
    sliders[0].set("power-saver" if profile == "balanced" else "balanced")
    [slider.heard.clear() for slider in sliders if slider.signals()]
    sliders[number].set(profile)
    assert offering.params()["mode"] == mode  # when the call has returned
    assert offering.get("Mode") == mode and offering.get("ModeSource") == "profile"
    assert offering.get("ModeReason") == f'power profile "{profile}" of donor'
    for slider in sliders:
        assert slider.get("ActiveProfile") == profile
        assert ("PropertiesChanged", slider.name, {"ActiveProfile": profile}, []) in slider.signals()
    assert [(p["Profile"], p["Driver"], p["CpuDriver"]) for p in sliders[number].get("Profiles")] == [
        (name, "donor", "donor") for name in ("power-saver", "balanced", "performance")]


def test_the_slider_ends_what_a_person_chose_before(offering, sliders):
    assert offering.set_mode("power") == "power"
    sliders[0].set("balanced")  # as it was: a person moved it all the same
    assert offering.get("Mode") == "balanced" and offering.get("ModeSource") == "profile"


def test_a_kernel_that_refuses_leaves_all_as_it_was(offering, sliders):
    cookie = sliders[0].hold("power-saver")
    offering.play("set-params-error", "5")
    refusal = sliders[1].refused("Set", "(ssv)", OLD, "ActiveProfile", GLib.Variant("s", "performance"), interface=PROPERTIES)
    assert refusal.name.endswith("TransitionFailed") and "stays at mode power" in refusal.text
    offering.unplay("set-params-error")
    assert sliders[0].get("ActiveProfile") == "power-saver" and len(sliders[0].get("ActiveProfileHolds")) == 1
    assert ("ProfileReleased", cookie) not in sliders[0].signals()


def test_a_hold_lasts_until_it_is_released(offering, sliders):
    first = sliders[0].hold("performance", "a game", "org.example.Game")
    assert offering.params()["mode"] == "performance"
    second = sliders[1].hold("power-saver")
    assert offering.params()["mode"] == "power"  # it wins
    assert first != second
    assert sliders[1].get("ActiveProfileHolds")[1] == {
        "Profile": "performance", "Reason": "a game", "ApplicationId": "org.example.Game"}
    sliders[1].call("ReleaseProfile", "(u)", second)
    assert offering.params()["mode"] == "performance" and sliders[0].get("ActiveProfile") == "performance"
    sliders[0].call("ReleaseProfile", "(u)", first)
    assert offering.params()["mode"] == "balanced" and sliders[0].get("ActiveProfileHolds") == []
    assert not [s for slider in sliders for s in slider.signals() if s[0] == "ProfileReleased"]  # they know


def test_who_loses_a_hold_to_root_is_told(offering, sliders):
    cookie = sliders[1].hold("performance")
    sliders[0].call("ReleaseProfile", "(u)", cookie)
    assert ("ProfileReleased", cookie) in sliders[1].signals()
    assert ("ProfileReleased", cookie) not in sliders[0].signals()
    assert sliders[0].get("ActiveProfileHolds") == []


def test_a_choice_ends_all_holds(offering, sliders):
    first, second = sliders[0].hold("performance"), sliders[1].hold("performance")
    sliders[0].set("performance")  # what the holds gave already
    assert ("ProfileReleased", first) in sliders[0].signals()
    assert ("ProfileReleased", second) in sliders[1].signals()
    assert sliders[0].get("ActiveProfileHolds") == [] and sliders[0].get("ActiveProfile") == "performance"


def test_a_hold_ends_with_its_holder(offering, sliders, bus):
    holder = Slider(bus)
    holder.hold("performance")
    sliders[0].hold("performance")
    assert offering.get("Mode") == "performance"
    holder.leave()
    until(lambda: len(sliders[0].get("ActiveProfileHolds")) == 1, "the hold to end")
    assert offering.get("Mode") == "performance"


def test_holds_are_limited_and_nobody_elses(offering, sliders, bus):
    cookies = [sliders[0].hold("performance") for _ in range(3)]
    assert len(set(cookies)) == 3 and 0 not in cookies
    assert sliders[0].refused("HoldProfile", "(sss)", "performance", "", "").name.endswith("LimitsExceeded")
    assert sliders[0].refused("ReleaseProfile", "(u)", 0).name == INVALID_ARGS
    if os.getuid() == 0:
        done = subprocess.run(["busctl", f"--address={bus.address}", "call", NEW, path_of(NEW), NEW, "ReleaseProfile",
                               "u", str(cookies[0])], user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True,
                              text=True, timeout=DEADLINE, cwd="/")
        assert done.returncode != 0 and "ccess" in done.stderr
    assert len(sliders[0].get("ActiveProfileHolds")) == 3


@pytest.mark.parametrize("member, signature, arguments, words", [
    ("HoldProfile", "(sss)", ("balanced", "", ""), "Only power-saver and performance"),
    ("HoldProfile", "(sss)", ("turbo", "", ""), "'turbo'; they are power-saver"),
    ("HoldProfile", "(sss)", ("performance", "x" * 257, ""), "256 bytes"),
    ("HoldProfile", "(sss)", ("performance", "", "x" * 257), "256 bytes"),
    ("HoldProfile", "(sss)", ("performance", "\x1b[2J", ""), "control characters"),
    ("ReleaseProfile", "(u)", (12345,), "no hold with cookie 12345"),
    ("SetActionEnabled", "(sb)", ("trickle_charge", True), "'trickle_charge'")])
def test_wrong_arguments_are_refused(offering, sliders, member, signature, arguments, words):
    refusal = sliders[0].refused(member, signature, *arguments)
    assert refusal.name == INVALID_ARGS and words in refusal.text
    assert sliders[0].get("ActiveProfileHolds") == []


@pytest.mark.parametrize("name, value, error, words", [
    ("ActiveProfile", GLib.Variant("s", "turbo"), "InvalidArgs", "'turbo'"),
    ("ActiveProfile", GLib.Variant("u", 1), "InvalidArgs", ""),
    ("BatteryAware", GLib.Variant("b", True), "NotSupported", "[Battery]"),
    ("Version", GLib.Variant("s", "1"), "PropertyReadOnly", ""),
    ("Colour", GLib.Variant("s", "blue"), "UnknownProperty", "")])
def test_wrong_values_are_refused(offering, sliders, name, value, error, words):
    refusal = sliders[0].refused("Set", "(ssv)", NEW, name, value, interface=PROPERTIES)
    assert refusal.name.endswith(error) and words in refusal.text
    assert sliders[0].get("ActiveProfile") == "balanced"
    sliders[0].set(False, "BatteryAware", "b")  # what it is


@pytest.mark.skipif(os.getuid() != 0, reason="another user can be played by root only")
@pytest.mark.parametrize("member, arguments", [
    ("HoldProfile", ["call", NEW, path_of(NEW), NEW, "HoldProfile", "sss", "performance", "", ""]),
    ("Set", ["set-property", NEW, path_of(NEW), NEW, "ActiveProfile", "s", "performance"]),
    ("Set old", ["set-property", OLD, path_of(OLD), OLD, "ActiveProfile", "s", "performance"])])
def test_others_may_read_and_not_change(offering, sliders, bus, member, arguments):
    def busctl(*words):
        return subprocess.run(["busctl", f"--address={bus.address}", *words], user=NOBODY, group=NOBODY, extra_groups=[],
                              capture_output=True, text=True, timeout=DEADLINE, cwd="/")

    done = busctl(*arguments)
    assert done.returncode != 0 and "ccess" in done.stderr, (member, done)
    assert offering.get("Mode") == "balanced" and sliders[0].get("ActiveProfileHolds") == []
    assert "balanced" in busctl("get-property", NEW, path_of(NEW), NEW, "ActiveProfile").stdout


def test_powerprofilesctl_takes_it_for_the_original(offering, sliders, bus):
    environment = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": bus.address}

    def ctl(*words):
        return subprocess.run(["powerprofilesctl", *words], env=environment, capture_output=True, text=True,
                              timeout=DEADLINE, check=True).stdout

    assert ctl("list") == """\
  performance:
    CpuDriver:	donor
    Degraded:   no

* balanced:
    CpuDriver:	donor

  power-saver:
    CpuDriver:	donor
"""
    ctl("set", "power-saver")
    assert ctl("get") == "power-saver\n" and offering.get("Mode") == "power"
    command = ["powerprofilesctl", "launch", "-p", "performance", "-r", "a reason", "-i", "an application", "cat"]
    ctl("set", "balanced")
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE) as launch:
        until(lambda: offering.get("Mode") == "performance", "the hold")
        held = ctl("list-holds")
        assert "performance" in held and "a reason" in held and "an application" in held
        launch.stdin.close()
        assert launch.wait(DEADLINE) == 0
    assert offering.get("Mode") == "balanced" and ctl("list-holds") == ""
    assert ctl("list-actions") == "" and ctl("query-battery-aware").endswith(": False\n")
    assert ctl("version").endswith(f"daemon: {offering.get('Version')}\n")
