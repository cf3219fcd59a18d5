# SPDX-License-Identifier: GPL-2.0-only
"""One line per long step, with the seconds it took, on stderr."""

import contextlib
import sys
import time
from collections.abc import Iterator


class Stages:
    """Named steps that follow one another; each is reported when the next one begins."""

    def __init__(self, who: str) -> None:
        self.who = who
        self.name = ""
        self.begun = self.step_begun = time.monotonic()

    def begin(self, name: str) -> None:
        self.end()
        self.name, self.step_begun = name, time.monotonic()
        print(f"{self.who}: {name} ...", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self.name:
            seconds = time.monotonic() - self.step_begun
            print(f"{self.who}: {self.name}: {seconds:.0f} s", file=sys.stderr, flush=True)
        self.name = ""

    def finish(self, what: str) -> None:
        self.end()
        seconds = time.monotonic() - self.begun
        print(f"{self.who}: {what} after {seconds:.0f} s", file=sys.stderr, flush=True)


@contextlib.contextmanager
def stage(who: str, name: str) -> Iterator[None]:
    stages = Stages(who)
    stages.begin(name)
    yield
    stages.end()
