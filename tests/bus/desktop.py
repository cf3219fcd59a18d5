# SPDX-License-Identifier: GPL-2.0-only
"""Services that a desktop has, as far as donord looks at them: each on a connection of its own."""

import time

import pytest
from gi.repository import Gio, GLib

from harness import DEADLINE, Bus, Refused, until

NEW = "org.freedesktop.UPower.PowerProfiles"
OLD = "net.hadess.PowerProfiles"
UPOWER = "org.freedesktop.UPower"
SYSTEMD = "org.freedesktop.systemd1"

MODES = {"power-saver": "power", "balanced": "balanced", "performance": "performance"}
SETTLED = 0.5  # seconds, by default
GAP = 3.0
QUICK = "[PowerProfiles]\nSettleMSec=0\n"
PATIENCE = 10.0  # seconds until donor takes the names
AUTO = "[PowerProfiles]\nProvide=auto\n"
PROPERTIES = "org.freedesktop.DBus.Properties"
DBUS = "org.freedesktop.DBus"
REPLACE, QUEUE = 2 | 4, 0  # ways to ask for a name

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


class Slider:
    """A desktop or a program that knows nothing of donor."""

    def __init__(self, bus, name=NEW):
        self.name = name
        self.connection = bus.connect()
        self.heard = []
        self.connection.signal_subscribe(None, None, None, path_of(name), None, Gio.DBusSignalFlags.NONE,
                                         lambda *heard: self.heard.append((heard[4], *heard[5].unpack())))

    def call(self, member, signature="()", *arguments, interface=None):
        try:
            reply = self.connection.call_sync(self.name, path_of(self.name), interface or self.name, member,
                                              GLib.Variant(signature, arguments), None,
                                              Gio.DBusCallFlags.NO_AUTO_START, int(DEADLINE * 1000), None)
        except GLib.Error as error:
            raise Refused(Gio.DBusError.get_remote_error(error) or "none", error.message) from None
        values = reply.unpack()
        return values[0] if len(values) == 1 else values or None

    def refused(self, *arguments, **options) -> Refused:
        try:
            result = self.call(*arguments, **options)
        except Refused as refusal:
            return refusal
        raise AssertionError(f"{arguments} was not refused but returned {result}")

    def get(self, name):
        return self.call("Get", "(ss)", self.name, name, interface=PROPERTIES)

    def set(self, value, name="ActiveProfile", kind="s"):
        return self.call("Set", "(ssv)", self.name, name, GLib.Variant(kind, value), interface=PROPERTIES)

    def hold(self, profile, reason="a reason", application="org.example.App"):
        return self.call("HoldProfile", "(sss)", profile, reason, application)

    def signals(self):
        """All that arrived before the answer to this call."""
        self.get("Version")
        until(lambda: True, "nothing")
        return self.heard

    def leave(self):
        self.connection.close_sync(None)


def owner(bus, name):
    connection = bus.connect()
    try:
        return connection.call_sync(DBUS, path_of(DBUS), DBUS, "GetNameOwner", GLib.Variant("(s)", (name,)), None,
                                    Gio.DBusCallFlags.NONE, 5000, None).unpack()[0]
    except GLib.Error:
        return ""
    finally:
        connection.close_sync(None)


def provides(donord):
    return donord.get("PowerProfilesProvider") == "donor" and owner(donord.bus, NEW) and owner(donord.bus, OLD)


def until_it_provides(donord):
    until(lambda: provides(donord), "donor offers the profiles", PATIENCE + 5)


def until_mode(donord, mode: str, deadline: float = 10.0):
    until(lambda: donord.get("Mode") == mode, f"Mode={mode}", deadline)


@pytest.fixture(scope="module")
def bus():
    bus = Bus(POLICY)
    yield bus
    bus.close()


@pytest.fixture
def services():
    """What leaves the bus at the end of the test."""
    services = []
    yield services
    for service in services:
        service.leave()


@pytest.fixture
def provide(bus, services):
    def provide(*names, **values):
        services.append(Provider(bus, *(names or [NEW]), **values))
        return services[-1]

    return provide


@pytest.fixture
def upower(bus, services):
    def upower(**values):
        services.append(UPower(bus, **values))
        return services[-1]

    return upower


def modes(donord) -> list[tuple]:
    return [signal[1:4] for signal in donord.heard() if signal[0] == "ModeChanged"]


def stays(donord, seconds: float, **wanted):
    """These properties, all the time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        now = donord.properties()
        assert {name: now[name] for name in wanted} == wanted
        until(lambda: True, "nothing")
        time.sleep(0.05)
