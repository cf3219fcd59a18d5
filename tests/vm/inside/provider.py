# SPDX-License-Identifier: GPL-2.0-only
"""A provider of power profiles, as tuned-ppd or an old power-profiles-daemon look to others.

    python3 provider.py NAME...

has these names until its input ends; a line "PROPERTY VALUE" there changes a property.
"""

import sys
import threading

from gi.repository import Gio, GLib

NAMES = sys.argv[1:]
VALUES = {"ActiveProfile": "balanced", "PerformanceDegraded": "", "Version": "2.27"}


def path_of(name):
    return "/" + name.replace(".", "/")


def change(key, value):
    VALUES[key] = value
    for name in NAMES:
        bus.emit_signal(None, path_of(name), "org.freedesktop.DBus.Properties", "PropertiesChanged",
                        GLib.Variant("(sa{sv}as)", (name, {key: GLib.Variant("s", value)}, [])))


def obey():
    for line in sys.stdin:
        GLib.idle_add(change, *line.rstrip("\n").split(" ", 1))
    GLib.idle_add(loop.quit)


bus = Gio.bus_get_sync(Gio.BusType.SYSTEM)
for own in NAMES:
    members = "".join(f'<property name="{key}" type="s" access="read"/>' for key in VALUES)
    node = Gio.DBusNodeInfo.new_for_xml(f'<node><interface name="{own}">{members}</interface></node>')
    bus.register_object(path_of(own), node.interfaces[0], None, lambda *get: GLib.Variant("s", VALUES[get[4]]), None)
    Gio.bus_own_name_on_connection(bus, own, Gio.BusNameOwnerFlags.NONE, None, None)
loop = GLib.MainLoop()
threading.Thread(target=obey, daemon=True).start()
loop.run()
