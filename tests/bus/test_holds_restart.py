# SPDX-License-Identifier: GPL-2.0-only
"""Modes that programs hold, over a restart of the service: who holds on, and what ended meanwhile."""

import json
import os
import signal
import subprocess
import time

import pytest

from harness import ERROR, NOBODY, USERS, until

OTHER = USERS[0]


def in_force(donord) -> tuple[str, str]:
    """Mode and source; the kernel must be at the same mode."""
    properties = donord.properties()
    assert donord.params()["mode"] == properties["Mode"]
    return properties["Mode"], properties["ModeSource"]


def modes_held(donord) -> list[str]:
    return [hold["Mode"] for hold in donord.get("Holds")]


def released(donord) -> list[tuple[int, str]]:
    return [signal[1:] for signal in donord.heard() if signal[0] == "HoldReleased"]


def generation(donord) -> int:
    return int(donord.params()["generation"])


def state(donord) -> dict:
    return json.loads((donord.run / "state").read_text())


def edit(donord, changes: dict):
    """Changes of the state file; None removes a value."""
    values = {**state(donord), **changes}
    (donord.run / "state").write_text(json.dumps({key: value for key, value in values.items() if value is not None}))


@pytest.fixture
def process():
    """Runs until it is killed."""
    process = subprocess.Popen(["sleep", "1000"])
    yield process
    process.kill()
    process.wait()


def hold_process(donord, process, mode="performance") -> int:
    pidfd = os.pidfd_open(process.pid)
    cookie = donord.hold_process(mode, pidfd)
    os.close(pidfd)
    return cookie


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_hold_goes_on_and_the_mode_stays(donord, systemd, number):
    donord.start()
    cookie = donord.hold("performance", "game 730", "steam", timeout_usec=60_000_000)
    soft = donord.hold("power", "€" * 85, soft=True)
    before, written = donord.get("Holds"), generation(donord)
    donord.forget()
    donord.process.send_signal(number)
    until(lambda: donord.process.poll() is not None, "the end of the service, which may ask systemd")
    donord.died()
    donord.start_again()
    assert donord.get("Adopted") is True
    assert in_force(donord) == ("performance", "hold") and generation(donord) == written + 1
    assert donord.get("Holds") == before
    assert donord.get("ModeReason") == f"by steam (uid {os.getuid()}): game 730"
    assert donord.get("ModeBeneath")[:2] == ("power", "hold")
    # Nobody saw another mode meanwhile.
    assert [signal for signal in donord.heard() if signal[0] != "Attached"] == []
    assert not any({"Mode", "Holds"} & change.keys() for change in donord.changes())
    donord.release_hold(cookie)
    assert in_force(donord) == ("power", "hold")
    donord.release_hold(soft)
    assert in_force(donord) == ("balanced", "config")
    donord.kill()
    donord.start_again()
    assert modes_held(donord) == []  # what was released does not come back


def test_the_owner_stays_the_owner(donord, agent):
    donord.play("everybody")
    donord.start()
    owner, root = agent(OTHER), agent(0)
    first, second, third = [owner.hold("power") for _ in range(3)]
    donord.kill()
    donord.start_again()
    for other in [agent(NOBODY), agent(OTHER)]:
        with pytest.raises(Exception) as refusal:
            other.call("ReleaseHold", "(u)", first)
        assert refusal.value.name == ERROR + "NotHoldOwner"
    owner.call("ReleaseHold", "(u)", first)
    root.call("ReleaseHold", "(u)", second)
    owner.call("Describe")
    assert owner.heard == [(second, "released")] and len(modes_held(donord)) == 1
    owner.process.kill()
    until(lambda: modes_held(donord) == [], "the hold of the dead to end")
    assert in_force(donord) == ("balanced", "config")
    assert third not in (first, second)


def test_an_owner_that_left_meanwhile_holds_nothing(donord, agent):
    donord.start()
    program = agent(0)
    program.hold("performance")
    written = generation(donord)
    donord.forget()
    donord.kill()
    program.close()
    donord.start_again()
    assert modes_held(donord) == [] and in_force(donord) == ("balanced", "config")
    assert generation(donord) == written + 1 and released(donord) == []
    assert "owner-left" in donord.logged()


def test_a_process_is_held_for_until_it_ends(donord, process):
    donord.start()
    donord.release_hold(donord.hold("power"))  # a clock that the event loop keeps from then on
    hold_process(donord, process)
    donord.kill()
    donord.start_again()
    donord.release_hold(donord.hold("power"))
    fds = donord.nr_fds()
    assert in_force(donord) == ("performance", "hold")
    process.kill()
    until(lambda: modes_held(donord) == [], "the end of the hold, though nobody waited for the process")
    assert in_force(donord) == ("balanced", "config") and donord.nr_fds() == fds - 1


@pytest.mark.parametrize("is_waited_for", [True, False])
def test_a_process_that_ended_meanwhile_is_not_held_for(donord, process, is_waited_for):
    donord.start()
    cookie, written = hold_process(donord, process), generation(donord)
    donord.forget()
    donord.kill()
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | (0 if is_waited_for else os.WNOWAIT))
    donord.start_again()
    assert modes_held(donord) == [] and in_force(donord) == ("balanced", "config")
    assert generation(donord) == written + 1 and released(donord) == [(cookie, "process-ended")]


def test_another_process_of_the_same_pid_is_not_held_for(donord, process):
    donord.start()
    cookie = hold_process(donord, process)
    donord.forget()
    donord.kill()
    edit(donord, {"holds.0.pid": os.getpid()})  # as if it had ended, and we had been given its pid
    donord.start_again()
    assert modes_held(donord) == [] and released(donord) == [(cookie, "process-ended")]


def test_a_hold_of_a_process_needs_no_caller_after_a_restart_either(donord, bus, process):
    donord.start()
    launcher = bus.connect()
    pidfd = os.pidfd_open(process.pid)
    donord.hold_process("power", pidfd, launcher)
    os.close(pidfd)
    launcher.close_sync(None)
    donord.kill()
    donord.start_again()
    assert in_force(donord) == ("power", "hold")


def test_time_goes_on_while_nobody_serves(donord):
    donord.start()
    donord.hold("performance", timeout_usec=4_000_000)
    donord.kill()
    time.sleep(2)
    began = time.monotonic()
    donord.start_again()
    assert in_force(donord) == ("performance", "hold")
    until(lambda: modes_held(donord) == [], "the end of the hold")
    assert 1 < time.monotonic() - began < 4


def test_what_ran_out_meanwhile_has_ended(donord):
    donord.start()
    cookie, written = donord.hold("performance", timeout_usec=1_000_000), generation(donord)
    donord.forget()
    donord.kill()
    time.sleep(1.1)
    donord.start_again()
    assert modes_held(donord) == [] and in_force(donord) == ("balanced", "config")
    assert generation(donord) == written + 1 and released(donord) == [(cookie, "timeout")]


def test_what_a_person_ended_does_not_come_back(donord):
    donord.start()
    donord.hold("performance")
    donord.hold("performance", soft=True)
    donord.set_mode("power")
    donord.kill()
    donord.start_again()
    assert in_force(donord) == ("power", "override") and modes_held(donord) == ["performance"]
    assert donord.get("Holds")[0]["Soft"] is True


def test_they_outlast_a_restart_while_detached(donord):
    donord.start()
    donord.hold("power")
    donord.detach()
    donord.kill()
    donord.start_again()
    assert (donord.get("Mode"), donord.get("ModeSource")) == ("power", "hold")
    donord.attach()
    assert in_force(donord) == ("power", "hold")


def test_a_reboot_and_a_stop_forget_them(donord):
    """systemd removes /run/donor with a stop: RuntimeDirectoryPreserve=restart."""
    donord.start()
    donord.hold("power")
    donord.restart(reboot=True)
    assert modes_held(donord) == [] and in_force(donord) == ("balanced", "config")


def test_limits_count_what_went_on(donord):
    donord.start()
    cookies = [donord.hold("performance") for _ in range(16)]
    donord.kill()
    donord.start_again()
    assert donord.refused("HoldMode", "(sssa{sv})", "power", "", "", {}).name == ERROR + "TooManyHolds"
    donord.release_hold(cookies[7])
    new = donord.hold("power")
    assert new not in cookies and len(modes_held(donord)) == 16


@pytest.mark.parametrize("limit", ["MaxPerUid", "Max"])
def test_lower_limits_end_the_newest(donord, limit):
    donord.start()
    kept, first, second = donord.hold("performance"), donord.hold("power"), donord.hold("balanced")
    donord.forget()
    donord.kill()
    donord.configure(f"[Holds]\n{limit}=1\n")
    donord.start_again()
    assert in_force(donord) == ("performance", "hold") and modes_held(donord) == ["performance"]
    assert released(donord) == [(first, "released"), (second, "released")]
    donord.release_hold(kept)


def test_names_of_another_bus_are_not_taken_for_those_of_this_one(donord, bus, process):
    here, other = [bus.connect() for _ in range(20)], type(bus)()
    client, name = donord.client, here[-1].get_unique_name()
    donord.bus = other
    donord.process = donord.spawn()
    until(lambda: "READY=1" in donord.notes, "READY=1")
    donord.client = other.connect()
    while donord.client.get_unique_name() != name:
        donord.client.close_sync(None)
        donord.client = other.connect()
    hold_process(donord, process, "power")
    donord.hold("performance")
    donord.kill()
    donord.client.close_sync(None)
    other.close()
    donord.bus, donord.client = bus, client
    donord.start_again()
    assert modes_held(donord) == ["power"]  # the process is the same
    for connection in here:
        connection.close_sync(None)


def test_a_damaged_file_holds_nothing(donord):
    donord.start()
    donord.hold("power")
    donord.kill()
    (donord.run / "state").write_text((donord.run / "state").read_text()[:-30])
    donord.start_again()
    assert modes_held(donord) == [] and in_force(donord) == ("balanced", "config")
    assert "state is damaged" in donord.logged()
    donord.hold("performance")
    donord.kill()
    donord.start_again()
    assert modes_held(donord) == ["performance"]


@pytest.mark.parametrize("damage", [
    {"holds.1.mode": "turbo"}, {"holds.0.mode": None}, {"holds.1.cookie": 0}, {"holds.1.cookie": 1 << 32},
    {"holds.0.cookie": 7, "holds.1.cookie": 7}, {"holds.1.owner": ":1." + "1" * 300}, {"holds.1.reason": "\x1b[2J"},
    {"holds.0.ends": "soon"}, {"holds.count": 3}, {"holds.count": 1 << 40}, {"holds.1.soft": 2}])
def test_a_damaged_hold_holds_nothing_either(donord, damage):
    donord.start()
    donord.set_mode("balanced")
    donord.hold("power")
    donord.hold("power")
    donord.kill()
    edit(donord, damage)
    donord.start_again()
    assert modes_held(donord) == [] and in_force(donord) == ("balanced", "override")  # which is not damaged
    assert donord.logged().count("are forgotten") == 1
    assert not any(key.startswith("holds.") for key in state(donord))
    donord.kill()
    donord.start_again()
    assert donord.logged().count("are forgotten") == 1
