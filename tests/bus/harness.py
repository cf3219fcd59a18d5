# SPDX-License-Identifier: GPL-2.0-only
"""A private system bus, and donord on it with a kernel that the test plays (see fake-scheduler.c)."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from gi.repository import Gio, GLib

NAME = "org.donor.Scheduler1"
PATH = "/org/donor/Scheduler1"
IFACE = "org.donor.Scheduler1"
STATS = "org.donor.Scheduler1.Statistics"
ERROR = "org.donor.Scheduler1.Error."
ACCESS_DENIED = "org.freedesktop.DBus.Error.AccessDenied"
INVALID_ARGS = "org.freedesktop.DBus.Error.InvalidArgs"
NOBODY = 65534
DEADLINE = 10.0  # for things that take milliseconds

BUS_CONFIG = """<busconfig>
  <type>system</type>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <deny own="*"/>
    <deny send_type="method_call"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/>
    <allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/>
    <allow receive_type="method_return"/>
    <allow receive_type="error"/>
    <allow receive_type="signal"/>
    <allow send_destination="org.freedesktop.DBus"/>
  </policy>
  <include>{policy}</include>
</busconfig>
"""


class Refused(Exception):
    """A D-Bus error; its name is what clients tell apart."""

    def __init__(self, name: str, text: str):
        super().__init__(f"{name}: {text}")
        self.name = name
        self.text = text


def until(condition, what: str, deadline: float = DEADLINE):
    """The first true value of condition(); D-Bus signals arrive meanwhile."""
    end = time.monotonic() + deadline
    while True:
        while GLib.MainContext.default().iteration(False):
            pass
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"waited {deadline} s in vain for: {what}")
        time.sleep(0.002)


class Bus:
    """A dbus-daemon with the installed policy file of donor."""

    def __init__(self):
        self.dir = Path(tempfile.mkdtemp(prefix="donor-bus-"))
        self.dir.chmod(0o755)  # another user is to reach the socket
        config = self.dir / "bus.conf"
        config.write_text(BUS_CONFIG.format(socket=self.dir / "socket",
                                            policy=Path(os.environ["DONOR_BUS_POLICY"]).resolve()))
        self.daemon = subprocess.Popen(["dbus-daemon", f"--config-file={config}", "--nofork", "--nopidfile",
                                        "--print-address"], stdout=subprocess.PIPE, text=True)
        self.address = self.daemon.stdout.readline().strip()  # comes when it listens

    def connect(self) -> Gio.DBusConnection:
        flags = Gio.DBusConnectionFlags
        return Gio.DBusConnection.new_for_address_sync(
            self.address, flags.AUTHENTICATION_CLIENT | flags.MESSAGE_BUS_CONNECTION, None, None)

    def close(self):
        self.daemon.terminate()
        self.daemon.wait(DEADLINE)
        self.daemon.stdout.close()
        shutil.rmtree(self.dir)


class Donord:
    """One run of the service, and a client that remembers all its signals."""

    def __init__(self, bus: Bus):
        self.bus = bus
        self.dir = Path(tempfile.mkdtemp(prefix="donord-"))
        self.kernel = self.dir / "kernel"
        self.kernel.mkdir()
        self.root = self.dir / "root"
        self.process = None
        self.journal = None  # a Journal: then stderr counts as the journal's
        self.environment = {}
        self.umask = -1  # the test's own
        self.notes = []
        self.signals = []
        self.client = bus.connect()
        self.client.signal_subscribe(None, None, None, PATH, None, Gio.DBusSignalFlags.NONE, self.on_signal)
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind(str(self.dir / "notify"))
        # As systemd does, read at once: the socket holds ten messages, and then the service would block.
        threading.Thread(target=self.take_notes, daemon=True).start()

    def on_signal(self, _connection, _sender, _path, _interface, member, parameters):
        self.signals.append((member, *parameters.unpack()))

    def take_notes(self):
        while text := self.notify.recv(65536).decode():
            self.notes += text.splitlines()

    # The kernel's side.

    def play(self, name: str, text: str = ""):
        """Put a file where the fake kernel reads it, whole at once."""
        new = self.kernel / f"{name}.new"
        new.write_bytes(text.encode(errors="surrogateescape"))
        new.rename(self.kernel / name)

    def unplay(self, name: str):
        (self.kernel / name).unlink()

    def eject(self, kind: int, code: int = 0, reason: str = "reason", message: str = "message"):
        self.play("ejected", f"{kind}\n{code}\n{reason}\n{message}\n")

    def params(self) -> dict:
        """What is in force "in the kernel"; empty when not attached."""
        try:
            text = (self.kernel / "params").read_text()
        except FileNotFoundError:
            return {}
        return dict(line.split("=") for line in text.splitlines())

    def attaches(self) -> int:
        path = self.kernel / "attaches"
        return len(path.read_text().splitlines()) if path.exists() else 0

    # The service.

    def configure(self, text: str, path: str = "etc/donor/donor.conf"):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def spawn(self, *arguments: str) -> subprocess.Popen:
        self.log = open(self.dir / "log", "a+")
        stream = os.fstat(self.log.fileno())
        # As systemd says that stderr is the journal's.
        to_journal = {"JOURNAL_STREAM": f"{stream.st_dev}:{stream.st_ino}"} if self.journal else {}
        return subprocess.Popen(
            [os.environ["DONORD_FAKE"], "--config-root", str(self.root), *arguments],
            stderr=self.log,
            umask=self.umask,
            env={**os.environ, "DONOR_FAKE_DIR": str(self.kernel), "DBUS_SYSTEM_BUS_ADDRESS": self.bus.address,
                 "NOTIFY_SOCKET": str(self.dir / "notify"), **to_journal, **self.environment})

    def start(self) -> "Donord":
        self.process = self.spawn()
        until(lambda: "READY=1" in self.notes or self.process.poll() is not None, "READY=1")
        assert self.process.poll() is None, self.logged()
        return self

    def logged(self) -> str:
        return (self.dir / "log").read_text()

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(DEADLINE)

    def close(self):
        if self.process and self.process.poll() is None:
            try:
                assert self.stop() == 0, self.logged()  # from whatever state; a sanitizer speaks here, too
            finally:
                self.process.kill()
        self.client.close_sync(None)
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"", str(self.dir / "notify"))  # ends take_notes()
        shutil.rmtree(self.dir)

    # The client.

    def call(self, member: str, signature: str = "()", *arguments, interface: str = IFACE):
        """Returns the result: nothing, a value, or a tuple of values."""
        try:
            reply = self.client.call_sync(NAME, PATH, interface, member, GLib.Variant(signature, arguments), None,
                                          Gio.DBusCallFlags.NO_AUTO_START, int(DEADLINE * 1000), None)
        except GLib.Error as error:
            name = Gio.DBusError.get_remote_error(error)
            raise Refused(name or "none", error.message.removeprefix(f"GDBus.Error:{name}: ")) from None
        values = reply.unpack()
        return values[0] if len(values) == 1 else values or None

    def refused(self, member: str, signature: str = "()", *arguments, interface: str = IFACE) -> Refused:
        try:
            result = self.call(member, signature, *arguments, interface=interface)
        except Refused as refusal:
            return refusal
        raise AssertionError(f"{member} was not refused but returned {result}")

    def set_mode(self, mode: str):
        return self.call("SetMode", "(sa{sv})", mode, {})

    def set_donation(self, hook: str, on: bool, **options):
        return self.call("SetDonation", "(sba{sv})", hook, on,
                         {name.replace("_", "-"): GLib.Variant("b", value) for name, value in options.items()})

    def attach(self):
        return self.call("Attach", "(a{sv})", {})

    def detach(self):
        return self.call("Detach", "(a{sv})", {})

    def properties(self, interface: str = IFACE) -> dict:
        return self.call("GetAll", "(s)", interface, interface="org.freedesktop.DBus.Properties")

    def get(self, name: str):
        return self.properties()[name]

    def snapshot(self) -> dict:
        return self.call("GetSnapshot", interface=STATS)[1]

    def wait_state(self, state: str):
        until(lambda: self.get("State") == state, f"State={state}")

    def forget(self):
        """Forget the signals so far; a call is answered after all signals before it."""
        self.get("State")
        until(lambda: True, "nothing")
        self.signals.clear()

    def heard(self) -> list[tuple]:
        """The signals since forget(), without PropertiesChanged."""
        self.get("State")
        until(lambda: True, "nothing")
        return [s for s in self.signals if s[0] != "PropertiesChanged"]

    def changes(self) -> list[dict]:
        """What each PropertiesChanged since forget() carried."""
        self.get("State")
        until(lambda: True, "nothing")
        return [s[2] for s in self.signals if s[0] == "PropertiesChanged"]
