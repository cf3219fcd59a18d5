# SPDX-License-Identifier: GPL-2.0-only
"""donorctl wait lives from signals."""

import subprocess
import threading
import time

import pytest
from fake_donord import (DONORCTL, FakeService, assert_bad, assert_good, bus, environment, one_bus,
                         run, service)
from gi.repository import GLib


class Waiting:
    def __init__(self, bus, *words):
        self.process = subprocess.Popen([DONORCTL, "wait", *words], env=environment(bus),
                                        stderr=subprocess.PIPE, text=True)

    def end(self):
        """Its exit status and complaint."""
        complaint = self.process.communicate(timeout=20)[1]
        return self.process.returncode, complaint


def until(condition):
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_the_state_that_is(bus, service):
    assert_good(run(bus, "wait", "attached"))


def test_the_state_is_taken_from_the_signal(bus, service):
    """It may be over before one could ask for it."""
    waiting = Waiting(bus, "conflict")
    until(lambda: service.reads)
    service.announce(Mode="power")
    service.announce(State="attaching")
    assert waiting.process.poll() is None
    service.announce(State="conflict")
    assert waiting.end() == (0, "")
    assert service.reads == 1


def test_a_signal_with_more_than_the_state(bus, service):
    waiting = Waiting(bus, "conflict", "--timeout=20")
    until(lambda: service.reads)
    service.announce(Mode="power", State="conflict", AttachedSinceUSec=0)
    assert waiting.end() == (0, "")


def test_nothing_is_polled(bus, service):
    assert Waiting(bus, "detached", "--timeout=1.2").end()[0] == 124
    assert service.reads == 1


@pytest.mark.parametrize("timeout", ["0", "300ms"])
def test_time_out(bus, service, timeout):
    begin = time.monotonic()
    done = run(bus, "wait", "detached", f"--timeout={timeout}")
    assert_bad(done, 124, "not detached in time", "donorctl status")
    assert time.monotonic() - begin < 10


def test_time_out_without_service(bus):
    assert_bad(run(bus, "wait", "attached", "--timeout=0.2"), 124, "not attached in time")
    assert not bus.mark.exists()


def test_a_time_out_of_0_looks_once(bus, service):
    assert_good(run(bus, "wait", "attached", "--timeout=0"))


def test_the_service_may_appear(bus):
    waiting = Waiting(bus, "attached", "--timeout=20")
    time.sleep(0.3)
    assert waiting.process.poll() is None
    fake = FakeService(bus.address)
    try:
        assert waiting.end() == (0, "")
    finally:
        fake.stop()


def test_the_service_may_restart(bus, service):
    service.set(State="detached")
    waiting = Waiting(bus, "attached", "--timeout=20")
    until(lambda: service.reads)
    service.stop()
    time.sleep(0.2)
    assert waiting.process.poll() is None
    fake = FakeService(bus.address)
    try:
        assert waiting.end() == (0, "")
    finally:
        fake.stop()


@pytest.mark.parametrize("state, status, texts", [
    ("failed", 3, ["not attached (failed): The reason."]),
    ("unsupported", 5, ["The reason.", "donorctl doctor"])])
def test_what_cannot_come_is_not_waited_for(bus, service, state, status, texts):
    service.set(State="attaching", StateReason="The reason.")
    waiting = Waiting(bus, "attached", "--timeout=20")
    until(lambda: service.reads)
    service.set(State=state)
    service.announce(State=state)
    code, complaint = waiting.end()
    assert code == status
    for text in texts:
        assert text in complaint


@pytest.mark.parametrize("state", ["conflict", "detached", "attaching", "backoff"])
def test_what_may_come_is_waited_for(bus, service, state):
    service.set(State=state)
    assert_bad(run(bus, "wait", "attached", "--timeout=0.3"), 124)


def test_a_service_that_hangs(bus, service):
    going_on = threading.Event()
    service.context.invoke_full(GLib.PRIORITY_HIGH, lambda: going_on.wait(20) and False)
    try:
        begin = time.monotonic()
        assert_bad(run(bus, "wait", "detached", "--timeout=0.5"), 124)
        assert time.monotonic() - begin < 10
    finally:
        going_on.set()
