# SPDX-License-Identifier: GPL-2.0-only
"""The journal's socket, and what was sent to it."""

import os
import re
import socket
import threading
from pathlib import Path

from harness import until

REPOSITORY = Path(__file__).parents[2]
EVENTS = dict(re.findall(r'^LOG_EVENT\((\w+), "([0-9a-f]{32})"', (REPOSITORY / "service/log-events.def").read_text(), re.M))
FIELDS = re.findall(r'^LOG_FIELD\(\w+, "(\w+)"\)$', (REPOSITORY / "service/log-fields.def").read_text(), re.M)


def parse(entry: bytes) -> dict[str, str]:
    """The native protocol: "NAME=value" lines, or a name, a length and a value that may have any bytes."""
    fields = {}
    while entry:
        name, entry = entry.split(b"\n", 1)
        if b"=" in name:
            name, value = name.split(b"=", 1)
        else:
            size = int.from_bytes(entry[:8], "little")
            value, entry = entry[8:8 + size], entry[8 + size + 1:]
        fields[name.decode()] = value.decode()
    return fields


class Journal:
    PATH = Path("/run/systemd/journal/socket")  # the library knows no other

    def __init__(self):
        assert not self.PATH.exists(), "the journal of this machine is running: run this in the tree, see tests/vm/README.md"
        self.PATH.parent.mkdir(parents=True, exist_ok=True)
        self.entries = []
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(self.PATH))
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        while True:
            data, descriptors, _flags, _address = socket.recv_fds(self.socket, 1 << 20, 1)
            for descriptor in descriptors:  # too large for a datagram
                with os.fdopen(descriptor, "rb") as file:
                    data = file.read()
            if not data:
                return
            self.entries.append(parse(data))

    def find(self, event: str) -> list[dict[str, str]]:
        return [entry for entry in self.entries if entry.get("MESSAGE_ID") == EVENTS[event]]

    def wait(self, event: str) -> dict[str, str]:
        """The last of them."""
        return until(lambda: self.find(event), f"the event {event}; there were {self.entries}")[-1]

    def close(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as last:
            last.sendto(b"", str(self.PATH))
        self.thread.join(10)
        self.socket.close()
        self.PATH.unlink()
