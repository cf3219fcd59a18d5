# SPDX-License-Identifier: GPL-2.0-only
"""What the kernel may do to an attached scheduler, and what it then does."""

import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import CPUS, call, enable_seq, eventually, exits, journal, prop, read, run, running, state
from gi.repository import GLib

LAST = 7
ASKS_FOR_RESTART = 1 << 48  # of an exit code


def online(cpu, on):
    (CPUS / f"cpu{cpu}/online").write_text("1" if on else "0")


def domain_cpus(**options):
    return run("donorctl", "domains", "--json=short", **options).stdout


def test_cpus_may_come_and_go_under_load(donord, load):
    before = enable_seq()
    for _ in range(16):
        for cpu in range(1, LAST + 1):
            online(cpu, False)
        assert read(CPUS / "online") == "0"
        for cpu in range(1, LAST + 1):
            online(cpu, True)
    assert prop("State") == "attached", prop("StateReason")
    assert enable_seq() == before
    # The CPUs are used again, each of them.
    for cpu in range(LAST + 1):
        run("taskset", "-c", str(cpu), "true")


def test_a_cpu_that_was_away_at_attach_is_taken_in():
    online(LAST, False)
    try:
        run("systemctl", "start", "donord")
        before = enable_seq()
        online(LAST, True)
        eventually(lambda: enable_seq() > before and running() == "donor", "attached anew")
        eventually(lambda: prop("State") == "attached", "attached on the bus")
        run("taskset", "-c", str(LAST), "true")
        assert '"4-7"' in domain_cpus()
    finally:
        online(LAST, True)
        run("systemctl", "stop", "donord")


def test_cpus_that_come_one_by_one_under_load_are_taken_in(load):
    """Each runs its own threads before the scheduler is told of it, and asks for a restart: never a fault."""
    strangers = range(4, LAST + 1)
    for cpu in strangers:
        online(cpu, False)
    try:
        run("systemctl", "start", "donord")
        assert prop("State") == "attached", prop("StateReason")
        for cpu in strangers:
            online(cpu, True)
        eventually(lambda: '"4-7"' in domain_cpus(check=False), "all CPUs known", 90)
        assert prop("State") == "attached" and prop("Restarts") >= 1
        assert all(e["code"] & ASKS_FOR_RESTART for e in exits()[: prop("Restarts")]), exits()
    finally:
        for cpu in strangers:
            online(cpu, True)
        run("systemctl", "stop", "donord")


def test_another_scheduler_is_named_and_waited_for(rival):
    other = rival()
    eventually(lambda: running() == "rival", "the rival attached")
    run("systemctl", "start", "donord")
    try:
        assert prop("State") == "conflict"
        assert prop("ForeignScheduler") == "rival"
        assert "rival" in prop("StateReason")
        with pytest.raises(GLib.Error, match="ConflictingScheduler.*rival"):
            call("Attach", "(a{sv})", {})
        assert run("donorctl", "attach", check=False).returncode == 6
        other.kill()
        other.wait()
        eventually(lambda: running() == "donor", "attached once the rival left")
        eventually(lambda: prop("State") == "attached", "attached on the bus")
        assert prop("ForeignScheduler") == ""
    finally:
        run("systemctl", "stop", "donord")


def test_another_scheduler_is_refused_while_donor_runs(donord, rival):
    before = enable_seq()
    assert rival().wait(30) == 16  # EBUSY
    assert enable_seq() == before
    assert prop("State") == "attached"


def test_sysrq_is_an_order(donord):
    with open("/proc/sysrq-trigger", "w", encoding="ascii") as trigger:
        trigger.write("S")
    eventually(lambda: prop("State") == "detached", "detached by sysrq")
    assert "sysrq" in prop("LastExit")[1]
    assert state() == "disabled"
    run("donorctl", "attach")
    assert running() == "donor"


def test_detach_and_attach(donord):
    call("Detach", "(a{sv})", {})
    assert state() == "disabled" and prop("State") == "detached"
    assert prop("DonationEffective") == []
    assert run("donorctl", "get", check=False).returncode == 3
    call("Attach", "(a{sv})", {})
    assert running() == "donor" and prop("State") == "attached"


@contextmanager
def failing(*command):
    """A donord that cannot attach, once it has tried; yields what it says on stderr until then."""
    said = Path("/tmp/said")
    with said.open("w") as stderr, subprocess.Popen(command, stderr=stderr) as service:
        try:
            run("donorctl", "wait", "failed", "--timeout", "60")
            yield said.read_text
        finally:
            service.terminate()
            service.wait(30)
    assert state() == "disabled"


def test_without_privilege_it_says_so():
    with failing("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all", "donord"):
        assert prop("KernelSupport") == "no-privilege"
        assert "CAP_BPF" in prop("StateReason")


def test_what_the_verifier_refuses_is_said():
    with failing("/in/donord-refused") as said:
        assert prop("KernelSupport") == "ok"
        assert prop("StateReason").startswith("The kernel's verifier refused the scheduler: ")
        assert "map_value_or_null" in said()
        with pytest.raises(GLib.Error, match="VerifierRejected"):
            call("Attach", "(a{sv})", {})


@pytest.mark.parametrize(
    "hidden, support", [("/sys/kernel/sched_ext", "no-sched-ext"), ("/sys/kernel/btf", "no-btf")], ids=["sched_ext", "btf"]
)
def test_a_kernel_without_it_is_told(hidden, support):
    """An empty folder in the place of the kernel's: what a kernel that lacks it looks like."""
    run("mount", "-t", "tmpfs", "none", hidden)
    try:
        run("systemctl", "start", "donord")
        assert prop("State") == "unsupported"
        assert prop("KernelSupport") == support
        assert run("donorctl", "attach", check=False).returncode == 5
        run("systemctl", "stop", "donord")
    finally:
        run("umount", hidden)
    assert state() == "disabled"
