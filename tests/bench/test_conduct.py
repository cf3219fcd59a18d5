# SPDX-License-Identifier: GPL-2.0-only
"""What is read from the tracer's log. Two cores with two threads, and times in milliseconds."""

import pytest
from host.conduct import conduct, credited, stretches, violations, waste
from host.events import CREDIT, LAYOUT, RENAME, SWITCH_SLEEPS, SWITCH_WAITS, WAKE, Event, credits_in, read

CORES = [[0, 1], [2, 3]]
ALL = 0b1111
MS = 1_000_000


def switch(at, cpu, task, following, worker=0, waits=False, allowed=ALL):
    return Event(at * MS, allowed, task, following, cpu, SWITCH_WAITS if waits else SWITCH_SLEEPS, worker)


def wake(at, task, allowed=ALL):
    return Event(at * MS, allowed, task, 0, 0, WAKE, 0)


def end(at):
    return wake(at, 99, allowed=1)


def test_a_worker_is_slower_beside_a_busy_sibling():
    events = [switch(0, 0, 0, 11, worker=1), switch(10, 1, 0, 50), switch(20, 1, 50, 0), end(30)]
    assert credited(events, CORES, 0.5) == {1: 25 * MS}


def test_siblings_while_a_core_is_idle_are_waste():
    both = [switch(0, 0, 0, 11, worker=1), switch(0, 1, 0, 12, worker=2)]
    assert waste([*both, end(10)], CORES) == 1
    assert waste([*both, switch(5, 2, 0, 50), end(10)], CORES) == pytest.approx(0.5)


def test_siblings_are_no_waste_when_no_core_is_idle():
    events = [switch(0, 0, 0, 11, worker=1), switch(0, 1, 0, 12, worker=2), switch(0, 3, 0, 50)]
    assert waste([*events, end(10)], CORES) == 0


def test_who_waits_beside_an_idle_cpu_is_a_violation_after_the_grace():
    assert violations([wake(0, 11), switch(3, 2, 0, 11), end(9)], CORES) == [3 * MS]
    assert violations([wake(0, 11), switch(1, 2, 0, 11), end(9)], CORES) == []


def test_who_was_driven_from_a_cpu_waits_too():
    assert violations([switch(0, 0, 11, 12, waits=True), switch(4, 1, 0, 11), end(9)], CORES) == [4 * MS]
    assert violations([switch(0, 0, 11, 12), switch(4, 1, 0, 11), end(9)], CORES) == []


def test_no_violation_where_the_idle_cpus_are_forbidden_or_there_is_no_choice():
    busy = [switch(0, 0, 0, 50), switch(0, 1, 0, 51)]
    assert violations([*busy, wake(0, 11, allowed=0b0011), switch(5, 0, 50, 11), end(9)], CORES) == []
    assert violations([wake(0, 11, allowed=0b1000), switch(5, 3, 0, 11), end(9)], CORES) == []


def test_a_violation_ends_when_the_last_cpu_gets_busy():
    busy = [switch(0, cpu, 0, 50 + cpu) for cpu in (0, 1, 2)]
    events = [*busy, wake(0, 11), switch(2, 3, 0, 60), switch(9, 3, 60, 11), end(10)]
    assert violations(events, CORES) == [2 * MS]


def test_a_move_is_to_another_core():
    events = [switch(0, 0, 0, 11, worker=1), switch(4, 0, 11, 0, waits=True), switch(5, 1, 0, 11, worker=1), switch(7, 1, 11, 0, waits=True)]
    assert conduct([*events, end(8)], CORES)["moves"] == 0
    assert conduct([*events, switch(8, 2, 0, 11, worker=1), switch(9, 2, 11, 0), end(9)], CORES)["moves"] == 1


def test_nothing_is_claimed_of_what_was_not_seen():
    assert conduct([], CORES) == {}
    assert set(conduct([switch(0, 0, 0, 50), end(5)], CORES)) == {"waited_beside_idle", "longest_wait_ms"}
    assert conduct([wake(0, 11), switch(5, 2, 0, 11, worker=1), end(10)], CORES)["waited_beside_idle"] == 0.5


def test_stretches_say_where_each_worker_was():
    events = [switch(0, 0, 0, 11, worker=1), switch(4, 0, 11, 0, waits=True), switch(5, 2, 0, 11, worker=1), switch(9, 2, 11, 0), end(10)]
    assert stretches(events) == [(1, 0, 0, 4 * MS), (1, 2, 5 * MS, 9 * MS)]


def test_a_log_is_read_in_order_of_time(tmp_path):
    events = [Event(7, ALL, 1, 2, 3, SWITCH_WAITS, 5), Event(3, 1 << 63, 4, 4, 1, RENAME, 1)]
    log = tmp_path / "events"
    credit = Event(0, 12345, 0, 0, 0, CREDIT, 5)
    log.write_bytes(b"".join(LAYOUT.pack(*event) for event in [*events, credit]))
    assert read(log) == events[::-1]
    assert credits_in(log) == {5: 12345}
    assert LAYOUT.size == 32
