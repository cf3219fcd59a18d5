# SPDX-License-Identifier: GPL-2.0-only
"""Calls each method twice, without and with leave to ask for a password, and writes what came of it."""

import json
import os
import sys

sys.path.insert(0, "/in")

from gi.repository import Gio, GLib  # noqa: E402
from interface import METHODS  # noqa: E402

NAME = "org.donor.Scheduler1"
PATH = "/org/donor/Scheduler1"


def outcome(bus, interface, name, arguments, flags):
    try:
        bus.call_sync(NAME, PATH, interface, name, arguments, None, flags, 60000, None)
        return "ok"
    except GLib.Error as error:
        return Gio.DBusError.get_remote_error(error) or error.message


def main():
    bus = Gio.bus_get_sync(Gio.BusType.SYSTEM)
    result = {"uid": os.getuid(), "session": os.environ.get("XDG_SESSION_ID", ""), "seat": os.environ.get("XDG_SEAT", "")}
    for method in METHODS:
        result[method.name] = [outcome(bus, method.interface, method.name, method.arguments(), flags)
                               for flags in (Gio.DBusCallFlags.NONE, Gio.DBusCallFlags.ALLOW_INTERACTIVE_AUTHORIZATION)]
    get = GLib.Variant("(ss)", (NAME, "State"))
    result["State"] = outcome(bus, "org.freedesktop.DBus.Properties", "Get", get, Gio.DBusCallFlags.NONE)
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(result, file)


main()
