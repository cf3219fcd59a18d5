# SPDX-License-Identifier: GPL-2.0-only
"""The few words that are needed of QEMU's machine protocol."""

import json
import socket


class Qmp:
    def __init__(self, connection: socket.socket) -> None:
        self.file = connection.makefile("rw")
        if not self.file.readline():  # the greeting
            raise OSError("QEMU ended at once")
        self.execute("qmp_capabilities")

    def execute(self, command: str) -> object:
        self.file.write(json.dumps({"execute": command}) + "\n")
        self.file.flush()
        while True:
            reply = json.loads(self.file.readline() or '{"error": "closed"}')
            if "return" in reply:
                return reply["return"]
            if "error" in reply:
                raise OSError(f"QEMU refused {command}: {reply['error']}")

    def cpu_threads(self) -> list[int]:
        """The host thread of each guest CPU, in the guest's order."""
        cpus = self.execute("query-cpus-fast")
        return [cpu["thread-id"] for cpu in sorted(cpus, key=lambda cpu: cpu["cpu-index"])]
