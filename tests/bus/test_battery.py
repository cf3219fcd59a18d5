# SPDX-License-Identifier: GPL-2.0-only
"""Battery and mains choose the mode where nobody provides power profiles; a low battery always does."""

import pytest

from desktop import GAP, POLICY, QUICK, stays, until_mode
from desktop import bus, provide, services, upower  # noqa: F401, fixtures
from harness import Bus, Donord, until


def test_the_power_source_chooses_where_nobody_provides_profiles(donord, upower, provide):
    donord.configure(QUICK + "[Battery]\nOnBattery=power\nOnAC=performance\n")
    power = upower()
    donord.start()
    until_mode(donord, "performance")
    assert donord.get("ModeSource") == "power-source" and donord.get("OnBattery") is False
    power.unplug()
    until_mode(donord, "power")
    assert donord.get("OnBattery") is True
    assert donord.get("ModeReason") == "on battery, and nobody provides power profiles"
    provide(profile="balanced")
    until_mode(donord, "balanced")
    assert donord.get("ModeBeneath")[1] == "config"


def test_upower_may_come_late_and_go(donord, upower):
    donord.configure(QUICK + "[Battery]\nOnBattery=power\n")
    donord.start()
    power = upower(on_battery=True)
    until_mode(donord, "power")
    power.leave()
    until_mode(donord, "balanced")
    assert donord.get("OnBattery") is False


def test_a_low_battery_wins_over_people_and_profiles(donord, upower, provide):
    donord.configure(QUICK + "[Battery]\nLowPercent=20\n")
    power = upower(on_battery=True, percentage=25.0)
    provide(profile="performance")
    donord.start()
    until_mode(donord, "performance")
    donord.set_mode("balanced")
    power.charge(20.0)
    until_mode(donord, "power")
    assert donord.get("ModeSource") == "low-battery"
    assert donord.get("ModeReason") == "the battery is low: 20 % or less"
    power.charge(22.9)
    stays(donord, GAP + 0.5, Mode="power")
    power.charge(23.0)
    until_mode(donord, "balanced")
    assert donord.get("ModeSource") == "override"  # percentages do not end it


def test_a_storm_of_percentages_is_nothing(donord, upower):
    donord.configure(QUICK + "[Battery]\nOnBattery=power\nLowPercent=5\n")
    power = upower(on_battery=True)
    donord.start()
    until_mode(donord, "power")
    donord.forget()
    before = donord.params()
    for i in range(2000):
        power.charge(80 - i / 100)
    power.unplug()  # it is already
    stays(donord, 0.5, Mode="power")
    assert donord.params() == before  # the kernel was not troubled
    assert donord.changes() == [] and donord.heard() == []


@pytest.mark.parametrize("rules, starts", [("", False), ("OnBattery=power", True), ("LowPercent=10", True)])
def test_upower_is_started_where_a_rule_needs_it(tmp_path, rules, starts):
    mark = tmp_path / "started"
    name = "org.freedesktop.UPower"
    (tmp_path / f"{name}.service").write_text(
        f"[D-BUS Service]\nName={name}\nUser=root\nExec=/bin/sh -c 'touch {mark}'\n")
    bus = Bus(POLICY + f"<servicedir>{tmp_path}</servicedir>")
    donord = Donord(bus)
    try:
        donord.configure(f"[Battery]\n{rules}\n")
        donord.start()
        if starts:
            until(mark.exists, "UPower started")
        stays(donord, 0.5, OnBattery=False)
        assert mark.exists() == starts
    finally:
        donord.close()
        bus.close()


@pytest.mark.parametrize("until_word, source", [("released", "override"), ("power-source-change", "power-source")])
def test_what_a_person_chose_until_another_event(donord, upower, until_word, source):
    donord.configure(QUICK + "[Battery]\nOnBattery=power\n[Override]\nUntil=" + until_word)
    power = upower()
    donord.start()
    until(lambda: donord.get("OnBattery") is False, "mains")
    donord.set_mode("performance")
    power.charge(79.0)
    stays(donord, 0.3, ModeSource="override")
    power.unplug()
    until(lambda: donord.get("OnBattery") is True, "the battery")
    stays(donord, 0.5, ModeSource=source)
