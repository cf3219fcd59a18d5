# SPDX-License-Identifier: GPL-2.0-only
"""The scheduler ends, is attached again, or stays away: the real service with the real kernel."""

import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import BUS, NAME, PATH, end, enable_seq, eventually, exits, journal, prop, read, run, running, state
from gi.repository import Gio, GLib

DROPIN = Path("/run/systemd/system/donord.service.d/test.conf")
LOCAL = Path("/etc/donor/donor.conf.d/60-test.conf")


@contextmanager
def configured(unit="", settings=""):
    """The unit and the configuration changed as said; the service is stopped at the end."""
    for path, text in ((DROPIN, unit), (LOCAL, settings)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.parent.chmod(0o755)
        path.write_text(text)
    run("systemctl", "daemon-reload")
    try:
        yield
    finally:
        run("systemctl", "stop", "donord")
        DROPIN.unlink()
        LOCAL.unlink()
        run("systemctl", "daemon-reload")
        assert state() == "disabled"


@contextmanager
def signals(member):
    """A function that returns what the service has announced so far."""
    heard = []
    number = BUS.connection.signal_subscribe(None, NAME, member, PATH, None, Gio.DBusSignalFlags.NONE,
                                             lambda *words: heard.append(words[-1].unpack()))

    def so_far():
        while GLib.MainContext.default().iteration(False):
            pass
        return heard

    try:
        yield so_far
    finally:
        BUS.connection.signal_unsubscribe(number)


def start():
    run("systemctl", "reset-failed", "donord", check=False)
    run("systemctl", "start", "donord")


@pytest.fixture
def lost_task(tmp_path):
    """Start a task that donord-stalling's scheduler loses whenever it wakes."""
    script = tmp_path / "donor-stall"
    script.write_text("#!/bin/sh\nwhile :; do sleep 0.2; done\n")
    script.chmod(0o755)
    started = []

    def begin():
        started.append(subprocess.Popen([script]))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.wait(60)


def check_first_ejection():
    last = exits()[0]
    assert last["kind"] == "stall" and "stall" in last["reason"] and "donor-stall" in last["message"], last
    assert last["attached_usec"] > 5_000_000
    assert "donor-stall" in prop("StateReason")
    report = run("donorctl", "exits", "--dump").stdout
    assert "donor: mode 1" in report and "donor-stall" in report.partition("dump of")[2]
    assert "donor-stall" in journal()


def test_a_stall_is_ejected_retried_and_given_up(lost_task):
    """Three times the kernel's watchdog, after 10 to 15 seconds each."""
    with configured("[Service]\nExecStart=\nExecStart=/in/donord-stalling\n", "[Restart]\nMinSec=4\n"):
        start()
        assert prop("State") == "attached", journal()
        task = lost_task()
        eventually(lambda: prop("State") == "backoff", "the first ejection", 60)
        assert state() == "disabled" and running() == ""
        check_first_ejection()
        eventually(lambda: prop("State") == "attached", "attached again", 60)
        assert running() == "donor" and prop("Restarts") == 1
        eventually(lambda: prop("State") == "failed", "given up", 120)
        assert state() == "disabled" and [e["kind"] for e in exits()] == ["stall"] * 3
        assert prop("Restarts") == 2 and "last of 3 times" in prop("StateReason")

        end(task)  # the kernel's own scheduler runs it
        run("donorctl", "reset-failed")
        assert prop("State") == "detached" and state() == "disabled"
        run("donorctl", "attach")
        assert running() == "donor" and prop("State") == "attached"


def test_the_boot_guard():
    """A unit that fails loses its runtime directory, as at a boot: what is left is on the disk."""
    with configured("[Service]\nRestart=no\n"):
        for _ in range(2):
            start()
            assert prop("State") == "attached", journal()
            run("systemctl", "kill", "--signal=KILL", "donord")
            eventually(lambda: run("systemctl", "is-active", "donord", check=False).stdout == "failed\n", "its end")
            eventually(lambda: state() == "disabled", "detached")
        start()
        assert prop("State") == "failed" and "boot guard" in prop("StateReason"), journal()
        assert state() == "disabled"
        run("donorctl", "reset-failed")
        assert prop("State") == "detached"
        run("systemctl", "restart", "donord")
        assert prop("State") == "attached" and running() == "donor"


def test_donor_off_on_the_command_line(tmp_path):
    """Seen through the unit's sandbox, in which there is no /proc/cmdline."""
    line = tmp_path / "cmdline"
    line.write_text(read("/proc/cmdline") + " donor.off\n")
    line.chmod(0o444)
    run("mount", "--bind", line, "/proc/cmdline")
    try:
        with configured():
            start()
            assert prop("State") == "failed" and "donor.off" in prop("StateReason"), journal()
            assert state() == "disabled"
            run("donorctl", "attach")
            assert running() == "donor"
    finally:
        run("umount", "/proc/cmdline")


def test_the_service_behind_another_scheduler_is_named():
    run("systemctl", "reset-failed", "donord", check=False)
    run("systemd-run", "--unit=scx", "/in/rival", "/in/rival.bpf.o")
    try:
        eventually(lambda: running() == "rival", "the rival attached")
        with signals("Conflict") as told:
            run("systemctl", "start", "donord")
            eventually(lambda: "scx.service" in prop("StateReason"), "the owner's name")
            assert prop("State") == "conflict" and prop("ForeignScheduler") == "rival"
            run("systemctl", "stop", "scx")
            eventually(lambda: prop("State") == "attached" and running() == "donor", "attached once it left")
            eventually(lambda: len(told()) == 2, "both signals")
            assert told() == [("rival", False), ("rival", True)]
    finally:
        run("systemctl", "stop", "scx", check=False)
        run("systemctl", "stop", "donord")


def test_sleep_and_resume(donord):
    """The kernel freezes all tasks and thaws them; the guest's devices do not survive more."""
    levels = Path("/sys/power/pm_test")
    before, attached = enable_seq(), prop("AttachedSinceUSec")
    told = journal().count("woke up")
    levels.write_text("freezer")
    try:
        run("systemctl", "suspend")
        eventually(lambda: journal().count("woke up") > told, "the resume", 90)
    finally:
        levels.write_text("none")
    eventually(lambda: prop("State") == "attached", "attached after resume", 60)
    assert running() == "donor", journal()
    if enable_seq() != before:  # ejected: then it was said, and attached anew
        assert exits() and prop("AttachedSinceUSec") > attached
