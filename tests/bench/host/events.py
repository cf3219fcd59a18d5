# SPDX-License-Identifier: GPL-2.0-only
"""The tracer's log, gone through in order of time; struct model_event of guest/model.h."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

LAYOUT = struct.Struct("<QQIIBBB5x")
WAKE, SWITCH_WAITS, SWITCH_SLEEPS, RENAME, CREDIT = range(5)
IDLE = 0


class Event(NamedTuple):
    time_ns: int
    allowed: int  # a bit for each CPU that task may use
    task: int
    next: int
    cpu: int
    kind: int
    worker: int


def read(path: Path) -> list[Event]:
    return sorted(event for event in map(Event._make, LAYOUT.iter_unpack(path.read_bytes())) if event.kind != CREDIT)


def credits_in(path: Path) -> dict[int, int]:
    """Nanoseconds of work by worker, as the tracer had it at the end."""
    events = map(Event._make, LAYOUT.iter_unpack(path.read_bytes()))
    return {event.worker: event.allowed for event in events if event.kind == CREDIT}


@dataclass
class State:
    """Who runs where and who waits, as far as the log has told."""

    running: dict[int, int] = field(default_factory=dict)  # CPU: task; those not yet heard of are idle
    workers: dict[int, int] = field(default_factory=dict)  # CPU: worker
    waiting: dict[int, int] = field(default_factory=dict)  # task: the CPUs that it may use

    def is_busy(self, cpu: int) -> bool:
        return self.running.get(cpu, IDLE) != IDLE

    def apply(self, event: Event) -> None:
        if event.kind == WAKE:
            if event.task not in self.running.values():
                self.waiting[event.task] = event.allowed
            return
        if event.kind == SWITCH_WAITS and event.task != IDLE:
            self.waiting[event.task] = event.allowed
        self.waiting.pop(event.next, None)
        self.running[event.cpu] = event.next
        self.workers[event.cpu] = event.worker


def walk(events: list[Event]) -> Iterator[tuple[int, int, State]]:
    """Each stretch of time in which nothing changes: from, to, and what was then."""
    state = State()
    for event, following in zip(events, events[1:], strict=False):
        state.apply(event)
        yield event.time_ns, following.time_ns, state
