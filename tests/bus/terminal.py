# SPDX-License-Identifier: GPL-2.0-only
"""A terminal of the test's own, with a program on it."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time


class Terminal:
    def __init__(self, command, env, rows=24, columns=80):
        self.master, self.slave = pty.openpty()
        self.resize(rows, columns)
        self.settings = termios.tcgetattr(self.slave)
        # setsid makes it the controlling terminal, so that keys and its end become signals.
        self.process = subprocess.Popen(["setsid", "-c", *command], stdin=self.slave, stdout=self.slave, stderr=self.slave, env=env)
        self.said = ""

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys):
        os.write(self.master, keys.encode())

    def read(self, seconds=0.02):
        poll = select.poll()
        poll.register(self.master, select.POLLIN)
        while poll.poll(seconds * 1000):
            self.said += os.read(self.master, 65536).decode(errors="replace")

    def wait(self, condition, what):
        end = time.monotonic() + 20
        while not condition(self.said):
            assert time.monotonic() < end, f"waited in vain for {what}; it said {self.said!r}"
            assert self.process.poll() is None or condition(self.said), f"ended with {self.process.returncode}: {self.said!r}"
            self.read()

    def end(self):
        """Its exit status, when all that it said is read."""
        limit = time.monotonic() + 20
        while self.process.poll() is None and time.monotonic() < limit:
            self.read()
        self.read()
        assert self.process.poll() is not None, self.said
        return self.process.returncode

    def is_restored(self):
        return termios.tcgetattr(self.slave) == self.settings

    def close(self):
        self.process.kill()
        self.process.wait(20)
        os.close(self.master)
        os.close(self.slave)
