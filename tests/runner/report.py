# SPDX-License-Identifier: GPL-2.0-only
"""Count what ran, and show progress."""

import time
import xml.etree.ElementTree as ElementTree
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Tally:
    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    @property
    def count(self) -> int:
        return self.passed + len(self.failed) + len(self.skipped)

    def __str__(self) -> str:
        return f"{self.passed} passed, {len(self.failed)} failed, {len(self.skipped)} skipped"


def read_junit(path: Path, suite: str) -> Tally:
    """What a test program wrote; one that wrote nothing has failed."""
    tally = Tally()
    cases = list(ElementTree.parse(path).iter("testcase")) if path.exists() else []
    for case in cases:
        name = f"{suite}: {case.get('classname', '')}.{case.get('name')}"
        if case.find("failure") is not None or case.find("error") is not None:
            tally.failed.append(name)
        elif case.find("skipped") is not None:
            tally.skipped.append(name)
        else:
            tally.passed += 1
    if not cases:
        tally.failed.append(f"{suite}: ran no test")
    return tally


@contextmanager
def step(text: str):
    """One line for a step, with its time when it is done."""
    start = time.monotonic()
    print(f"==> {text}", flush=True)
    note: list[str] = []
    yield note
    print(f"    {' '.join(note) or 'done'} ({time.monotonic() - start:.0f} s)", flush=True)
