# SPDX-License-Identifier: GPL-2.0-only
"""How the scheduler ends, and what the service does then."""

import errno
import os
import signal
import time

import pytest
from gi.repository import Gio, GLib

from harness import ACCESS_DENIED, ERROR, IFACE, NAME, NOBODY, PATH, STATS, until

RESTART = 1 << 48
HOTPLUG = 1 << 32
STALL, SYSRQ, UNREG_KERN = 1026, 67, 66
FAST = "[Restart]\nMinSec=200ms\n"


def list_exits(donord, limit: int = 0) -> list[tuple]:
    return donord.call("ListExits", "(u)", limit)


def report(donord, connection=None) -> str:
    """The text behind the descriptor that Dump returns."""
    reply, files = (connection or donord.client).call_with_unix_fd_list_sync(
        NAME, PATH, STATS, "Dump", None, GLib.VariantType("(h)"), Gio.DBusCallFlags.NONE, 10000, None, None)
    fd = files.get(reply.unpack()[0])
    with pytest.raises(PermissionError):
        os.write(fd, b"forged")
    with open(fd, encoding="ascii") as file:
        return file.read()


def ejected(donord, kind: int, code: int = 0, reason: str = "reason", message: str = "message"):
    """Eject it, and wait until the service has seen it."""
    before = donord.get("LastExit")
    donord.eject(kind, code, reason, message)
    until(lambda: donord.get("LastExit") != before, "the exit")


def test_an_ejection_is_recorded_and_told(donord):
    donord.start()
    donord.forget()
    donord.eject(STALL, 0, "runnable task stall", "kworker/3:1 failed to run for 7.0s")
    donord.wait_state("backoff")
    assert donord.get("LastExit")[1:5] == ("stall", 0, "runnable task stall", "kworker/3:1 failed to run for 7.0s")
    assert "runnable task stall" in donord.get("StateReason") and "after 1.0 s" in donord.get("StateReason")
    assert (donord.get("SchedulerName"), donord.get("DonationEffective"), donord.get("Restarts")) == ("", [], 0)
    wait = donord.get("NextAttemptUSec") - time.monotonic_ns() // 1000
    assert 0 < wait <= 1_000_000
    assert donord.heard() == [("Exited", "stall", 0, "runnable task stall", "kworker/3:1 failed to run for 7.0s", True)]
    assert len(donord.changes()) == 1
    assert "dump: first line of the dump" in donord.logged()
    assert "dump: second line of the dump" in donord.logged()
    assert donord.attaches() == 1 and donord.params() == {}  # our side is closed

    donord.attach()  # a person does not wait
    assert (donord.get("State"), donord.get("NextAttemptUSec"), donord.get("Restarts")) == ("attached", 0, 0)
    assert donord.get("LastExit")[1] == "stall"  # still how it last ended
    time.sleep(1.2)
    assert donord.attaches() == 2  # the attempt that was planned is off


def test_the_pause_doubles_and_the_limit_leaves_the_kernel_its_own_scheduler(donord):
    donord.configure(FAST)
    donord.start()
    donord.set_mode("performance")
    for number, pause in ((1, 0.2), (2, 0.4)):
        donord.forget()
        started = time.monotonic()
        donord.eject(STALL)
        until(lambda: donord.attaches() == number + 1, "the next attempt")
        donord.wait_state("attached")
        assert pause <= time.monotonic() - started < pause + 2
        assert donord.get("Restarts") == number and donord.params()["mode"] == "performance"
        assert [(s[0], s[-1]) for s in donord.heard()] == [("Exited", True), ("Attached", False)]
        assert [c["State"] for c in donord.changes()] == ["backoff", "attaching", "attached"]
    donord.forget()
    ejected(donord, STALL)
    assert donord.get("State") == "failed" and donord.get("NextAttemptUSec") == 0
    for words in ("the last of 3 times", "the kernel's own scheduler stays", "donorctl attach"):
        assert words in donord.get("StateReason")
    assert donord.heard()[0][-1] is False
    time.sleep(1.0)
    assert (donord.get("State"), donord.attaches()) == ("failed", 3)

    donord.attach()  # a new start: the first pause is the shortest again
    ejected(donord, STALL)
    assert "0.2 s" in donord.get("StateReason")


def test_a_scheduler_that_ran_for_long_enough_is_forgiven(donord):
    donord.configure("[Restart]\nMinSec=100ms\nStableSec=1s\nLimit=2\n")
    donord.start()
    for number in range(1, 4):
        time.sleep(1.1)
        ejected(donord, STALL)
        assert "after 0.1 s" in donord.get("StateReason")
        donord.wait_state("attached")
        assert donord.get("Restarts") == number


def test_an_attempt_that_fails_counts_as_an_exit(donord):
    donord.configure(FAST)
    donord.start()
    donord.forget()
    donord.play("attach-error", f"{errno.EIO} the kernel gave it up at once")
    donord.eject(STALL)
    donord.wait_state("failed")
    assert "the kernel gave it up at once; that was the last of 3 times" in donord.get("StateReason")
    assert [c["State"] for c in donord.changes() if "State" in c] == [
        "backoff", "attaching", "backoff", "attaching", "failed"]
    assert donord.get("Restarts") == 2 and len(list_exits(donord)) == 1


def test_what_the_verifier_refuses_is_not_tried_again(donord):
    donord.configure(FAST)
    donord.start()
    donord.play("attach-error", f"{errno.EBADMSG} refused")
    donord.eject(STALL)
    donord.wait_state("failed")
    donord.unplay("attach-error")
    time.sleep(0.8)
    assert (donord.get("State"), donord.get("StateReason"), donord.attaches()) == ("failed", "refused", 1)


def test_detach_ends_the_back_off(donord):
    donord.configure(FAST)
    donord.start()
    ejected(donord, STALL)
    donord.detach()
    assert (donord.get("State"), donord.get("NextAttemptUSec")) == ("detached", 0)
    time.sleep(0.5)
    assert (donord.get("State"), donord.attaches()) == ("detached", 1)
    assert len(list_exits(donord)) == 1  # there was nothing to detach


def test_requests_in_the_back_off_are_kept_for_the_next_attempt(donord):
    donord.configure(FAST)
    donord.start()
    ejected(donord, STALL)
    donord.set_mode("power")
    donord.wait_state("attached")
    assert donord.params()["mode"] == "power"


def test_an_exit_that_asks_for_a_restart_gets_it_at_once_and_always(donord):
    donord.configure("[Restart]\nMinSec=100ms\nMaxSec=200ms\nLimit=1\n")
    donord.start()
    donord.set_mode("performance")
    for number in range(1, 6):
        donord.forget()
        started = time.monotonic()
        donord.eject(UNREG_KERN, RESTART | HOTPLUG, "cpu hotplug", "cpu 5 coming online")
        until(lambda: donord.attaches() == number + 1, "the re-attach")
        donord.wait_state("attached")
        assert time.monotonic() - started >= min(0.1 * (number - 1), 0.2)
        assert donord.params()["mode"] == "performance"
        assert [(s[0], s[-1]) for s in donord.heard()] == [("Exited", True), ("Attached", False)]
        assert [c["State"] for c in donord.changes()] == ["backoff", "attaching", "attached"]
    assert donord.get("Restarts") == 5
    ejected(donord, STALL)  # they did not count against it, but this one is final
    assert donord.get("State") == "failed"


@pytest.mark.parametrize("begin", ["start", "attach", "exit"])
def test_an_attempt_that_a_cpu_interfered_with_is_made_again(donord, begin):
    donord.configure("[Restart]\nLimit=1\n[Scheduler]\nAttach=" + ("yes" if begin == "start" else "no") + "\n")
    if begin == "start":
        donord.play("hotplug")
    donord.start()
    if begin == "attach":
        donord.play("hotplug")
        assert "attached anew at once" in donord.refused("Attach", "(a{sv})", {}).text
    if begin == "exit":
        donord.attach()
        donord.play("hotplug")
        donord.eject(UNREG_KERN, RESTART | HOTPLUG)
    donord.wait_state("attached")
    assert donord.get("Restarts") == (2 if begin == "exit" else 1)
    assert not (donord.kernel / "hotplug").exists()


def test_sysrq_is_an_order_to_stay_away(donord):
    donord.configure(FAST)
    donord.start()
    donord.forget()
    ejected(donord, SYSRQ, RESTART, "disabled by sysrq-S", "")
    assert donord.get("State") == "detached" and "sysrq-S" in donord.get("StateReason")
    assert donord.heard()[0][-1] is False
    time.sleep(0.5)
    assert (donord.get("State"), donord.attaches()) == ("detached", 1)
    assert donord.get("LastExit")[1] == "sysrq"


def test_reset_failed_forgets_and_does_not_attach(donord):
    donord.configure("[Restart]\nMinSec=100ms\nLimit=2\n")
    donord.start()
    ejected(donord, STALL)
    donord.wait_state("attached")
    ejected(donord, STALL)
    assert (donord.get("State"), donord.get("Restarts")) == ("failed", 1)
    donord.reset_failed()
    assert (donord.get("State"), donord.get("Restarts"), donord.attaches()) == ("detached", 0, 2)
    assert "donorctl attach" in donord.get("StateReason")
    donord.attach()
    donord.reset_failed()
    assert donord.get("State") == "attached"
    ejected(donord, STALL)
    donord.reset_failed()
    donord.wait_state("attached")  # the attempt that was planned is made
    ejected(donord, STALL)
    assert donord.get("State") == "backoff"  # and what was before it counts no more


def test_the_history_has_the_latest_first_and_is_bounded(donord):
    donord.configure("[Log]\nKeepExits=3\n")
    donord.start()
    assert list_exits(donord) == []
    for number in range(4):
        ejected(donord, STALL, number, f"reason {number}", "") if number else donord.detach()
        donord.attach()
    assert [e[3] for e in list_exits(donord)] == ["reason 3", "reason 2", "reason 1"]
    assert list_exits(donord)[0] == donord.get("LastExit")
    assert [e[2] for e in list_exits(donord, 2)] == [3, 2]
    assert len(list_exits(donord, 4_000_000_000)) == 3
    donord.detach()
    assert [e[1] for e in list_exits(donord)] == ["unregistered", "stall", "stall"]


def test_what_was_counted_outlasts_a_killed_service(donord):
    donord.configure(FAST)
    donord.start()
    for number in (1, 2):
        ejected(donord, STALL, 0, f"reason {number}")
        donord.wait_state("attached")
        donord.stop(signal.SIGKILL)
        (donord.kernel / "params").unlink()
        donord.notes.clear()
        donord.start()
        assert [e[3] for e in list_exits(donord)] == [f"reason {n}" for n in range(number, 0, -1)]
        assert donord.get("LastExit")[3] == f"reason {number}" and donord.get("Restarts") == number
    assert "first line of the dump" in report(donord)
    ejected(donord, STALL)
    assert donord.get("State") == "failed"


def test_a_reload_changes_how_many_exits_are_kept(donord):
    donord.start()
    for _ in range(3):
        donord.detach()
        donord.attach()
    donord.configure("[Log]\nKeepExits=2\n")
    donord.notes.clear()
    donord.process.send_signal(1)
    until(lambda: "READY=1" in donord.notes, "the end of the reload")
    assert len(list_exits(donord)) == 2


def test_the_report_has_history_and_dump(donord):
    donord.start()
    assert "0 exits" in report(donord) and "no dump" in report(donord)
    ejected(donord, STALL, 0, "runnable task stall", "kworker/3:1")
    donord.attach()
    donord.detach()
    text = report(donord)
    assert text.startswith("2 exits of the scheduler are known")
    assert text.index("unregistered, code 0") < text.index("stall, code 0")
    assert "runnable task stall: kworker/3:1" in text
    assert text.endswith("first line of the dump\nsecond line of the dump\n")


def test_others_may_list_exits_but_not_read_dumps(donord, bus):
    donord.start()
    os.seteuid(NOBODY)
    try:
        nobody = bus.connect()
    finally:
        os.seteuid(0)
    nobody.call_sync(NAME, PATH, IFACE, "ListExits", GLib.Variant("(u)", (0,)), None, 0, 10000, None)
    with pytest.raises(GLib.Error, match=ACCESS_DENIED):
        report(donord, nobody)
    nobody.close_sync(None)


class Logind:
    def __init__(self, bus):
        self.connection = bus.connect()
        self.connection.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
                                  GLib.Variant("(su)", ("org.freedesktop.login1", 4)), None, 0, 5000, None)

    def prepare_for_sleep(self, start: bool):
        self.connection.emit_signal(None, "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep",
                                    GLib.Variant("(b)", (start,)))
        self.connection.flush_sync(None)


@pytest.fixture
def logind(bus):
    logind = Logind(bus)
    yield logind
    logind.connection.close_sync(None)


def test_after_sleep_it_looks_and_attaches_at_once(donord, logind):
    """No announcement comes, as when it was made while everything was frozen."""
    donord.configure("[Restart]\nMinSec=60\nLimit=2\n")
    donord.start()
    for number in range(1, 4):  # and it does not count
        (donord.kernel / "ejected").write_text(f"{STALL}\n0\nreason\nmessage\n")
        logind.prepare_for_sleep(True)
        time.sleep(0.2)
        assert donord.attaches() == number
        logind.prepare_for_sleep(False)
        until(lambda: donord.attaches() == number + 1, "the re-attach")
    donord.wait_state("attached")
    assert donord.get("Restarts") == 3


def test_after_sleep_an_attempt_that_was_planned_is_made(donord, logind):
    donord.configure("[Restart]\nMinSec=60\n")
    donord.start()
    ejected(donord, STALL)
    logind.prepare_for_sleep(False)
    donord.wait_state("attached")


def test_after_sleep_what_was_well_stays(donord, logind):
    donord.start()
    donord.forget()
    logind.prepare_for_sleep(False)
    until(lambda: "woke up" in donord.logged(), "the news")
    assert donord.heard() == [] and donord.changes() == [] and donord.attaches() == 1
    donord.detach()
    logind.prepare_for_sleep(False)
    until(lambda: donord.logged().count("woke up") == 2, "the news")
    assert donord.get("State") == "detached" and donord.attaches() == 1


def test_nobody_else_announces_sleep(donord, bus):
    donord.configure("[Restart]\nMinSec=60\n")
    donord.start()
    ejected(donord, STALL)
    stranger = bus.connect()
    Logind.prepare_for_sleep(type("Stranger", (), {"connection": stranger}), False)
    stranger.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId", None, None, 0,
                       5000, None)
    assert donord.get("State") == "backoff" and "woke up" not in donord.logged()
    stranger.close_sync(None)
