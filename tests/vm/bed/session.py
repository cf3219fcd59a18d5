# SPDX-License-Identifier: GPL-2.0-only
"""A running guest: from power-on to the command's exit status."""

import os
import selectors
import socket
import subprocess
import time
from pathlib import Path

from . import console
from .errors import BedError
from .qmp import Qmp
from .relay import Relay, to_fd

# A boot takes 6 s (minimal) to 20 s (systemd) on an idle host; a busy one may need many times that.
BOOT_SECONDS = 600
# From the status to the last byte of the outputs.
DRAIN_SECONDS = 10
TIMED_OUT = 124


class Session:
    """The ports of one guest, and the conversation over its control port."""

    def __init__(self, names: list[str], mark: str) -> None:
        self.mark = mark.encode()
        self.ours: dict[str, socket.socket] = {}
        self.theirs: dict[str, socket.socket] = {}
        for name in names:
            self.ours[name], self.theirs[name] = socket.socketpair()
        self.selector = selectors.DefaultSelector()
        self.control = b""
        self.out = bytearray()
        self.relays: list[Relay] = []
        self.ready_after = 0.0
        self.timed_out = False

    def start(self, command: list[str]) -> None:
        fds = [end.fileno() for end in self.theirs.values()]
        self.begun = time.monotonic()
        self.qemu = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, pass_fds=fds
        )
        for end in self.theirs.values():
            end.close()
        try:
            self.qmp = Qmp(self.ours.pop("qmp"))
        except OSError:
            self.hear_end()

    def listen(self) -> None:
        """Say what is done with each port."""
        watch = self.selector.register
        for name, fd in (("stdout", 1), ("stderr", 2)):
            if name in self.ours:
                relay = Relay(self.ours[name], to_fd(fd), self.mark)
                self.relays.append(relay)
                watch(relay, selectors.EVENT_READ, relay.pump)
        watch(self.ours["control"], selectors.EVENT_READ, self.hear_control)
        watch(self.ours["out"], selectors.EVENT_READ, self.hear_out)
        watch(os.pidfd_open(self.qemu.pid), selectors.EVENT_READ, self.hear_end)

    def hear_control(self) -> None:
        self.control += self.ours["control"].recv(4096)

    def hear_out(self) -> None:
        self.out += self.ours["out"].recv(1 << 20)

    def hear_end(self) -> None:
        output = (self.qemu.stdout.read() or b"").decode(errors="replace").strip()
        raise BedError(f"the VM ended by itself. {output}".strip())

    def wait_for(self, word: bytes, seconds: float | None) -> bytes | None:
        """The line of the control port that begins with word, without it; None after the time."""
        deadline = time.monotonic() + seconds if seconds else None
        while True:
            for line in self.control.split(b"\n")[:-1]:
                if line.startswith(word):
                    return line[len(word) :].strip()
            if not self.step(deadline):
                return None

    def step(self, deadline: float | None) -> bool:
        """Handle what comes next; false once the deadline has passed."""
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            return False
        for key, _events in self.selector.select(left):
            key.data()
        return True

    def boot(self) -> None:
        if self.wait_for(b"ready", BOOT_SECONDS) is None:
            raise BedError(f"the guest did not come up within {BOOT_SECONDS} s")
        self.ready_after = time.monotonic() - self.begun

    def let_begin(self) -> None:
        self.ours["control"].sendall(b"go\n")

    def wait_for_status(self, seconds: float | None) -> int:
        """The command's status, or 124."""
        status = self.wait_for(b"status", seconds)
        if status is None:
            self.timed_out = True
            return TIMED_OUT
        self.drain()
        return int(status)

    def drain(self) -> None:
        deadline = time.monotonic() + DRAIN_SECONDS
        while not all(relay.ended for relay in self.relays) and self.step(deadline):
            pass
        # The archive was written before the status was: all that is left of it is here already.
        self.ours["out"].setblocking(False)
        try:
            while chunk := self.ours["out"].recv(1 << 20):
                self.out += chunk
        except BlockingIOError:
            pass

    def wait_for_console(self, log: Path) -> None:
        """Newer kernels print from a thread of their own: wait until all they said is there."""
        deadline = time.monotonic() + DRAIN_SECONDS
        while self.mark.decode() not in console.text(log) and time.monotonic() < deadline:
            self.step(time.monotonic() + 0.02)

    def end(self) -> None:
        for relay in self.relays:
            relay.flush()
        if self.qemu.poll() is None:
            self.qemu.kill()
        self.qemu.wait()


def explain(error: BedError, log: Path) -> BedError:
    """The error with the oops, if there was one, else with the console's last lines."""
    shown = console.fault(log) or console.tail(log) or "(the console is empty)"
    return BedError(f"{error}\nThe guest's console ({log}):\n{shown}")
