# SPDX-License-Identifier: GPL-2.0-only
"""In the systemd guest, as root: the real donord under the real systemd, D-Bus and kernel."""

import subprocess
import time
from pathlib import Path

import pytest

SCHED_EXT = Path("/sys/kernel/sched_ext")
CPUS = Path("/sys/devices/system/cpu")
BUS = ["org.donor.Scheduler1", "/org/donor/Scheduler1"]


def run(*command, check=True, **options):
    return subprocess.run(command, check=check, text=True, capture_output=True, timeout=120, **options)


def read(path):
    return Path(path).read_text().strip()


def state():
    return read(SCHED_EXT / "state")


def running():
    """Name of the scheduler that the kernel runs, "" for its own."""
    try:
        return read(SCHED_EXT / "root/ops")
    except OSError:
        return ""


def enable_seq():
    return int(read(SCHED_EXT / "enable_seq"))


def call(method, *arguments, check=True):
    return run("busctl", "--timeout=60", "call", *BUS, "org.donor.Scheduler1", method, *arguments, check=check)


def prop(name):
    """A property as busctl prints it, without its type."""
    return run("busctl", "get-property", *BUS, "org.donor.Scheduler1", name).stdout.split(" ", 1)[1].strip().strip('"')


def counters():
    words = run("busctl", "call", *BUS, "org.donor.Scheduler1.Statistics", "GetSnapshot").stdout.split()
    return {name.strip('"'): int(value) for name, value in zip(words[3::2], words[4::2])}


def donations():
    now = counters()
    return now["donate_select_cpu_ok"] + now["donate_enqueue_ok"]


def eventually(condition, what, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.1)


def journal():
    return run("journalctl", "-u", "donord", "--no-pager", "-o", "cat").stdout


@pytest.fixture
def donord():
    """The service, freshly started and attached."""
    run("systemctl", "reset-failed", "donord", check=False)
    run("systemctl", "start", "donord")
    assert prop("State") == "attached", journal()
    yield
    run("systemctl", "stop", "donord")
    assert state() == "disabled"


@pytest.fixture
def load():
    """Workers that sleep and wake, and short-lived ones, all born in the first domain."""
    command = "taskset -p ff $$ >/dev/null; exec stress-ng -q --cpu 4 --cpu-load 70 --fork 2 --fork-max 2"
    worker = subprocess.Popen(["taskset", "1", "sh", "-c", command])
    yield worker
    worker.terminate()
    worker.wait(30)


@pytest.fixture
def rival():
    """Attach another scheduler; call it for the process, which a signal ends."""
    started = []

    def start():
        process = subprocess.Popen(["/in/rival", "/in/rival.bpf.o"], stdout=subprocess.PIPE, text=True)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
