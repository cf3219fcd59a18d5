# SPDX-License-Identifier: GPL-2.0-only
"""The service goes and comes back, and the scheduler stays: descriptors that systemd keeps."""

import errno
import os
import signal
import time

import pytest

from harness import DEADLINE, ERROR, Donord, until

STALL, UNREG_KERN, SYSRQ = 1026, 66, 67
RESTART_STATUS = 75
CARRIED = ["carried"]
RATION = 8  # restarts within five minutes: service/carried.h
KEPT = ["bpf-link", "bpf-memory", *CARRIED]


def keeps(donord: Donord, *names: str) -> bool:
    """systemd keeps one descriptor of each, now or soon: what it is told, it reads when it comes to it."""
    until(lambda: sorted(name for name, fds in donord.store.items() for _ in fds) == sorted(names), f"{names} in the store")
    return True


def ends(donord: Donord) -> int:
    """How it ends by itself, or after a signal, while the bus is served."""
    until(lambda: donord.process.poll() is not None, "the end of the service")
    donord.died()
    return donord.process.returncode


def attached_signals(donord: Donord) -> list[tuple]:
    return [s for s in donord.heard() if s[0] in ("Attached", "Exited")]


def test_a_killed_service_finds_its_scheduler_attached(donord):
    donord.start()
    donord.set_mode("performance")
    before = donord.properties(), donord.snapshot(), int(donord.params()["generation"])
    assert keeps(donord, *KEPT)
    donord.forget()
    donord.kill()
    assert donord.params()["mode"] == "performance"

    donord.start_again()
    assert (donord.attaches(), donord.loads()) == (1, 1)
    assert attached_signals(donord) == [("Attached", "donor", True)]
    now = donord.properties()
    assert (now["State"], now["Adopted"], before[0]["Adopted"]) == ("attached", True, False)
    assert "stayed attached" in now["StateReason"]
    assert now["AttachedSinceUSec"] == before[0]["AttachedSinceUSec"]
    assert donord.snapshot()["task_switches"] > before[1]["task_switches"]
    # What holds now is in force, as the next generation.
    assert donord.params()["mode"] == now["Mode"] == "performance"
    assert int(donord.params()["generation"]) == before[2] + 1
    assert keeps(donord, *KEPT)

    donord.set_mode("balanced")
    donord.kill()
    donord.start_again()
    assert (donord.attaches(), donord.get("Adopted")) == (1, True)
    donord.detach()
    assert (donord.params(), donord.get("Adopted"), donord.get("AttachedSinceUSec")) == ({}, False, 0)


def test_an_ejection_while_nobody_served_is_told(donord):
    donord.configure("[Restart]\nLimit=1\n")
    donord.play("drops-privileges")
    donord.start()
    donord.forget()
    donord.kill()
    donord.eject(STALL, 0, "runnable task stall", "while away")
    donord.start_again()
    until(lambda: donord.get("State") == "failed", "the news")
    assert donord.get("LastExit")[1:5] == ("stall", 0, "runnable task stall", "while away")
    assert attached_signals(donord) == [("Exited", "stall", 0, "runnable task stall", "while away", False)]
    assert "while away" in donord.logged()
    assert (donord.params(), donord.attaches()) == ({}, 1)  # the stale link is gone
    assert keeps(donord, *CARRIED)
    donord.attach()  # which this process has its capabilities for
    assert (donord.get("State"), donord.loads()) == ("attached", 2)


def test_sysrq_while_nobody_served_is_obeyed(donord):
    donord.start()
    donord.kill()
    donord.eject(SYSRQ, 0, "disabled by sysrq-S", "")
    donord.start_again()
    donord.wait_state("detached")
    assert donord.attaches() == 1
    donord.kill()
    donord.start_again()  # and is still
    assert donord.get("State") == "detached" and "sysrq-S" in donord.get("StateReason")
    assert donord.attaches() == 1


def test_another_build_attaches_anew_and_says_so(donord):
    donord.play("build", "one\n")
    donord.start()
    donord.forget()
    donord.kill()
    donord.play("build", "two\n")
    donord.start_again()
    assert (donord.attaches(), donord.loads()) == (2, 2)
    assert attached_signals(donord) == [("Attached", "donor", False)]
    assert donord.get("Adopted") is False and "another version" in donord.get("StateReason")
    assert "another build" in donord.logged()
    assert keeps(donord, *KEPT)
    donord.kill()
    donord.start_again()
    assert donord.get("Adopted") is True


@pytest.mark.parametrize("attach", ["yes", "no"])
def test_another_build_that_cannot_be_loaded_leaves_nothing_attached(donord, attach):
    donord.configure(f"[Scheduler]\nAttach={attach}\n")
    donord.start()
    donord.attach()
    donord.kill()
    donord.drop("carried")  # the other build may not carry anything that we can read
    donord.play("build", "two\n")
    donord.play("attach-error", f"{errno.EBADMSG} refused")
    donord.start_again()
    assert (donord.get("State"), donord.get("StateReason")) == ("failed", "refused")
    assert donord.params() == {} and keeps(donord, *CARRIED)


def test_maps_without_a_link_are_of_no_use(donord):
    donord.start()
    donord.drop("bpf-link")
    donord.kill()
    donord.start_again()
    assert (donord.attaches(), donord.get("Adopted")) == (2, False)
    assert keeps(donord, *KEPT)


def test_nonsense_in_the_store_is_passed_over(donord):
    fd = os.memfd_create("nonsense")
    os.write(fd, b"\xff" * 10)
    donord.store = {"carried": [fd], "bpf-strange": [os.dup(fd)], "other": [os.dup(fd)]}
    donord.start()
    assert (donord.get("State"), donord.attaches()) == ("attached", 1)
    assert keeps(donord, *KEPT, "other")
    assert os.fstat(donord.store["carried"][0]).st_size > 10


def test_a_stop_detaches_and_leaves_nothing(donord):
    donord.start()
    donord.forget()
    donord.process.send_signal(signal.SIGTERM)
    assert ends(donord) == 0
    until(lambda: donord.signals, "the last signal")
    assert [s[:2] for s in donord.signals if s[0] == "Exited"] == [("Exited", "unregistered")]
    assert donord.params() == {} and keeps(donord, *CARRIED)


@pytest.mark.parametrize("job, stays", [("restart", True), ("stop", False), ("", False)])
def test_a_restart_keeps_it_and_a_stop_does_not(donord, systemd, job, stays):
    systemd["job"] = job
    donord.start()
    donord.process.send_signal(signal.SIGTERM)
    assert ends(donord) == 0
    assert bool(donord.params()) == stays
    assert ("leaving the scheduler attached" in donord.logged()) == stays
    donord.start_again()
    assert (donord.attaches(), donord.get("Adopted")) == (1 if stays else 2, stays)


def test_detached_on_request_outlasts_a_crash_but_not_a_restart(donord, systemd):
    donord.start()
    donord.detach()
    reason = donord.get("StateReason")
    donord.kill()
    donord.start_again()
    assert (donord.get("State"), donord.get("StateReason"), donord.attaches()) == ("detached", reason, 1)
    donord.process.send_signal(signal.SIGTERM)
    ends(donord)
    donord.start_again()
    assert (donord.get("State"), donord.attaches()) == ("attached", 2)


def test_a_conflict_is_waited_out_by_the_next_one(donord):
    donord.configure("[Scheduler]\nAttach=no\n")
    donord.play("foreign", "scx_other\n")
    donord.start()
    donord.refused("Attach", "(a{sv})", {})
    donord.kill()
    donord.start_again()
    donord.wait_state("conflict")
    donord.unplay("foreign")
    donord.wait_state("attached")


def test_without_capabilities_the_same_object_is_attached_again(donord):
    donord.play("drops-privileges")
    donord.start()
    assert donord.set_mode("power") == "power"
    for rounds in range(2, 4):
        donord.detach()
        assert donord.params() == {} and keeps(donord, *CARRIED)
        donord.attach()
        assert (donord.attaches(), donord.loads()) == (rounds, 1)
        assert keeps(donord, *KEPT)
    donord.eject(SYSRQ)
    donord.wait_state("detached")
    donord.attach()
    assert (donord.get("State"), donord.loads()) == ("attached", 1)
    donord.kill()
    donord.start_again()  # this one never loaded anything
    donord.detach()
    donord.attach()
    assert (donord.get("State"), donord.attaches(), donord.loads()) == ("attached", 5, 1)


def break_by_error(donord):
    donord.eject(STALL)
    donord.wait_state("failed")


def break_by_hotplug(donord):
    donord.detach()
    donord.play("hotplug-seq", "7\n")


@pytest.mark.parametrize("breaks", [break_by_error, break_by_hotplug])
def test_what_takes_a_load_takes_a_restart(donord, breaks):
    donord.configure("[Scheduler]\nAttach=no\n[Restart]\nLimit=1\n")
    donord.play("drops-privileges")
    donord.start()
    donord.attach()
    breaks(donord)
    donord.forget()
    refusal = donord.refused("Attach", "(a{sv})", {})
    assert refusal.name == ERROR + "Restarting" and "donorctl wait attached" in refusal.text
    assert ends(donord) == RESTART_STATUS
    donord.start_again()
    assert (donord.get("State"), donord.attaches(), donord.loads()) == ("attached", 2, 2)
    assert attached_signals(donord) == [("Attached", "donor", False)]


def test_attaching_after_a_pause_takes_a_restart_too(donord):
    donord.play("drops-privileges")
    donord.start()
    donord.eject(STALL)
    donord.wait_state("backoff")
    assert ends(donord) == RESTART_STATUS
    donord.start_again()
    assert (donord.get("State"), donord.attaches(), donord.loads()) == ("attached", 2, 2)
    assert donord.get("Restarts") == 1


def test_restarts_for_a_load_are_rationed(donord):
    donord.configure("[Restart]\nLimit=1\n")
    donord.play("drops-privileges")
    donord.start()
    for _ in range(RATION):
        break_by_error(donord)
        donord.refused("Attach", "(a{sv})", {})
        assert ends(donord) == RESTART_STATUS
        donord.start_again()
    break_by_error(donord)
    refusal = donord.refused("Attach", "(a{sv})", {})
    assert refusal.name == ERROR + "BackedOff" and "systemctl restart donord" in refusal.text
    assert 250 < int(refusal.text.split(" in ")[1].split()[0]) <= 301
    time.sleep(0.3)
    assert donord.process.poll() is None
    assert (donord.get("State"), donord.get("StateReason")) == ("failed", refusal.text)
    donord.reset_failed()  # a person says that it may
    assert donord.refused("Attach", "(a{sv})", {}).name == ERROR + "Restarting"
    assert ends(donord) == RESTART_STATUS
    donord.start_again()
    assert donord.get("State") == "attached"


def test_without_the_bus_it_fails_and_leaves_it_attached(bus, donord):
    own = type(bus)()
    donord.bus = own
    donord.process = donord.spawn()
    until(lambda: "READY=1" in donord.notes, "READY=1")
    own.close()
    assert donord.process.wait(DEADLINE) == 1  # systemd starts it again
    donord.died()
    donord.bus = bus
    donord.start_again()
    assert (donord.get("State"), donord.get("Adopted"), donord.attaches()) == ("attached", True, 1)
