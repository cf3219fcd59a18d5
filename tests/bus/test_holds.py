# SPDX-License-Identifier: GPL-2.0-only
"""Modes that programs hold: who may, how long, and who hears of the end."""

import errno
import os
import subprocess
import time

import pytest
from gi.repository import GLib

from harness import ERROR, INVALID_ARGS, NOBODY, USERS, until

OTHER = USERS[0]


def in_force(donord) -> tuple[str, str]:
    """Mode and source; the kernel must be at the same mode."""
    properties = donord.properties()
    assert donord.params()["mode"] == properties["Mode"]
    return properties["Mode"], properties["ModeSource"]


def modes_held(donord) -> list[str]:
    return [hold["Mode"] for hold in donord.get("Holds")]


@pytest.fixture
def process():
    """Runs until it is killed."""
    process = subprocess.Popen(["sleep", "1000"])
    yield process
    process.kill()
    process.wait()


def test_a_hold_says_all_but_its_cookie(donord):
    donord.start()
    before = time.time_ns() // 1000
    cookie = donord.hold("power", "on the train", "org.example.Film", timeout_usec=60_000_000)
    hold, = donord.get("Holds")
    assert before <= hold.pop("Since") <= time.time_ns() // 1000
    assert hold == {"Mode": "power", "Reason": "on the train", "ApplicationId": "org.example.Film",
                    "Uid": os.getuid(), "TimeoutUSec": 60_000_000, "Soft": False}
    assert cookie != 0
    assert in_force(donord) == ("power", "hold")
    assert donord.get("ModeReason") == f"by org.example.Film (uid {os.getuid()}): on the train"
    assert donord.get("ModeBeneath")[:2] == ("balanced", "config")


def test_release_ends_it_in_one_step(donord):
    donord.start()
    donord.forget()
    cookie = donord.hold("power-saver")
    assert modes_held(donord) == ["power"]
    assert [sorted(c) for c in donord.changes()] == [
        ["DonationEffective", "DonationEnqueue", "DonationSelectCpu", "Holds", "Mode", "ModeReason", "ModeSource"]]
    donord.forget()
    donord.release_hold(cookie)
    assert in_force(donord) == ("balanced", "config") and modes_held(donord) == []
    assert len(donord.changes()) == 1
    assert [signal[0] for signal in donord.heard()] == ["ModeChanged", "DonationChanged", "DonationChanged"]
    assert donord.refused("ReleaseHold", "(u)", cookie).name == ERROR + "NoSuchHold"


def test_power_wins_over_balanced_and_that_over_performance(donord):
    donord.start()
    performance = donord.hold("performance")
    assert in_force(donord) == ("performance", "hold")
    balanced = donord.hold("balanced")
    assert in_force(donord) == ("balanced", "hold")
    power = donord.hold("power")
    assert in_force(donord) == ("power", "hold")
    donord.hold("performance")
    donord.release_hold(power)
    assert in_force(donord) == ("balanced", "hold")
    donord.release_hold(balanced)
    donord.release_hold(performance)
    assert in_force(donord) == ("performance", "hold")
    assert modes_held(donord) == ["performance"]


def test_an_owner_that_leaves_takes_its_holds_along(donord, bus, agent):
    donord.play("everybody")
    donord.start()
    program = agent(OTHER)
    program.hold("power", "r", "program")
    program.hold("performance")
    mine = donord.hold("performance")
    assert modes_held(donord) == ["power", "performance", "performance"]
    assert donord.get("Holds")[0]["Uid"] == OTHER
    program.process.kill()
    until(lambda: modes_held(donord) == ["performance"], "the holds of the dead to end")
    assert in_force(donord) == ("performance", "hold")
    donord.release_hold(mine)


def test_only_the_owner_and_root_may_release(donord, agent):
    donord.play("everybody")
    donord.start()
    owner, thief, root = agent(OTHER), agent(NOBODY), agent(0)
    cookie = owner.hold("power")
    donord.forget()
    with pytest.raises(Exception) as refusal:
        thief.call("ReleaseHold", "(u)", cookie)
    assert refusal.value.name == ERROR + "NotHoldOwner" and "only its owner and root" in refusal.value.text
    assert modes_held(donord) == ["power"] and donord.changes() == []
    with pytest.raises(Exception) as refusal:
        agent(OTHER).call("ReleaseHold", "(u)", cookie)  # the same user is not the same program
    assert refusal.value.name == ERROR + "NotHoldOwner"
    root.call("ReleaseHold", "(u)", cookie)
    assert modes_held(donord) == []
    owner.call("Describe")
    assert owner.heard == [(cookie, "released")]
    assert root.heard == thief.heard == [] and "HoldReleased" not in [signal[0] for signal in donord.signals]


def test_who_holds_need_not_be_root_to_release(donord, agent):
    donord.play("everybody")
    donord.start()
    owner = agent(OTHER)
    owner.call("ReleaseHold", "(u)", owner.hold("power"))
    owner.call("Describe")
    assert modes_held(donord) == [] and owner.heard == []


def test_nobody_may_hold_without_being_allowed(donord, agent):
    donord.start()
    with pytest.raises(Exception) as refusal:
        agent(NOBODY).hold("power")
    assert refusal.value.name == "org.freedesktop.DBus.Error.AccessDenied"
    assert modes_held(donord) == []


def test_each_user_and_all_together_have_a_limit(donord, agent):
    donord.play("everybody")
    donord.start()
    users = [agent(uid) for uid in USERS[:9]]
    for user in users[:8]:
        for _ in range(16):
            user.hold("performance")
        with pytest.raises(Exception) as refusal:
            user.hold("performance")
        assert refusal.value.name == ERROR + "TooManyHolds" and "16 of one user" in refusal.value.text
    assert len(donord.get("Holds")) == 128
    donord.forget()
    with pytest.raises(Exception) as refusal:
        users[8].hold("performance")
    assert refusal.value.name == ERROR + "TooManyHolds" and "128 holds" in refusal.value.text
    assert donord.changes() == []
    users[0].process.kill()
    until(lambda: len(donord.get("Holds")) == 112, "the holds of one user to end")
    users[8].hold("performance")


def test_a_second_connection_does_not_give_a_user_more(donord, agent):
    donord.play("everybody")
    donord.start()
    first, second = agent(OTHER), agent(OTHER)
    for _ in range(16):
        first.hold("performance")
    with pytest.raises(Exception) as refusal:
        second.hold("performance")
    assert refusal.value.name == ERROR + "TooManyHolds"


def test_its_time_ends_it(donord, agent):
    donord.start()
    root = agent(0)
    cookie = root.hold("power", timeout_usec=300_000)
    began = time.monotonic()
    until(lambda: modes_held(donord) == [], "the end of the hold")
    assert 0.2 < time.monotonic() - began < 3
    assert in_force(donord) == ("balanced", "config")
    root.call("Describe")
    assert root.heard == [(cookie, "timeout")]


def test_a_hold_that_was_released_has_no_time_left(donord):
    donord.start()
    donord.release_hold(donord.hold("power", timeout_usec=200_000))
    donord.forget()
    time.sleep(0.8)
    assert donord.changes() == [] and donord.process.poll() is None


def test_nothing_is_held_for_longer_than_a_day(donord):
    donord.start()
    donord.hold("power")
    assert donord.get("Holds")[0]["TimeoutUSec"] == 86_400_000_000


@pytest.mark.parametrize("mode", ["performance", "balanced"])
def test_a_person_ends_the_holds_that_are_not_soft(donord, agent, mode):
    donord.start()
    root = agent(0)
    hard, also_hard = root.hold("performance"), root.hold("performance")
    root.hold("power", soft=True)
    donord.set_mode(mode)
    assert modes_held(donord) == ["power"] and in_force(donord) == (mode, "override")
    root.call("Describe")
    assert sorted(root.heard) == sorted([(hard, "overridden"), (also_hard, "overridden")])
    with pytest.raises(Exception) as refusal:
        root.call("ReleaseHold", "(u)", hard)
    assert refusal.value.name == ERROR + "NoSuchHold"
    donord.release()
    assert in_force(donord) == ("power", "hold")  # the soft one


def test_keep_holds_keeps_them(donord):
    donord.start()
    donord.hold("performance")
    assert donord.set_mode("power", keep_holds=True) == "performance"
    assert in_force(donord) == ("performance", "hold") and donord.get("ModeBeneath")[:2] == ("power", "override")
    assert donord.get("Override")["Mode"] == "power"


def test_a_soft_hold_yields_and_a_hard_one_does_not(donord):
    donord.start()
    donord.set_mode("balanced")
    soft = donord.hold("performance", soft=True)
    assert in_force(donord) == ("balanced", "override")
    hard = donord.hold("performance")
    assert in_force(donord) == ("performance", "hold")
    donord.release_hold(hard)
    assert in_force(donord) == ("balanced", "override")
    donord.release()
    assert in_force(donord) == ("performance", "hold")
    donord.release_hold(soft)


def test_a_hold_ends_with_the_process_and_not_with_the_caller(donord, bus, process):
    donord.start()
    donord.release_hold(donord.hold("power"))  # a clock that the event loop keeps from then on
    fds = donord.nr_fds()
    pidfd = os.pidfd_open(process.pid)
    launcher = bus.connect()
    donord.hold_process("power", pidfd, launcher)
    os.close(pidfd)
    launcher.close_sync(None)
    donord.get("State")
    time.sleep(0.2)
    assert in_force(donord) == ("power", "hold") and donord.nr_fds() == fds + 1
    process.kill()
    process.wait()
    until(lambda: modes_held(donord) == [], "the end of the hold")
    assert in_force(donord) == ("balanced", "config") and donord.nr_fds() == fds


def test_a_process_that_became_a_zombie_has_ended(donord, process):
    donord.start()
    pidfd = os.pidfd_open(process.pid)
    donord.hold_process("power", pidfd)
    process.kill()
    until(lambda: modes_held(donord) == [], "the end of the hold, though nobody waited for the process")
    os.close(pidfd)


def test_the_owner_may_end_the_hold_of_a_process_before(donord, process):
    donord.start()
    donord.release_hold(donord.hold("power"))  # a clock that the event loop keeps from then on
    fds = donord.nr_fds()
    pidfd = os.pidfd_open(process.pid)
    donord.release_hold(donord.hold_process("power", pidfd, timeout_usec=60_000_000))
    assert modes_held(donord) == [] and donord.nr_fds() == fds
    os.close(pidfd)


def test_what_is_no_pidfd_of_a_living_process_is_refused(donord, process):
    donord.start()
    donord.release_hold(donord.hold("power"))  # a clock that the event loop keeps from then on
    fds = donord.nr_fds()
    donord.forget()
    ends = os.pipe()
    pidfd = os.pidfd_open(process.pid)
    process.kill()
    process.wait()
    for fd, words in [(ends[0], "not a pidfd"), (pidfd, "ended already")]:
        with pytest.raises(GLib.Error) as refusal:
            donord.hold_process("power", fd)
        assert words in refusal.value.message and INVALID_ARGS in refusal.value.message
        os.close(fd)
    os.close(ends[1])
    assert modes_held(donord) == [] and donord.nr_fds() == fds
    assert donord.changes() == [] and donord.signals == []


def test_what_the_kernel_refuses_is_not_held_nor_released(donord):
    donord.start()
    cookie = donord.hold("performance")
    donord.play("set-params-error", f"{errno.EINVAL}")
    before = donord.properties()
    donord.forget()
    assert donord.refused("HoldMode", "(sssa{sv})", "power", "", "", {}).name == ERROR + "TransitionFailed"
    assert donord.refused("ReleaseHold", "(u)", cookie).name == ERROR + "TransitionFailed"
    assert donord.refused("SetMode", "(sa{sv})", "power", {}).name == ERROR + "TransitionFailed"
    assert donord.properties() == before and donord.signals == [] and donord.changes() == []
    donord.unplay("set-params-error")
    donord.release_hold(cookie)
    assert in_force(donord) == ("balanced", "config")


def test_holds_count_while_detached(donord):
    donord.start()
    donord.detach()
    cookie = donord.hold("power")
    assert (donord.get("Mode"), donord.get("ModeSource")) == ("power", "hold")
    donord.attach()
    assert in_force(donord) == ("power", "hold")
    donord.detach()
    donord.release_hold(cookie)
    donord.attach()
    assert in_force(donord) == ("balanced", "config")


def test_texts_of_full_length_reach_the_reader_whole(donord):
    donord.start()
    reason, application = "ä" * 128, "€" * 85 + "x"
    donord.hold("power", reason, application)
    assert donord.get("ModeReason") == f"by {application} (uid {os.getuid()}): {reason}"
    assert donord.get("Holds")[0]["Reason"] == reason
