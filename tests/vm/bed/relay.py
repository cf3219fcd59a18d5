# SPDX-License-Identifier: GPL-2.0-only
"""One output of the command, from a guest port to a stream of ours, up to the mark that ends it."""

import os
import socket
from typing import Callable

Sink = Callable[[bytes], None]


class Relay:
    def __init__(self, source: socket.socket, sink: Sink, mark: bytes) -> None:
        self.source, self.sink, self.mark = source, sink, mark
        self.held = b""
        self.ended = False

    def fileno(self) -> int:
        return self.source.fileno()

    def pump(self) -> None:
        """Pass on what has come, but hold back what may be the beginning of the mark."""
        data = self.source.recv(65536)
        if self.ended:
            return
        data = self.held + data
        output, mark, _rest = data.partition(self.mark)
        self.ended = bool(mark)
        keep = 0 if self.ended else length_of_beginning(data, self.mark)
        self.held = data[len(data) - keep :] if keep else b""
        self.sink(output[: len(output) - keep])

    def flush(self) -> None:
        self.sink(self.held)
        self.held = b""


def length_of_beginning(data: bytes, mark: bytes) -> int:
    """How many bytes at the end of data are the beginning of the mark."""
    longest = min(len(data), len(mark) - 1)
    return next((n for n in range(longest, 0, -1) if data.endswith(mark[:n])), 0)


def to_fd(fd: int) -> Sink:
    def write(data: bytes) -> None:
        while data:
            data = data[os.write(fd, data) :]

    return write
