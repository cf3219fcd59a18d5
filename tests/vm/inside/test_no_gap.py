# SPDX-License-Identifier: GPL-2.0-only
"""The service is killed, hangs, is restarted and upgraded, and the kernel runs the same scheduler all the while."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import BUS, CPUS, call, counters, enable_seq, eventually, journal, prop, read, run, running, set_mode, state
from gi.repository import Gio, GLib

DONORD = Path("/usr/sbin/donord")
DROP_IN = Path("/run/systemd/system/donord.service.d/50-test.conf")
NR_KEPT = 12  # ten maps, the link, what is carried over
BURST = 12  # StartLimitBurst= of the unit
RATION = 8  # of restarts for a load: service/carried.h


def unit(name, interface="Service"):
    reply = BUS.connection.call_sync(
        "org.freedesktop.systemd1", "/org/freedesktop/systemd1/unit/donord_2eservice", "org.freedesktop.DBus.Properties",
        "Get", GLib.Variant("(ss)", (f"org.freedesktop.systemd1.{interface}", name)), None, Gio.DBusCallFlags.NONE, 60000, None)
    return reply.unpack()[0]


def serves():
    try:
        return unit("ActiveState", "Unit") == "active" and prop("State") == "attached"
    except GLib.Error:  # it goes away between the two
        return False


def replaced(pid):
    eventually(lambda: unit("MainPID") not in (0, pid), f"another process than {pid}")
    return unit("MainPID")


def kill(number=signal.SIGKILL):
    """Returns the pid of the next one, which may still be starting."""
    pid = unit("MainPID")
    os.kill(pid, number)
    return replaced(pid)


def kill_and_wait():
    kill()
    eventually(serves, "the next one serving")


@pytest.fixture
def drop_in():
    """Settings of the unit for this test."""

    def put(text):
        DROP_IN.parent.mkdir(parents=True, exist_ok=True)
        DROP_IN.write_text(text)
        run("systemctl", "daemon-reload")

    yield put
    DROP_IN.unlink(missing_ok=True)
    run("systemctl", "daemon-reload")


@pytest.fixture
def sampler():
    """Call it for what it saw: how many samples, how many of them another scheduler than donor."""
    process = subprocess.Popen(["/in/sampler", "donor"], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    began = time.monotonic()

    def end():
        process.terminate()
        seen = json.loads(process.communicate(timeout=30)[0])
        print(f"sampler: {seen} in {time.monotonic() - began:.1f} s")
        assert seen["samples"] > 100 * (time.monotonic() - began)  # an emulated machine keeps no millisecond
        return seen

    yield end
    process.kill()
    process.wait()


@pytest.fixture
def installed():
    """Install another file as donord, as a package manager does; the first one comes back."""
    first = Path("/tmp/donord.first")
    shutil.copy2(DONORD, first)

    def install(path):
        new = DONORD.with_suffix(".new")
        shutil.copy2(path, new)
        new.rename(DONORD)

    yield install
    install(first)


def test_a_hundred_kills_leave_no_gap(donord, drop_in, light_load, sampler):
    drop_in("[Unit]\nStartLimitIntervalSec=0\n")
    before, since, counted = enable_seq(), prop("AttachedSinceUSec"), counters()
    for number in range(100):
        kill()
        time.sleep(number % 7 * 0.05)  # some are killed before they have begun
        if number % 10 == 9:
            eventually(serves, f"the service after {number + 1} kills")
            now = counters()
            for name in ["task_switches", "balance_passes"]:
                assert now[name] > counted[name]
            counted = now
    assert sampler()["others"] == 0
    assert enable_seq() == before
    assert (prop("Adopted"), prop("AttachedSinceUSec")) == (True, since)
    assert unit("NFileDescriptorStore") == NR_KEPT
    assert set_mode("performance") == "performance"


def test_a_restart_leaves_no_gap(donord, light_load, sampler):
    before = enable_seq()
    for _ in range(2):
        counted = counters()["task_switches"]
        run("systemctl", "restart", "donord")
        assert prop("Adopted") and counters()["task_switches"] > counted
    assert sampler()["others"] == 0
    assert enable_seq() == before


def test_an_upgrade_that_leaves_the_scheduler_alone_leaves_no_gap(donord, installed, sampler):
    before, inode = enable_seq(), DONORD.stat().st_ino
    installed(DONORD)
    assert DONORD.stat().st_ino != inode
    run("systemctl", "daemon-reload")
    run("systemctl", "try-restart", "donord")
    assert prop("Adopted")
    assert sampler()["others"] == 0
    assert enable_seq() == before


def test_an_upgrade_of_the_scheduler_attaches_once_anew_and_says_so(donord, installed, sampler):
    before = enable_seq()
    installed("/in/donord-other")
    run("systemctl", "try-restart", "donord")
    assert (prop("State"), prop("Adopted")) == ("attached", False)
    assert "another version" in prop("StateReason") and "another build" in journal()
    assert enable_seq() == before + 1
    assert sampler()["others"] > 0  # it would see a gap
    assert unit("NFileDescriptorStore") == NR_KEPT
    run("systemctl", "restart", "donord")  # and is adopted by its like
    assert prop("Adopted") and enable_seq() == before + 1


def test_a_hung_service_is_replaced_without_a_gap(donord, drop_in, sampler):
    drop_in("[Service]\nWatchdogSec=4s\n")
    run("systemctl", "restart", "donord")
    before = enable_seq()
    kill(signal.SIGSTOP)
    eventually(serves, "the next one serving")
    assert "watchdog" in run("journalctl", "-u", "donord", "-n", "20", "-o", "cat", "--no-pager").stdout.lower()
    assert sampler()["others"] == 0
    assert prop("Adopted") and enable_seq() == before


def test_stop_detaches_and_leaves_nothing(donord):
    run("systemctl", "stop", "donord")
    assert state() == "disabled"
    assert unit("NFileDescriptorStore") == 0
    assert unit("ActiveState", "Unit") == "inactive"


def test_a_service_that_keeps_dying_is_given_up_with_its_scheduler(donord):
    before = enable_seq()
    for _ in range(BURST - 1):
        kill_and_wait()
    assert enable_seq() == before and running() == "donor"
    os.kill(unit("MainPID"), signal.SIGKILL)
    eventually(lambda: unit("ActiveState", "Unit") == "failed", "the unit failed")
    eventually(lambda: state() == "disabled", "the kernel's own scheduler")
    assert unit("NFileDescriptorStore") == 0


def test_reset_failed_forgets_the_starts_and_nothing_else(donord):
    before = enable_seq()
    for _ in range(2):
        for _ in range(BURST - 2):
            kill_and_wait()
        run("systemctl", "reset-failed", "donord")
        assert unit("NFileDescriptorStore") == NR_KEPT
    assert enable_seq() == before and running() == "donor"


def capabilities():
    """The sets of all threads of the service, without the bounding one."""
    tasks = list(Path(f"/proc/{unit('MainPID')}/task").iterdir())
    lines = [line.split() for task in tasks for line in read(task / "status").splitlines()]
    sets = {name: int(value, 16) for name, value, *_ in (line for line in lines if line[0].startswith("Cap"))}
    assert len([line for line in lines if line[0] == "CapEff:"]) == len(tasks) > 0
    return {value for name, value in sets.items() if name != "CapBnd:"}


def test_capabilities_are_gone_once_it_is_attached(donord):
    pid = unit("MainPID")
    assert capabilities() == {0}
    assert set_mode("performance") == "performance"
    for _ in range(2):
        call("Detach", "(a{sv})", {})
        assert state() == "disabled" and unit("NFileDescriptorStore") == 1
        call("Attach", "(a{sv})", {})
        assert running() == "donor" and unit("NFileDescriptorStore") == NR_KEPT
        begin = counters()
        eventually(lambda begin=begin: counters()["balance_passes"] > begin["balance_passes"], "the timer running again")
    assert unit("MainPID") == pid
    kill_and_wait()
    assert capabilities() == {0}
    call("Detach", "(a{sv})", {})
    call("Attach", "(a{sv})", {})  # of what this process never loaded
    assert running() == "donor"


def test_what_takes_a_load_takes_a_new_process(donord):
    last = CPUS / "cpu7/online"
    pid = unit("MainPID")
    call("Detach", "(a{sv})", {})
    last.write_text("0")
    try:
        assert run("donorctl", "attach").stdout == "attached\n"
        assert running() == "donor" and unit("MainPID") != pid
        assert capabilities() == {0}
        pid = unit("MainPID")
    finally:
        last.write_text("1")
    # A CPU that it does not know: the scheduler asks to be attached anew, and nobody has to ask donord.
    replaced(pid)
    eventually(serves, "attached by the next one")
    assert '"4-7"' in run("donorctl", "domains", "--json=short").stdout
    assert unit("Result") == "success"

    def detach_for_good():
        call("Detach", "(a{sv})", {})
        last.write_text("0")
        last.write_text("1")

    for _ in range(RATION - 2):
        detach_for_good()
        assert run("donorctl", "attach").stdout == "attached\n"
    detach_for_good()
    with pytest.raises(GLib.Error, match="BackedOff"):
        call("Attach", "(a{sv})", {})
