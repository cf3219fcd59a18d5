# SPDX-License-Identifier: GPL-2.0-only
"""Clients of other users."""

import json
import subprocess
import sys
from pathlib import Path

from gi.repository import GLib

from harness import DEADLINE, IFACE, NAME, PATH, Bus, Refused, variants


class Agent:
    """A connection of another user, in a process of its own."""

    def __init__(self, bus: Bus, uid: int):
        script = Path(__file__).with_name("agent.py").read_text()  # that user may not reach the file
        self.heard = []  # HoldReleased: cookie and why
        self.process = subprocess.Popen(
            [sys.executable, "-c", script, bus.address, NAME, PATH], user=uid, group=uid, extra_groups=[], cwd="/",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def send(self, member: str, signature: str = "()", *arguments, interface: str = IFACE, name: str = NAME, path: str = PATH):
        text = GLib.Variant(signature, arguments).print_(True)
        self.process.stdin.write(json.dumps([name, path, interface, member, text, signature]) + "\n")
        self.process.stdin.flush()

    def answer(self):
        """The result of the oldest call that was sent."""
        answer = json.loads(self.process.stdout.readline())
        self.heard += [tuple(signal) for signal in answer["heard"]]
        if "error" in answer:
            raise Refused(answer["error"], answer["text"])
        return answer["result"]

    def call(self, member: str, signature: str = "()", *arguments, interface: str = IFACE):
        self.send(member, signature, *arguments, interface=interface)
        result = self.answer()
        return result[0] if len(result) == 1 else result or None

    def hold(self, mode: str, reason: str = "", application: str = "", **options) -> int:
        return self.call("HoldMode", "(sssa{sv})", mode, reason, application, variants(options))

    def close(self):
        self.process.kill()
        self.process.wait(DEADLINE)
        self.process.stdin.close()
        self.process.stdout.close()
