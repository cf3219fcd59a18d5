# SPDX-License-Identifier: GPL-2.0-only
"""Another scheduler is in the way."""

import errno
import time

import pytest
from gi.repository import Gio, GLib

from harness import ERROR, until

FAIL = "[Scheduler]\nOnConflict=fail\n"


def test_another_scheduler_is_named_and_waited_for(donord):
    donord.play("foreign", "scx_other\n")
    donord.start()
    assert (donord.get("State"), donord.get("ForeignScheduler"), donord.get("SchedulerName")) == (
        "conflict", "scx_other", "scx_other")
    assert "'scx_other'" in donord.get("StateReason")
    donord.forget()
    refusal = donord.refused("Attach", "(a{sv})", {})
    assert refusal.name == ERROR + "ConflictingScheduler" and "'scx_other'" in refusal.text
    assert donord.get("State") == "conflict" and donord.changes() == []

    donord.forget()
    donord.unplay("foreign")
    left = time.monotonic()
    until(lambda: donord.get("ForeignScheduler") == "", "the other being gone")
    assert donord.get("State") == "conflict" and donord.attaches() == 0
    donord.wait_state("attached")
    assert 0.9 < time.monotonic() - left < 5
    assert donord.heard() == [("Conflict", "scx_other", True), ("Attached", "donor", False)]


def test_each_conflict_is_told_when_it_begins_and_when_it_ends(donord):
    donord.play("foreign", "scx_one\n")
    donord.start()
    assert donord.heard() == [("Conflict", "scx_one", False)]
    donord.refused("Attach", "(a{sv})", {})
    donord.play("foreign", "scx_two\n")
    until(lambda: donord.get("ForeignScheduler") == "scx_two", "the second")
    assert donord.heard()[1:] == [("Conflict", "scx_one", True), ("Conflict", "scx_two", False)]


def test_a_third_scheduler_within_the_second_is_waited_for_as_well(donord):
    donord.play("foreign", "scx_one\n")
    donord.start()
    donord.unplay("foreign")
    until(lambda: donord.get("ForeignScheduler") == "", "the first being gone")
    time.sleep(0.3)
    donord.play("foreign", "scx_two\n")
    until(lambda: donord.get("ForeignScheduler") == "scx_two", "the second")
    assert "'scx_two'" in donord.get("StateReason")
    time.sleep(1.3)
    assert donord.get("State") == "conflict" and donord.attaches() == 0
    donord.unplay("foreign")
    time.sleep(0.6)
    assert donord.attaches() == 0  # a new second began
    donord.wait_state("attached")


def test_one_that_comes_between_look_and_attach_is_waited_for(donord):
    donord.play("attach-error", f"{errno.EBUSY}")
    donord.start()
    assert donord.get("State") == "conflict"
    donord.unplay("attach-error")
    donord.wait_state("attached")  # though no uevent says that it left


def test_detach_ends_the_waiting(donord):
    donord.play("foreign", "scx_other\n")
    donord.start()
    donord.detach()
    assert (donord.get("State"), donord.get("ForeignScheduler")) == ("detached", "scx_other")
    donord.unplay("foreign")
    until(lambda: donord.get("ForeignScheduler") == "", "the other being gone")
    time.sleep(1.3)
    assert donord.get("State") == "detached" and donord.attaches() == 0


def test_another_scheduler_shows_while_detached(donord):
    donord.start()
    donord.detach()
    donord.forget()
    donord.play("foreign", "scx_other\n")
    until(lambda: donord.get("ForeignScheduler") == "scx_other", "the other")
    assert donord.get("State") == "detached"
    assert donord.changes() == [{"ForeignScheduler": "scx_other", "SchedulerName": "scx_other"}]


def test_it_fails_where_the_configuration_says_so(donord):
    donord.configure(FAIL)
    donord.play("foreign", "scx_other\n")
    donord.start()
    assert (donord.get("State"), donord.get("ForeignScheduler")) == ("failed", "scx_other")
    assert "'scx_other'" in donord.get("StateReason") and "'donorctl attach'" in donord.get("StateReason")
    assert donord.refused("Attach", "(a{sv})", {}).name == ERROR + "ConflictingScheduler"
    donord.forget()
    donord.unplay("foreign")
    until(lambda: donord.get("ForeignScheduler") == "", "the other being gone")
    time.sleep(1.3)
    assert (donord.get("State"), donord.attaches()) == ("failed", 0)
    assert donord.heard() == [("Conflict", "scx_other", True)]
    donord.attach()
    assert donord.get("State") == "attached"


def test_another_scheduler_after_an_exit_is_a_conflict_as_well(donord):
    donord.configure("[Restart]\nMinSec=500ms\n")
    donord.start()
    donord.forget()
    donord.eject(1026)
    donord.wait_state("backoff")
    donord.play("foreign", "scx_other\n")
    donord.wait_state("conflict")
    assert [s[:2] for s in donord.heard()] == [("Exited", "stall"), ("Conflict", "scx_other")]
    donord.unplay("foreign")
    donord.wait_state("attached")


class Systemd:
    """Knows which units are active, and is asked by donord alone."""

    XML = """<node><interface name="org.freedesktop.systemd1.Manager">
      <method name="ListUnitsByNames"><arg type="as" direction="in"/>
      <arg type="a(ssssssouso)" direction="out"/></method></interface></node>"""

    def __init__(self, bus, **states):
        self.states = {f"{name}.service": state for name, state in states.items()}
        self.connection = bus.connect()
        self.asked = []
        self.held = []
        self.is_silent = False
        self.connection.register_object("/org/freedesktop/systemd1", Gio.DBusNodeInfo.new_for_xml(self.XML).interfaces[0],
                                        self.on_call, None, None)
        self.connection.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
                                  GLib.Variant("(su)", ("org.freedesktop.systemd1", 4)), None, 0, 5000, None)

    def on_call(self, _connection, _sender, _path, _interface, _method, parameters, invocation):
        names = parameters.unpack()[0]
        self.asked.append(names)
        rows = [(name, "", "loaded", self.states.get(name, "inactive"), "", "", "/", 0, "", "/") for name in names]
        answer = GLib.Variant("(a(ssssssouso))", (rows,))
        if self.is_silent:
            self.held.append(lambda: invocation.return_value(answer))
        else:
            invocation.return_value(answer)


@pytest.fixture
def systemd(bus):
    started = []

    def start(**states):
        started.append(Systemd(bus, **states))
        return started[0]

    yield start
    for one in started:
        one.connection.close_sync(None)


@pytest.mark.parametrize("states, owner", [({"scx": "active"}, "scx.service"),
                                           ({"scx": "inactive", "scx_loader": "active"}, "scx_loader.service"),
                                           ({"scx_loader": "activating"}, "scx_loader.service")])
def test_the_service_that_is_likely_to_be_behind_it_is_named(donord, systemd, states, owner):
    asked = systemd(**states).asked
    donord.play("foreign", "scx_other\n")
    donord.start()
    until(lambda: owner in donord.get("StateReason"), "the owner's name")
    assert donord.get("State") == "conflict" and f"'systemctl stop {owner}'" in donord.get("StateReason")
    assert "'scx_other'" in donord.refused("Attach", "(a{sv})", {}).text
    assert owner in donord.get("StateReason") and len(asked) == 1
    donord.unplay("foreign")
    donord.wait_state("attached")
    assert owner not in donord.get("StateReason")


@pytest.mark.parametrize("answer", ["none of them", "silence"])
def test_nobody_is_blamed_without_evidence(donord, systemd, answer):
    mock = systemd(scx="failed", scx_loader="inactive")
    mock.is_silent = answer == "silence"
    donord.play("foreign", "scx_other\n")
    donord.start()
    until(lambda: mock.asked, "the question")
    assert "probably" not in donord.get("StateReason")  # and the service answers meanwhile


def test_another_owner_is_looked_for_when_another_scheduler_comes(donord, systemd):
    mock = systemd(scx="active")
    donord.play("foreign", "scx_one\n")
    donord.start()
    until(lambda: "scx.service" in donord.get("StateReason"), "the owner's name")
    mock.states = {}
    donord.play("foreign", "scx_two\n")
    until(lambda: "'scx_two'" in donord.get("StateReason") and len(mock.asked) == 2, "the second")
    assert "scx.service" not in donord.get("StateReason")


def test_a_late_answer_does_not_blame_for_the_next_one(donord, systemd):
    mock = systemd(scx="active")
    mock.is_silent = True
    donord.play("foreign", "scx_one\n")
    donord.start()
    until(lambda: len(mock.asked) == 1, "the question")
    mock.states = {}
    donord.play("foreign", "scx_two\n")
    until(lambda: len(mock.asked) == 2, "the second question")
    for answer in mock.held:
        answer()
    mock.connection.flush_sync(None)
    donord.get("State")
    assert "'scx_two'" in donord.get("StateReason") and "probably" not in donord.get("StateReason")
