# SPDX-License-Identifier: GPL-2.0-only
"""What `systemctl start donord` promises."""

import signal
import time

from pathlib import Path

import pytest
from conftest import counters, donations, enable_seq, eventually, journal, prop, read, run, running, set_donation, set_mode, set_parameter, state
from gi.repository import GLib


def test_start_attaches_and_stop_detaches():
    run("systemctl", "start", "donord")
    assert running() == "donor"
    assert prop("State") == "attached"
    assert prop("SchedulerName") == "donor"
    run("systemctl", "stop", "donord")
    assert state() == "disabled"


def test_the_service_is_not_root(donord):
    pid = run("systemctl", "show", "-P", "MainPID", "donord").stdout.strip()
    status = read(f"/proc/{pid}/status")
    uids = next(line for line in status.splitlines() if line.startswith("Uid:"))
    assert uids.split()[1:] != ["0"] * 4
    assert "CapBnd:\t000000c000000000" in status  # CAP_PERFMON and CAP_BPF


def test_mode_is_in_force_when_the_call_returns(donord):
    both = ["select-cpu", "enqueue"]
    for mode, hooks in (("power", []), ("performance", both), ("balanced", both)):
        assert set_mode(mode) == mode
        assert prop("Mode") == mode
        assert prop("DonationEffective") == hooks


def test_busctl_as_the_manual_shows_it(donord):
    name = "org.donor.Scheduler1"
    said = run("busctl", "call", name, "/org/donor/Scheduler1", name, "SetMode", "sa{sv}", "power-saver", "0")
    assert said.stdout == 's "power"\n'


def test_a_thousand_changes_never_detach(donord, light_load):
    before, changes = enable_seq(), 0
    while changes < 1000:
        for mode in ("power", "performance", "balanced"):
            set_mode(mode)
        for hook in ("select-cpu", "enqueue"):
            set_donation(hook, bool(changes % 2))
        changes += 5
    assert enable_seq() == before
    assert running() == "donor"


def test_donation_follows_its_switches(donord, load):
    eventually(lambda: donations() > 0, "a donation with both switches on")
    for hook in ("select-cpu", "enqueue"):
        set_donation(hook, False)
    off = donations()
    time.sleep(5)
    assert donations() == off
    set_donation("select-cpu", True)
    eventually(lambda: donations() > off, "a donation with the switch on again")


def test_memory_of_the_idle_service(donord):
    time.sleep(2)
    pid = run("systemctl", "show", "-P", "MainPID", "donord").stdout.strip()
    rss = next(line for line in read(f"/proc/{pid}/status").splitlines() if line.startswith("VmRSS"))
    print(f"idle donord: {rss}")
    assert int(rss.split()[1]) <= 8 * 1024


def test_others_may_look_but_not_touch(donord):
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    assert "attached" in run(*nobody, "donorctl", "--json").stdout
    refused = run(*nobody, "donorctl", "set", "power", check=False)
    assert refused.returncode == 4, refused
    assert prop("Mode") == "balanced"


def test_a_wrong_mode_is_named(donord):
    with pytest.raises(GLib.Error, match="NoSuchMode.*warp.*performance"):
        set_mode("warp")
    assert prop("Mode") == "balanced"


def test_reload_takes_the_new_configuration(donord):
    local = Path("/etc/donor/donor.conf.d/50-test.conf")
    local.parent.mkdir(parents=True, exist_ok=True)
    local.write_text("[PowerProfiles]\nFollow=no\n[Scheduler]\nMode=performance\nColour=blue\n")
    local.parent.chmod(0o755)
    before = enable_seq()
    run("systemctl", "reload", "donord")
    assert prop("Mode") == "performance"
    assert run("systemctl", "is-active", "donord").stdout.strip() == "active"
    assert enable_seq() == before
    assert "50-test.conf:5" in journal()
    local.unlink()


def test_a_parameter_rules_the_kernel_and_survives_the_service(donord):
    """The balance pass counts itself, so its intervals can be heard ticking."""

    def passes_in_three_seconds(interval_ns):
        for name in ("balance_interval_ns", "balance_idle_ns"):
            assert set_parameter(name, interval_ns) == interval_ns
        time.sleep(1)  # a timer that was set before
        before = counters()["balance_passes"]
        time.sleep(3)
        return counters()["balance_passes"] - before

    assert passes_in_three_seconds(20_000_000) > 30
    assert passes_in_three_seconds(1_000_000_000) < 10
    run("systemctl", "restart", "donord")
    assert "value: 1000000000 (ns)" in run("donorctl", "tune", "balance_idle_ns").stdout
    assert "origin: run-time" in run("donorctl", "tune", "balance_idle_ns").stdout
    for name in ("balance_interval_ns", "balance_idle_ns"):
        run("donorctl", "tune", name, "auto")


def test_stress_for_a_minute(donord):
    """All kinds of scheduling at once: no ejection, no stall."""
    before = enable_seq()
    run("stress-ng", "-q", "--timeout", "60", "--cpu", "8", "--fork", "2", "--switch", "4", "--futex", "2",
        "--pipe", "2", "--yield", "2", "--nanosleep", "1", "--affinity", "2", "--sem", "2", "--timer", "1")
    assert enable_seq() == before
    assert prop("State") == "attached", journal()


def test_stop_by_signal_is_clean(donord):
    run("systemctl", "kill", f"--signal={signal.SIGTERM.value}", "donord")
    eventually(lambda: state() == "disabled", "detached")
    eventually(lambda: run("systemctl", "is-active", "donord", check=False).stdout.strip() == "inactive", "inactive")
    run("systemctl", "start", "donord")
