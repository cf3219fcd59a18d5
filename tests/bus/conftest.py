# SPDX-License-Identifier: GPL-2.0-only

import os
import sys
from pathlib import Path

import pytest
from gi.repository import Gio, GLib

sys.path.insert(0, str(Path(__file__).parent))

from agents import Agent  # noqa: E402
from harness import Bus, Donord  # noqa: E402


@pytest.fixture(scope="session")
def bus():
    bus = Bus()
    yield bus
    bus.close()


@pytest.fixture
def agent(bus):
    """Makes connections of other users; root alone can play them."""
    if os.getuid() != 0:
        pytest.skip("other users can be played by root only")
    agents = []

    def make(uid: int) -> Agent:
        agents.append(Agent(bus, uid))
        return agents[-1]

    yield make
    for one in agents:
        one.close()


@pytest.fixture
def donord(bus):
    """Not started yet: the test may arrange its kernel and its configuration first."""
    donord = Donord(bus)
    yield donord
    donord.close()


@pytest.fixture
def systemd(bus):
    """org.freedesktop.systemd1, which says what job our unit has: set `systemd["job"]`."""
    answers = {"job": "restart"}
    connection = bus.connect()

    def on_call(_connection, _sender, path, _interface, method, arguments, invocation):
        if method == "GetUnitByPID":
            return invocation.return_value(GLib.Variant("(o)", ("/unit",)))
        _interface, name = arguments.unpack()
        job = GLib.Variant("(uo)", (7, "/job") if answers["job"] else (0, "/"))
        return invocation.return_value(GLib.Variant("(v)", (job if name == "Job" else GLib.Variant("s", answers["job"]),)))

    method = '<method name="{}"><arg type="{}" direction="in"/>{}<arg type="{}" direction="out"/></method>'
    for path, interface, xml in [
            ("/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager", method.format("GetUnitByPID", "u", "", "o")),
            *[(path, "org.freedesktop.DBus.Properties", method.format("Get", "s", '<arg type="s" direction="in"/>', "v"))
              for path in ("/unit", "/job")]]:
        node = Gio.DBusNodeInfo.new_for_xml(f'<node><interface name="{interface}">{xml}</interface></node>')
        connection.register_object(path, node.interfaces[0], on_call, None, None)
    connection.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
                         GLib.Variant("(su)", ("org.freedesktop.systemd1", 0)), None, Gio.DBusCallFlags.NONE, 5000, None)
    yield answers
    connection.close_sync(None)
