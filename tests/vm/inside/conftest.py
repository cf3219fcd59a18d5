# SPDX-License-Identifier: GPL-2.0-only
"""In the systemd guest, as root: the real donord under the real systemd, D-Bus and kernel."""

import json
import subprocess
import time
from pathlib import Path

import pytest
from gi.repository import Gio, GLib

SCHED_EXT = Path("/sys/kernel/sched_ext")
CPUS = Path("/sys/devices/system/cpu")
NAME = "org.donor.Scheduler1"
PATH = "/org/donor/Scheduler1"


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


class Bus:
    """One connection for all: a busctl for each call costs a second in a guest without KVM."""

    def __init__(self):
        self.connection = Gio.bus_get_sync(Gio.BusType.SYSTEM)

    def call(self, interface, method, arguments=None):
        reply = self.connection.call_sync(NAME, PATH, interface, method, arguments, None, Gio.DBusCallFlags.NONE, 60000)
        return reply.unpack()


BUS = Bus()


def call(method, signature="()", *arguments):
    return BUS.call(NAME, method, GLib.Variant(signature, arguments) if arguments else None)


def set_mode(mode):
    return call("SetMode", "(sa{sv})", mode, {})[0]


def set_donation(hook, on):
    call("SetDonation", "(sba{sv})", hook, on, {})


def set_parameter(name, value, **options):
    return call("SetParameter", "(sta{sv})", name, value, options)[0]


def prop(name):
    return BUS.call("org.freedesktop.DBus.Properties", "Get", GLib.Variant("(ss)", (NAME, name)))[0]


def counters():
    return BUS.call(f"{NAME}.Statistics", "GetSnapshot")[1]


def donations():
    now = counters()
    return now["donate_select_cpu_ok"] + now["donate_enqueue_ok"]


AWAY = ("NameHasNoOwner", "ServiceUnknown", "NoSuchUnit", "NoReply", "Disconnected")


def holds(condition):
    """A service that is being restarted says nothing yet."""
    try:
        return condition()
    except GLib.Error as error:
        if not any(word in error.message for word in AWAY):
            raise
        return False


def eventually(condition, what, seconds=30):
    deadline = time.monotonic() + seconds
    while not holds(condition):
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.1)


def exits():
    return json.loads(run("donorctl", "exits", "--json=short").stdout)["exits"]


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


def born_on_cpu_0(*arguments):
    """stress-ng with workers that are all born in the first domain and may go anywhere."""
    command = "taskset -p ff $$ >/dev/null; exec stress-ng -q " + " ".join(arguments)
    return subprocess.Popen(["taskset", "1", "sh", "-c", command])


def end(worker):
    worker.terminate()
    worker.wait(30)


@pytest.fixture
def load():
    """Workers that sleep and wake, and short-lived ones."""
    worker = born_on_cpu_0("--cpu 4 --cpu-load 70 --fork 2 --fork-max 2")
    yield worker
    end(worker)


@pytest.fixture
def light_load():
    """One core's worth: each call of the service takes a fifth of a second beside the other one."""
    worker = born_on_cpu_0("--cpu 2 --cpu-load 50")
    yield worker
    end(worker)


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
