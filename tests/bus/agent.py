# SPDX-License-Identifier: GPL-2.0-only
"""Another user's program on the bus, run by agents.Agent: a JSON line per call in, one per answer out.

It is given the address of the bus and the name and path of the service whose signals it hears.
"""

import json
import sys

from gi.repository import Gio, GLib

address, name, path = sys.argv[1:]
flags = Gio.DBusConnectionFlags
connection = Gio.DBusConnection.new_for_address_sync(
    address, flags.AUTHENTICATION_CLIENT | flags.MESSAGE_BUS_CONNECTION, None, None)
connection.set_exit_on_close(True)
heard = []
connection.signal_subscribe(None, None, "HoldReleased", path, None, Gio.DBusSignalFlags.NONE,
                            lambda *signal: heard.append(signal[5].unpack()))


def call(name: str, path: str, interface: str, member: str, arguments: str, signature: str):
    variant = GLib.Variant.parse(GLib.VariantType(signature), arguments, None, None)
    try:
        reply = connection.call_sync(name, path, interface, member, variant, None, Gio.DBusCallFlags.NO_AUTO_START,
                                     30_000, None)
        return {"result": reply.unpack()}
    except GLib.Error as error:
        remote = Gio.DBusError.get_remote_error(error)
        return {"error": remote or "none", "text": error.message}


for line in sys.stdin:
    answer = call(*json.loads(line))
    while GLib.MainContext.default().iteration(False):
        pass
    answer["heard"] = heard[:]
    heard.clear()
    print(json.dumps(answer), flush=True)
