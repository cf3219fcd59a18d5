# SPDX-License-Identifier: GPL-2.0-only
"""The test bed's own tests: what `vm run` promises. Run inside the tree: tree enter pytest tests/vm."""

import contextlib
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
VM = HERE / "vm"
TREE = HERE / "tree"


def vm(*arguments: str | Path, timeout: int = 280) -> subprocess.CompletedProcess:
    return subprocess.run([VM, *map(str, arguments)], capture_output=True, text=True, timeout=timeout, check=False)


def our_processes() -> list[str]:
    """Machines and file servers below this process, in whatever process table."""
    ours = {os.getpid()}
    found = []
    for stat in sorted(Path("/proc").glob("[0-9]*/stat"), key=lambda path: int(path.parent.name)):
        with contextlib.suppress(OSError):
            name, _state, parent = re.search(r"\((.*)\) (\S) (\d+)", stat.read_text()).groups()
            if int(parent) in ours:
                ours.add(int(stat.parent.name))
            if name.startswith(("qemu-system", "virtiofsd")):
                found.append(name)
    return found


def our_groups() -> list[Path]:
    return [path for path in Path("/sys/fs/cgroup").glob("**/donor-vm-*") if path.is_dir()]


def mounts() -> list[str]:
    return [line for line in Path("/proc/mounts").read_text().splitlines() if "donor-vm" in line]


@pytest.fixture(autouse=True)
def nothing_left_behind():
    groups = our_groups()
    yield
    assert our_processes() == []
    assert mounts() == []
    assert set(our_groups()) <= set(groups)


def test_status_and_outputs_pass_through_with_copies_both_ways(tmp_path):
    (tmp_path / "in.txt").write_text("from the host\n")
    result = vm(
        "run", "--topology", "1x1x1", "--copy-in", tmp_path / "in.txt", "--copy-out", tmp_path / "out", "--",
        "sh", "-c", "cat /in/in.txt; echo wrong >&2; echo again > /dev/stderr; mkdir /out/d; seq 3 > /out/d/f; "
        "sleep 1000 & exit 7",
    )  # fmt: skip
    assert (result.returncode, result.stdout) == (7, "from the host\n"), result.stderr
    assert result.stderr.splitlines()[-2:] == ["wrong", "again"]
    assert (tmp_path / "out/d/f").read_text() == "1\n2\n3\n"


def test_binary_output_arrives_whole():
    result = subprocess.run(
        [VM, "run", "--topology", "1x1x1", "--", "sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' '\\377'"],
        capture_output=True, check=False,
    )  # fmt: skip
    assert (result.returncode, len(result.stdout), set(result.stdout)) == (0, 3_000_000, {0xFF}), result.stderr


def test_a_command_that_does_not_end_is_124():
    result = vm("run", "--topology", "1x1x1", "--timeout", "3", "--", "sh", "-c", "echo begun; sleep 1000")
    assert (result.returncode, result.stdout) == (124, "begun\n"), result.stderr
    assert "did not end within 3 s" in result.stderr


@pytest.mark.parametrize(
    "arguments, cause",
    [
        (["--kernel", "/nowhere/vmlinuz"], "there is no kernel image /nowhere/vmlinuz"),
        (["--kernel", "5.10"], "there is no kernel 5.10"),
        (["--kernel", "latest"], "neither a kernel version"),
        (["--kernel", str(HERE / "README.md")], "the VM ended by itself"),
        (["--destdir", "/nowhere"], "/nowhere is not a directory"),
    ],
)
def test_a_vm_that_cannot_be_is_125_with_the_cause(arguments, cause):
    result = vm("run", *arguments, "--", "true")
    assert result.returncode == 125
    assert cause in result.stderr
    assert "Traceback" not in result.stderr


def test_a_fault_of_the_kernel_fails_a_command_that_succeeds():
    result = vm("run", "--topology", "1x1x1", "--", "sh", "-c", "echo '<4>BUG: made by hand' > /dev/kmsg; exit 0")
    assert result.returncode == 125
    assert "BUG: made by hand" in result.stderr


def test_a_panic_is_125_at_once_with_the_oops():
    result = vm("run", "--topology", "1x1x1", "--", "sh", "-c", "echo c > /proc/sysrq-trigger; sleep 1000")
    assert result.returncode == 125
    assert "sysrq triggered crash" in result.stderr


@pytest.mark.parametrize("kernel", ["oldest", "newest"])
def test_the_guest_sees_the_topology_and_sched_ext(kernel):
    show = "cd /sys/devices/system/cpu; cat cpu*/cache/index3/shared_cpu_list | sort -u; echo -; "
    show += "cat cpu*/topology/thread_siblings_list | sort -u; echo -; cat /sys/kernel/sched_ext/state"
    result = vm("run", "--kernel", kernel, "--topology", "2x2x2", "--", "sh", "-c", show)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == "0-3 4-7 - 0-1 2-3 4-5 6-7 - disabled".split()


def test_donor_is_laid_over_the_minimal_guest_with_its_user(tmp_path):
    root = donor_root(tmp_path)
    result = vm("run", "--topology", "1x1x1", "--destdir", root, "--", "sh", "-c", "donor-probe; id -un 'donor'")
    assert (result.returncode, result.stdout) == (0, "donor is here\ndonor\n"), result.stderr


def test_systemd_runs_the_real_services_and_donor_is_laid_over(tmp_path):
    root = donor_root(tmp_path)
    services = ["dbus", "polkit", "upower", "power-profiles-daemon"]
    check = f"systemctl is-active {' '.join(services)}; donor-probe; id -un donor; "
    check += "busctl get-property org.freedesktop.UPower /org/freedesktop/UPower org.freedesktop.UPower DaemonVersion; "
    check += "echo done > /out/mark; exit 9"
    result = vm("run", "--init", "systemd", "--destdir", root, "--copy-out", tmp_path / "out", "--", "sh", "-c", check)
    assert result.returncode == 9, result.stderr
    lines = result.stdout.splitlines()
    assert lines[:6] == ["active"] * 4 + ["donor is here", "donor"]
    assert lines[6].startswith("s ")
    assert (tmp_path / "out/mark").read_text() == "done\n"


def donor_root(directory: Path) -> Path:
    """What `meson install --destdir` would make, in small."""
    root = directory / "root"
    (root / "usr/bin").mkdir(parents=True)
    (root / "usr/bin/donor-probe").write_text("#!/bin/sh\necho donor is here\n")
    (root / "usr/bin/donor-probe").chmod(0o755)
    (root / "usr/lib/sysusers.d").mkdir(parents=True)
    (root / "usr/lib/sysusers.d/donor.conf").write_text('u donor - "donor"\n')
    return root


def test_throttled_siblings_share_a_core():
    """Set: 1.60 and 4. Wide bounds, because on a busy host 1.22 to 1.81 and 3.3 to 5.0 were seen, and
    up to 6 in a round; without the throttle the second is near 2, for two host CPUs do all the work."""
    script = HERE / "guest/spread.sh"
    result = vm("run", "--throttle", "0.15:1.25", "--copy-in", script, "--", "sh", "/in/spread.sh", "15000", "3")
    print(result.stdout)
    assert result.returncode == 0, result.stderr
    pairs, one = map(float, re.search(r"siblings/cores (\S+), one/cores (\S+)", result.stdout).groups())
    assert 1.1 < pairs < 2.4
    assert 2.6 < one < 8


def test_icount_repeats_to_the_nanosecond():
    show = "grep now /proc/timer_list; stress-ng -q --cpu 3 --cpu-ops 6; grep now /proc/timer_list; grep ctxt /proc/stat"
    first, second = (vm("run", "--icount", "--topology", "1x2x1", "--", "sh", "-c", show) for _ in range(2))
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout != ""


def test_turns_are_of_cpus_that_take_turns():
    result = vm("run", "--turns", "--", "true")
    assert result.returncode == 2 and "--turns needs --icount" in result.stderr


def test_a_cpu_that_is_woken_soon_has_its_turn():
    """0.16 ms on average and 0.3 at most; 1.0 and 2.4 without --turns."""
    hogs = "for cpu in 0 2 4 6; do taskset --cpu-list $cpu stress-ng --quiet --nop 1 & done; sleep 0.2; "
    timer = "cyclictest --quiet --policy=other --affinity=7 --interval=2700 --loops=200"
    result = vm("run", "--init", "systemd", "--icount", "--turns", "--", "sh", "-c", hogs + timer)
    late = re.search(r"Avg: *(\d+) Max: *(\d+)", result.stdout)
    assert late, result.stderr
    assert int(late[1]) < 400 and int(late[2]) < 1000


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_of_an_interrupted_run(number):
    arguments = ["run", "--topology", "1x1x1", "--throttle", "0.5:1", "--", "sh", "-c", "echo begun; sleep 1000"]
    child = subprocess.Popen([VM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert child.stdout.readline() == "begun\n"
    assert our_processes() and our_groups()
    child.send_signal(number)
    child.wait(20)
    deadline = time.monotonic() + 10
    while our_processes() and time.monotonic() < deadline:
        time.sleep(0.1)
    if number == signal.SIGKILL:  # nobody was left to remove the group; the next run does
        vm("run", "--topology", "1x1x1", "--throttle", "0.5:1", "--", "true")
