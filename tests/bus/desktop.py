# SPDX-License-Identifier: GPL-2.0-only
"""Services that a desktop has, as far as donord looks at them: each on a connection of its own."""

from gi.repository import Gio, GLib

from harness import until

NEW = "org.freedesktop.UPower.PowerProfiles"
OLD = "net.hadess.PowerProfiles"
UPOWER = "org.freedesktop.UPower"
SYSTEMD = "org.freedesktop.systemd1"

# What these tests own on the bus besides what donor's own policy lets root own.
POLICY = "".join(f"""<policy context="mandatory"><allow own="{name}"/><allow send_destination="{name}"/></policy>"""
                 for name in (UPOWER, SYSTEMD))


def path_of(name: str) -> str:
    return "/" + name.replace(".", "/")


class Service:
    """Objects with properties that can be read and announced."""

    def __init__(self, bus, names: list[str], objects: dict[str, tuple[str, dict[str, GLib.Variant]]], methods: str = "",
                 flags: int = 4, wanted: int = 1):
        self.connection = bus.connect()
        self.objects = objects
        self.reads = 0
        self.calls = []
        for path, (interface, properties) in objects.items():
            members = "".join(f'<property name="{n}" type="{v.get_type_string()}" access="read"/>'
                              for n, v in properties.items())
            xml = f'<node><interface name="{interface}">{members}{methods}</interface></node>'
            self.connection.register_object(path, Gio.DBusNodeInfo.new_for_xml(xml).interfaces[0],
                                            self.on_call, self.on_get, None)
        self.names = names
        for name in names:
            assert self.request_name(name, flags) == wanted

    def request_name(self, name: str, flags: int = 4) -> int:
        """1: it is ours, 2: we wait for it, 3: somebody else has it."""
        return self.connection.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                         "RequestName", GLib.Variant("(su)", (name, flags)), None,
                                         Gio.DBusCallFlags.NONE, 5000, None).unpack()[0]

    def on_get(self, _connection, _sender, path, _interface, name):
        self.reads += 1
        return self.objects[path][1][name]

    def on_call(self, _connection, _sender, _path, _interface, method, parameters, invocation):
        self.calls.append((method, *parameters.unpack()))
        invocation.return_value(self.answer(method))

    def answer(self, method: str):
        return None

    def change(self, path: str, **values):
        interface, properties = self.objects[path]
        properties |= values
        self.announce(path, interface, values, [])

    def announce(self, path: str, interface: str, values: dict, invalidated: list[str]):
        self.connection.emit_signal(None, path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
                                    GLib.Variant("(sa{sv}as)", (interface, values, invalidated)))

    def leave(self):
        if not self.connection.is_closed():
            self.connection.close_sync(None)


class Provider(Service):
    """Who provides power profiles, under the new name, the old one, or both."""

    def __init__(self, bus, *names: str, profile: str = "balanced", degraded: str = "", version: str = "0.30", **how):
        texts = {"ActiveProfile": profile, "PerformanceDegraded": degraded, "Version": version}
        super().__init__(bus, list(names), {
            path_of(name): (name, {key: GLib.Variant("s", text) for key, text in texts.items()}) for name in names}, **how)

    def set(self, **texts: str):
        for name in self.names:
            self.change(path_of(name), **{key: GLib.Variant("s", text) for key, text in texts.items()})

    def choose(self, profile: str):
        self.set(ActiveProfile=profile)


class UPower(Service):
    DEVICE = path_of(UPOWER) + "/devices/DisplayDevice"

    def __init__(self, bus, on_battery: bool = False, percentage: float = 80.0, is_present: bool = True):
        super().__init__(bus, [UPOWER], {
            path_of(UPOWER): (UPOWER, {"OnBattery": GLib.Variant("b", on_battery)}),
            self.DEVICE: (UPOWER + ".Device", {"IsPresent": GLib.Variant("b", is_present),
                                               "Percentage": GLib.Variant("d", percentage)})})

    def unplug(self, unplugged: bool = True):
        self.change(path_of(UPOWER), OnBattery=GLib.Variant("b", unplugged))

    def charge(self, percentage: float):
        self.change(self.DEVICE, Percentage=GLib.Variant("d", percentage))


class Systemd(Service):
    """Knows the units of providers, by the state of their files."""

    METHODS = """<method name="Subscribe"/><method name="Unsubscribe"/><method name="ListUnitFilesByPatterns">
      <arg type="as" direction="in"/><arg type="as" direction="in"/><arg type="a(ss)" direction="out"/></method>"""

    def __init__(self, bus, units: dict[str, str]):
        self.units = units
        super().__init__(bus, [SYSTEMD], {path_of(SYSTEMD): (SYSTEMD + ".Manager", {})}, self.METHODS)

    def answer(self, method: str):
        if method != "ListUnitFilesByPatterns":
            return None
        asked = self.calls[-1][2]
        return GLib.Variant("(a(ss))", ([(f"/usr/lib/systemd/system/{unit}", state)
                                         for unit, state in self.units.items() if unit in asked],))

    def tell(self, unit: str, state: str):
        path = f"{path_of(SYSTEMD)}/unit/{unit.replace('-', '_2d').replace('.', '_2e')}"
        self.announce(path, SYSTEMD + ".Unit", {"Job": GLib.Variant("(uo)", (7, "/")), "ActiveState": GLib.Variant("s", state)}, [])


def until_mode(donord, mode: str, deadline: float = 10.0):
    until(lambda: donord.get("Mode") == mode, f"Mode={mode}", deadline)
