# SPDX-License-Identifier: GPL-2.0-only
"""When donor takes the names of power profiles, and when it gives them back."""

import signal
import time

import pytest

from desktop import (AUTO, NEW, OLD, PATIENCE, POLICY, QUEUE, REPLACE, Provider, Slider, Systemd, owner, provides,
                     until_it_provides, until_mode)
from harness import Bus, Donord, until


@pytest.fixture
def donord():
    """One on a bus of its own."""
    bus = Bus(POLICY)
    donord = Donord(bus)
    donord.configure(AUTO)
    yield donord
    donord.close()
    bus.close()


def test_it_yields_and_comes_back(donord):
    """To who replaces it; and to who does not, when systemd starts them. The choice is kept meanwhile."""
    systemd = Systemd(donord.bus, {})
    donord.start()
    until_it_provides(donord)
    slider = Slider(donord.bus)
    slider.set("power-saver")
    cookie = slider.hold("performance")
    other = Provider(donord.bus, OLD, profile="balanced", flags=REPLACE)
    until(lambda: donord.get("PowerProfilesProvider") == OLD, "the other one followed")
    until_mode(donord, "balanced")
    assert owner(donord.bus, NEW) == ""  # all or nothing
    until(lambda: ("ProfileReleased", cookie) in slider.heard, "the holder told")

    other.leave()
    until_it_provides(donord)
    until_mode(donord, "power")
    until(lambda: ("Subscribe",) in systemd.calls, "systemd asked to tell")
    waiting = Provider(donord.bus, NEW, OLD, profile="performance", flags=QUEUE, wanted=2)
    systemd.tell("ssh.service", "activating")
    systemd.tell("tuned-ppd.service", "inactive")
    time.sleep(0.2)
    assert provides(donord)
    systemd.tell("tuned-ppd.service", "activating")
    until(lambda: donord.get("PowerProfilesProvider") == NEW, "the waiting one followed")
    until_mode(donord, "performance")
    assert owner(donord.bus, OLD) == waiting.connection.get_unique_name()
    for leaving in (waiting, slider, systemd):
        leaving.leave()


def test_the_choice_outlasts_the_service(donord):
    donord.start()
    until_it_provides(donord)
    slider = Slider(donord.bus)
    slider.set("power-saver")
    slider.leave()
    donord.stop()
    donord.notes.clear()
    donord.start()
    assert donord.get("Mode") == "balanced"
    until_it_provides(donord)
    until_mode(donord, "power")
    assert donord.get("ModeSource") == "profile"
    donord.configure("")  # no longer wanted
    donord.process.send_signal(signal.SIGHUP)
    until(lambda: not owner(donord.bus, NEW) and not owner(donord.bus, OLD), "the names given back")
    assert (donord.get("Mode"), donord.get("PowerProfilesProvider")) == ("balanced", "")


INSTALLED = [  # what is there, the keys, and whether donor offers the profiles
    ("a service that the bus would start", {"power-profiles-daemon.service": "disabled"}, AUTO, False),
    ("one that is masked", {"power-profiles-daemon.service": "masked", "tuned-ppd.service": "masked-runtime"}, AUTO, True),
    ("one of two is masked", {"power-profiles-daemon.service": "masked", "tuned-ppd.service": "enabled"}, AUTO, False),
    ("one that systemd does not know", {}, AUTO, False),
    ("no systemd", None, AUTO, False),
    ("not configured", {"power-profiles-daemon.service": "masked"}, "", False),
    ("not following", {"power-profiles-daemon.service": "masked"}, AUTO + "Follow=no\n", False),
]


def test_it_takes_no_name_from_a_service_that_could_be_started(tmp_path):
    """All at once: each has to be watched for ten seconds."""
    (tmp_path / f"{OLD}.service").write_text(f"[D-BUS Service]\nName={OLD}\nUser=root\nExec=/bin/false\n")
    runs = []
    for _, units, keys, _ in INSTALLED:
        bus = Bus(POLICY + f"<servicedir>{tmp_path}</servicedir>")
        systemd = Systemd(bus, units) if units is not None else None
        donord = Donord(bus)
        donord.configure(keys)
        donord.start()
        runs.append((bus, systemd, donord))
    end = time.monotonic() + PATIENCE + 2
    until(lambda: time.monotonic() > end, "the time", PATIENCE + 5)
    offered = {INSTALLED[i][0]: bool(owner(bus, NEW) and owner(bus, OLD)) for i, (bus, _, _) in enumerate(runs)}
    none = {INSTALLED[i][0]: not owner(bus, NEW) and not owner(bus, OLD) for i, (bus, _, _) in enumerate(runs)}
    for bus, systemd, donord in runs:
        donord.close()
        if systemd:
            systemd.leave()
        bus.close()
    assert offered == {name: wanted for name, _, _, wanted in INSTALLED}
    assert none == {name: not wanted for name, _, _, wanted in INSTALLED}


def test_a_bus_that_refuses_the_names_is_named_once(tmp_path):
    denied = "".join(f'<policy context="mandatory"><deny own="{name}"/></policy>' for name in (NEW, OLD))
    bus = Bus(denied)
    donord = Donord(bus)
    donord.configure(AUTO)
    try:
        donord.start()
        until(lambda: "power profiles are not offered: " in donord.logged(), "the complaint", PATIENCE + 5)
        until(lambda: donord.get("PowerProfilesProvider") == "", "nobody")
        assert donord.logged().count("are not offered") == 1
    finally:
        donord.close()
        bus.close()
