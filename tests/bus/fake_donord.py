# SPDX-License-Identifier: GPL-2.0-only
"""A service and a bus of the tests' own, for the real donorctl.

The double is made from the interface XML and from the tables of counters and knobs, so it has the
members, the types and the names that the real service has. What it answers is up to each test.
"""

import json
import os
import pathlib
import re
import stat
import subprocess
import tempfile
import threading

import gi
import pytest

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("DONOR_BUILD", SOURCE / "build")).resolve()
DONORCTL = BUILD / "client/donorctl"
XML = (SOURCE / "dbus/org.donor.Scheduler1.xml").read_text()
NAME = "org.donor.Scheduler1"
PATH = "/org/donor/Scheduler1"
ERROR = NAME + ".Error."
FREEDESKTOP = "org.freedesktop.DBus.Error."

COUNTERS = dict(re.findall(r'^COUNTER\((\w+), "(.*)"\)$',
                           (SOURCE / "bpf/counters.def").read_text(), re.M))
KNOBS = re.findall(r'^KNOB\((\w+), "\w+", \d+, \d+, (\d+), (\d+), (\d+),',
                   (SOURCE / "bpf/knobs.def").read_text(), re.M)
BOUNDS = {name: (unit, int(least), int(most)) for name, unit, least, most in re.findall(
    r'^KNOB\((\w+), "([^"]+)", (\d+), (\d+),', (SOURCE / "bpf/knobs.def").read_text(), re.M)}
MODES = ["power", "balanced", "performance"]

READ_VERBS = [["status"], ["get"], ["holds"], ["modes"], ["donation"], ["donation", "enqueue"], ["stats"],
              ["stats", "--cpu"], ["domains"], ["tune"], ["tune", "steal"], ["exits"], ["config"]]


class BusError(Exception):
    pass


class FakeService:
    """Runs in a thread of its own. Tests set its attributes; it never changes State by itself."""

    def __init__(self, address, xml=XML):
        self.state = {
            "Version": ("s", "1.2.3"),
            "KernelSupport": ("s", "ok"),
            "State": ("s", "attached"),
            "StateReason": ("s", "Attached on request."),
            "SchedulerName": ("s", "donor"),
            "ForeignScheduler": ("s", ""),
            "Mode": ("s", "balanced"),
            "ModeSource": ("s", "config"),
            "ModeReason": ("s", "Mode=balanced in the configuration"),
            "ModeBeneath": ("(sss)", ("balanced", "config", "Mode=balanced in the configuration")),
            "Override": ("a{sv}", {}),
            "Holds": ("aa{sv}", []),
            "DefaultMode": ("s", "balanced"),
            "Modes": ("aa{sv}", [self.mode(i) for i in range(len(MODES))]),
            "FollowPowerProfiles": ("b", True),
            "PowerProfile": ("s", ""),
            "PowerProfilesProvider": ("s", ""),
            "PerformanceDegraded": ("s", ""),
            "OnBattery": ("b", False),
            "DonationSelectCpu": ("b", True),
            "DonationEnqueue": ("b", False),
            "DonationEffective": ("as", ["select-cpu"]),
            "ConfigFiles": ("as", ["/etc/donor/donor.conf"]),
            "LastExit": ("(tsxsst)", (0, "", 0, "", "", 0)),
            "AttachedSinceUSec": ("t", 1_000_000),
            "Restarts": ("u", 0),
            "NextAttemptUSec": ("t", 0),
            "Adopted": ("b", False),
            "CounterDescriptions": ("a{s(ss)}", {n: ("events", t) for n, t in COUNTERS.items()}),
        }
        self.monotonic = 1_000_000 + (2 * 3600 + 14 * 60) * 1_000_000
        self.snapshots = 0
        self.parameters = [(name, least, least, most, most, unit, "default", f"What {name} is for")
                           for name, (unit, least, most) in BOUNDS.items()]
        self.configuration = [("Scheduler", "Mode", "power", "/etc/donor/donor.conf:2"),
                              ("Scheduler", "Attach", "yes", "default")]
        self.warnings = []
        self.effective = None  # what SetParameter answers, instead of the value
        self.domains = [self.domain("0-3", 0), self.domain("4-7", 1)]
        self.exits = []
        self.report = "a report\n"
        self.errors = {}  # method: name and message
        self.silent = set()  # methods that get no answer
        self.vanish = set()  # methods that end the service
        self.calls = []
        self.interactive = set()  # methods that were called with leave to ask for a password
        self.reads = 0  # of the property State
        self.held = []
        self.connection = Gio.DBusConnection.new_for_address_sync(
            address, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT
            | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
        self.context = GLib.MainContext()
        self.loop = GLib.MainLoop(self.context)
        self.is_ready = threading.Event()
        self.thread = threading.Thread(target=self.run, args=(xml,), daemon=True)
        self.thread.start()
        assert self.is_ready.wait(10)

    @staticmethod
    def mode(index):
        return {"Name": GLib.Variant("s", MODES[index]),
                "Description": GLib.Variant("s", f"What {MODES[index]} is for"),
                "Parameters": GLib.Variant("a{st}", {k[0]: int(k[1 + index]) for k in KNOBS})}

    @staticmethod
    def domain(cpus, index):
        numbers = {"Cores": 2, "Kind": 0, "Node": index, "Online": 4, "Active": 4, "IdleCores": 1, "IdleCpus": 3}
        totals = {"Load": 2048, "Pressure": 512 + 256 * index, "Queued": 5 + index, "Given": 70 + index, "Taken": 80 + index,
                  "Stolen": 90 + index}
        return {"Cpus": GLib.Variant("s", cpus),
                **{k: GLib.Variant("u", v) for k, v in numbers.items()},
                **{k: GLib.Variant("t", v) for k, v in totals.items()}}

    def run(self, xml):
        self.context.push_thread_default()
        for interface in Gio.DBusNodeInfo.new_for_xml(xml).interfaces if xml else []:
            self.connection.register_object(PATH, interface, self.on_call, self.on_get, None)
        self.own_name(NAME)
        self.is_ready.set()
        self.loop.run()
        self.context.pop_thread_default()

    def own_name(self, name):
        reply = self.connection.call_sync(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
            GLib.Variant("(su)", (name, 4)), None, Gio.DBusCallFlags.NONE, 5000, None)
        assert reply.unpack() == (1,)

    def stop(self):
        if not self.connection.is_closed():
            self.connection.close_sync(None)
        self.loop.quit()
        self.thread.join(10)

    def set(self, **values):
        for name, value in values.items():
            self.state[name] = (self.state[name][0], value)

    def announce(self, **values):
        """Only tells: the properties keep their values."""
        changed = {n: GLib.Variant(self.state[n][0], v) for n, v in values.items()}
        self.connection.emit_signal(None, PATH, "org.freedesktop.DBus.Properties",
                                    "PropertiesChanged",
                                    GLib.Variant("(sa{sv}as)", (NAME, changed, [])))
        self.connection.flush_sync(None)

    def on_get(self, connection, sender, path, interface, name):
        self.reads += name == "State"
        return GLib.Variant(*self.state[name])

    def on_call(self, connection, sender, path, interface, method, parameters, invocation):
        self.calls.append((method, *parameters.unpack()))
        if invocation.get_message().get_flags() & Gio.DBusMessageFlags.ALLOW_INTERACTIVE_AUTHORIZATION:
            self.interactive.add(method)
        if method in self.vanish:
            connection.close_sync(None)
        elif method in self.silent:
            self.held.append(invocation)
        elif method in self.errors:
            invocation.return_dbus_error(*self.errors[method])
        elif method == "Dump":
            self.return_report(invocation)
        else:
            invocation.return_value(getattr(self, method)(*parameters.unpack()))

    def return_report(self, invocation):
        with tempfile.TemporaryFile("w+") as file:
            file.write(self.report)
            file.seek(0)
            files = Gio.UnixFDList.new_from_array([os.dup(file.fileno())])
            invocation.return_value_with_unix_fd_list(GLib.Variant("(h)", (0,)), files)

    def SetMode(self, mode, options):
        self.set(Mode=mode.replace("power-saver", "power").replace("powersave", "power"))
        return GLib.Variant("(s)", (self.state["Mode"][1],))

    def ReleaseOverride(self):
        self.set(Override={})
        return GLib.Variant("(s)", (self.state["Mode"][1],))

    def SetDonation(self, hook, on, options):
        name = {"select-cpu": "DonationSelectCpu", "enqueue": "DonationEnqueue"}[hook]
        self.set(**{name: True if options.get("follow-mode") else on})

    def GetParameters(self):
        return GLib.Variant("(a(sttttsss))", (self.parameters,))

    def SetParameter(self, name, value, options):
        return GLib.Variant("(t)", (value if self.effective is None else self.effective,))

    def GetConfiguration(self):
        return GLib.Variant("(a(ssss))", (self.configuration,))

    def Reload(self):
        return GLib.Variant("(as)", (self.warnings,))

    def Attach(self, options):
        self.set(State="attached")

    def Detach(self, options):
        self.set(State="detached")

    def ResetFailed(self):
        self.set(State="detached")

    def ListExits(self, limit):
        return GLib.Variant("(a(tsxsst))", (self.exits,))

    def counters(self, extra=0):
        """Each counter has its own value and grows by it with each snapshot."""
        return {n: (i + 1) * self.snapshots + extra for i, n in enumerate(COUNTERS)}

    def tick(self):
        self.snapshots += 1
        self.monotonic += 2_000_000
        return self.monotonic

    def GetSnapshot(self):
        return GLib.Variant("(ta{st})", (self.tick(), self.counters()))

    def GetPerCpu(self):
        return GLib.Variant("(taa{st})", (self.tick(), [self.counters(1000 * c) for c in range(3)]))

    def GetDomains(self):
        return GLib.Variant("(taa{sv})", (self.monotonic, self.domains))


class FakeSystemd(FakeService):
    """Knows the units that doctor asks for, and which of them are active."""

    XML = """<node><interface name="org.freedesktop.systemd1.Manager">
      <method name="ListUnitsByNames"><arg type="as" direction="in"/>
      <arg type="a(ssssssouso)" direction="out"/></method></interface></node>"""

    def __init__(self, address, active):
        self.active = active
        super().__init__(address, self.XML)

    def run(self, xml):
        self.context.push_thread_default()
        self.connection.register_object("/org/freedesktop/systemd1",
                                        Gio.DBusNodeInfo.new_for_xml(xml).interfaces[0],
                                        self.on_call, None, None)
        self.own_name("org.freedesktop.systemd1")
        self.is_ready.set()
        self.loop.run()

    def ListUnitsByNames(self, names):
        rows = [(n, "", "loaded", "active" if n in self.active else "inactive", "", "", "/", 0, "",
                 "/") for n in names]
        return GLib.Variant("(a(ssssssouso))", (rows,))


BUS_CONFIG = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={directory}/socket</listen>
  <servicedir>{directory}/services</servicedir>
  <policy context="default">
    <allow user="*"/><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>
  </policy>
</busconfig>
"""


class Bus:
    """A private bus, on which starting donord leaves a mark and fails."""

    def __init__(self, directory):
        self.mark = directory / "donord-was-started"
        self.address = f"unix:path={directory}/socket"
        (directory / "services").mkdir()
        (directory / "services" / f"{NAME}.service").write_text(
            f"[D-BUS Service]\nName={NAME}\nExec=/bin/sh -c 'touch {self.mark}; exit 1'\n")
        config = directory / "bus.conf"
        config.write_text(BUS_CONFIG.format(directory=directory))
        self.daemon = subprocess.Popen(
            ["dbus-daemon", f"--config-file={config}", "--nofork", "--nopidfile",
             "--print-address"], stdout=subprocess.PIPE)
        assert self.daemon.stdout.readline()

    def stop(self):
        self.daemon.terminate()
        self.daemon.wait(10)
        self.daemon.stdout.close()


@pytest.fixture(scope="module")
def one_bus(tmp_path_factory):
    bus = Bus(tmp_path_factory.mktemp("bus"))
    yield bus
    bus.stop()


@pytest.fixture
def bus(one_bus):
    one_bus.mark.unlink(missing_ok=True)
    return one_bus


@pytest.fixture
def service(bus):
    fake = FakeService(bus.address)
    yield fake
    fake.stop()


@pytest.fixture
def root(tmp_path):
    """What doctor reads of a healthy machine with two last-level caches."""
    files = {"sys/kernel/sched_ext/root/ops": "donor\n",
             "sys/kernel/btf/vmlinux": "",
             "proc/sys/net/core/bpf_jit_enable": "1\n",
             "sys/devices/system/cpu/smt/active": "1\n"}
    for cpu in range(4):
        files[f"sys/devices/system/cpu/cpu{cpu}/cache/index3/shared_cpu_list"] = \
            "0-1\n" if cpu < 2 else "2-3\n"
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def environment(bus, root=None, **more):
    env = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": bus.address, "LC_ALL": "C.UTF-8", "TZ": "UTC",
           "DONORCTL_ROOT": str(root or "/nonexistent"), **more}
    return env


def run(bus, *words, root=None, user=None, **more):
    return subprocess.run([DONORCTL, *words], env=environment(bus, root, **more), text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=60, user=user)


def run_json(bus, *words, status=0, **more):
    done = run(bus, *words, "--json=short", **more)
    assert done.returncode == status, done.stderr
    assert done.stdout.count("\n") == 1
    return json.loads(done.stdout)


def assert_good(done):
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def assert_bad(done, status, *texts):
    assert done.returncode == status, done.stdout + done.stderr
    assert done.stderr.startswith("donorctl: ")
    assert done.stderr.count("\n") == 1
    for text in texts:
        assert text in done.stderr


@pytest.fixture
def systemd(bus):
    fake = FakeSystemd(bus.address, set())
    yield fake
    fake.stop()


@pytest.fixture
def ssh(bus, tmp_path, monkeypatch):
    """An ssh that leads to the private bus; leaves its arguments in a file."""
    directory = tmp_path / "path"
    directory.mkdir()
    script = directory / "ssh"
    script.write_text(f"""#!/usr/bin/env python3
import os, socket, sys, threading
open({str(directory / "words")!r}, "a").write(" ".join(sys.argv[1:]) + "\\n")
bus = socket.socket(socket.AF_UNIX)
bus.connect({bus.address.split("=")[1]!r})
os.set_blocking(0, True)
def carry(read, write):
    while data := read(65536):
        write(data)
threading.Thread(target=carry, args=(bus.recv, lambda d: os.write(1, d)), daemon=True).start()
carry(lambda n: os.read(0, n), bus.sendall)
""")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{directory}:{os.environ['PATH']}")
    return directory / "words"
