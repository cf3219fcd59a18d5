# SPDX-License-Identifier: GPL-2.0-only
"""A private system bus, and donord on it with a kernel that the test plays (see fake.h)."""

import fcntl
import os
import pwd
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
USERS = sorted(entry.pw_uid for entry in pwd.getpwall() if 0 < entry.pw_uid < 100)  # the bus refuses strangers
SERVICE = 1  # the user "donor" of the tests, where they do not run donord as root
DEADLINE = 10.0  # for things that take milliseconds

BUS_CONFIG = Path(__file__).with_name("bus.conf")


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


def variants(options: dict) -> dict:
    """Options of a method as they go over the bus: keep_holds=True is keep-holds."""
    types = {bool: "b", str: "s", int: "t"}
    return {name.replace("_", "-"): GLib.Variant(types[type(value)], value) for name, value in options.items()}


class Bus:
    """A dbus-daemon with the installed policy file of donor; more is added to its configuration."""

    def __init__(self, more: str = ""):
        self.dir = Path(tempfile.mkdtemp(prefix="donor-bus-"))
        self.dir.chmod(0o755)  # another user is to reach the socket
        config = self.dir / "bus.conf"
        config.write_text(BUS_CONFIG.read_text().format(socket=self.dir / "socket", more=more, service_uid=SERVICE,
                                            policy=Path(os.environ["DONOR_BUS_POLICY"]).resolve()))
        self.daemon = subprocess.Popen(["dbus-daemon", f"--config-file={config}", "--nofork", "--nopidfile",
                                        "--print-address"], stdout=subprocess.PIPE, text=True)
        self.address = self.daemon.stdout.readline().strip()  # comes when it listens

    def connect(self, uid: int | None = None) -> Gio.DBusConnection:
        """A client; it stays that of another user, if it was connected as one."""
        flags = Gio.DBusConnectionFlags
        own = os.geteuid()
        os.seteuid(own if uid is None else uid)
        try:
            return Gio.DBusConnection.new_for_address_sync(
                self.address, flags.AUTHENTICATION_CLIENT | flags.MESSAGE_BUS_CONNECTION, None, None)
        finally:
            os.seteuid(own)

    def close(self):
        self.daemon.terminate()
        self.daemon.wait(DEADLINE)
        self.daemon.stdout.close()
        shutil.rmtree(self.dir)


class Donord:
    """One run of the service, and a client that remembers all its signals."""

    def __init__(self, bus: Bus, uid: int = os.getuid()):
        self.bus = bus
        self.uid = uid
        self.dir = Path(tempfile.mkdtemp(prefix="donord-"))
        self.dir.chmod(0o755)
        self.kernel = self.dir / "kernel"
        self.kernel.mkdir()
        os.chown(self.kernel, uid, -1)
        self.root = self.dir / "root"
        self.state = self.dir / "state"  # outlives a reboot
        self.run = self.dir / "run"  # outlives a restart
        for folder in [self.state, self.run]:
            folder.mkdir()
            os.chown(folder, uid, -1)
        self.process = None
        self.log = None
        self.journal = None  # a Journal: then stderr counts as the journal's
        self.environment = {}
        self.umask = -1  # the test's own
        self.notes = []
        self.store = {}  # what systemd keeps for the service: name -> descriptors
        self.signals = []
        self.client = bus.connect()
        self.client.signal_subscribe(None, None, None, PATH, None, Gio.DBusSignalFlags.NONE, self.on_signal)
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind(str(self.dir / "notify"))
        os.chown(self.dir / "notify", uid, -1)
        # As systemd does, read at once: the socket holds ten messages, and then the service would block.
        self.notes_thread = threading.Thread(target=self.take_notes, daemon=True)
        self.notes_thread.start()

    def on_signal(self, _connection, _sender, _path, _interface, member, parameters):
        self.signals.append((member, *parameters.unpack()))

    def take_notes(self):
        while True:
            data, fds, _flags, _address = socket.recv_fds(self.notify, 65536, 16)
            if not data:
                return
            lines = data.decode().splitlines()
            self.keep(dict(line.split("=", 1) for line in lines), fds)
            self.notes += lines

    # systemd's side.

    def keep(self, message: dict, fds: list[int]):
        """As systemd does with descriptors: of one file under one name only the first is kept."""
        name = message.get("FDNAME", "stored")
        if message.get("FDSTOREREMOVE") == "1":
            self.drop(name)
        kept = self.store.setdefault(name, []) if message.get("FDSTORE") == "1" else None
        for fd in fds:
            known = kept is None or any(os.path.sameopenfile(fd, other) for other in kept)
            # Without FDPOLL=0 it polls them, cannot poll a map, and lets go of it.
            if known or message.get("FDPOLL") != "0":
                os.close(fd)
            else:
                kept.append(fd)

    def drop(self, *names: str):
        """Forget descriptors; the kernel detaches the scheduler with the last one of its link."""
        for name in names:
            for fd in self.store.pop(name, []):
                os.close(fd)

    def died(self):
        """The process is gone: without systemd's copy of the link nothing is attached."""
        if not self.store.get("bpf-link"):
            for name in ["params", "ejected"]:
                (self.kernel / name).unlink(missing_ok=True)

    def handed_over(self) -> tuple[list[int], dict]:
        """What systemd gives to the next process: descriptors from 100 on, to be moved, and variables."""
        fds = [(name, fd) for name, kept in self.store.items() for fd in kept]
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 100) for _name, fd in fds]
        return high, {"LISTEN_FDS": str(len(fds)), "LISTEN_FDNAMES": ":".join(name for name, _fd in fds)} if fds else {}

    def kill(self, number: int = signal.SIGKILL):
        self.process.send_signal(number)
        self.process.wait(DEADLINE)
        self.died()

    def start_again(self) -> "Donord":
        self.notes.clear()
        return self.start()

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

    def attaches(self, what: str = "attaches") -> int:
        path = self.kernel / what
        return len(path.read_text().splitlines()) if path.exists() else 0

    def loads(self) -> int:
        return self.attaches("loads")

    # The service.

    def configure(self, text: str, path: str = "etc/donor/donor.conf"):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def spawn(self, *arguments: str) -> subprocess.Popen:
        if self.log:
            self.log.close()
        self.log = open(self.dir / "log", "a+")
        fds, variables = self.handed_over()
        moves = "".join(f"{3 + i}<&{fd} {fd}<&- " for i, fd in enumerate(fds))
        other = {"user": self.uid, "group": self.uid, "extra_groups": []} if self.uid != os.getuid() else {}
        stream = os.fstat(self.log.fileno())
        # As systemd says that stderr is the journal's.
        to_journal = {"JOURNAL_STREAM": f"{stream.st_dev}:{stream.st_ino}"} if self.journal else {}
        process = subprocess.Popen(
            ["bash", "-c", f'export LISTEN_PID=$$; exec "$0" "$@" {moves}', os.environ["DONORD_FAKE"],
             "--config-root", str(self.root), *arguments],
            stderr=self.log, pass_fds=fds, umask=self.umask, **other,
            env={**os.environ, "DONOR_FAKE_DIR": str(self.kernel), "DBUS_SYSTEM_BUS_ADDRESS": self.bus.address,
                 "STATE_DIRECTORY": str(self.state), "RUNTIME_DIRECTORY": str(self.run),
                 "NOTIFY_SOCKET": str(self.dir / "notify"), **to_journal, **self.environment, **variables})
        for fd in fds:
            os.close(fd)
        return process

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

    def restart(self, number: int = signal.SIGTERM, reboot: bool = False, meanwhile=lambda: None):
        """Ends the service by the signal; a reboot forgets what is in /run as well."""
        self.stop(number)
        if reboot:
            (self.run / "state").unlink(missing_ok=True)
            self.drop(*list(self.store))
        self.died()
        meanwhile()
        return self.start_again()

    def reload(self, text: str):
        self.configure(text)
        self.notes.clear()
        self.process.send_signal(signal.SIGHUP)
        until(lambda: "READY=1" in self.notes, "the end of the reload")

    def close(self):
        if self.process and self.process.poll() is None:
            try:
                assert self.stop() == 0, self.logged()  # from whatever state; a sanitizer speaks here, too
            finally:
                self.process.kill()
        self.client.close_sync(None)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as last:
            last.sendto(b"", str(self.dir / "notify"))
        self.notes_thread.join(DEADLINE)
        self.notify.close()
        if self.log:
            self.log.close()
        self.drop(*list(self.store))
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

    def set_mode(self, mode: str, **options):
        return self.call("SetMode", "(sa{sv})", mode, variants(options))

    @staticmethod
    def variant(value) -> GLib.Variant:
        return variants({"": value})[""]

    def release(self):
        return self.call("ReleaseOverride")

    def hold(self, mode: str, reason: str = "", application: str = "", **options) -> int:
        return self.call("HoldMode", "(sssa{sv})", mode, reason, application, variants(options))

    def hold_process(self, mode: str, fd: int, connection=None, **options) -> int:
        """A hold that lasts as long as the process of a pidfd."""
        fds = Gio.UnixFDList.new()
        options = {**variants(options), "pidfd": GLib.Variant("h", fds.append(fd))}
        arguments = GLib.Variant("(sssa{sv})", (mode, "", "", options))
        reply, _ = (connection or self.client).call_with_unix_fd_list_sync(
            NAME, PATH, IFACE, "HoldMode", arguments, None, Gio.DBusCallFlags.NONE, int(DEADLINE * 1000), fds, None)
        return reply.unpack()[0]

    def nr_fds(self) -> int:
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def release_hold(self, cookie: int):
        return self.call("ReleaseHold", "(u)", cookie)

    def reset_failed(self):
        return self.call("ResetFailed")

    def set_donation(self, hook: str, on: bool, **options):
        return self.call("SetDonation", "(sba{sv})", hook, on, variants(options))

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
