# SPDX-License-Identifier: GPL-2.0-only
"""The methods of dbus/org.donor.Scheduler1.xml, and who may call them according to their comments."""

import os
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

from gi.repository import GLib

XML = Path(os.environ.get("DONOR_INTERFACE_XML", "/usr/share/dbus-1/interfaces/org.donor.Scheduler1.xml"))
ACTION = "org.donor.scheduler1."
SIMPLE = {"s": "", "b": False, "u": 0, "i": 0, "t": 0, "x": 0, "d": 0.0}


@dataclass(frozen=True)
class Method:
    interface: str
    name: str
    signature: str
    action: str | None  # None: open to all
    is_told: bool  # whether the comment says it

    def arguments(self) -> GLib.Variant:
        """The least that the bus library lets through."""
        types = re.findall(r"a*(?:\{\w+\}|\(\w+\)|\w)", self.signature)
        assert "".join(types) == self.signature
        return GLib.Variant(f"({self.signature})", tuple([] if t[0] == "a" and "{" not in t else SIMPLE.get(t, {})
                                                         for t in types))

    def __str__(self):
        return self.name


def read_methods() -> list[Method]:
    parser = ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True))
    result = []
    for interface in ElementTree.parse(XML, parser).getroot().findall("interface"):
        comment = ""
        for child in interface:
            if child.tag is ElementTree.Comment:
                comment = " ".join(child.text.split())
                continue
            if child.tag == "method":
                signature = "".join(a.get("type") for a in child.findall("arg") if a.get("direction") == "in")
                action = re.search(r"(?:^|\. )Action: ([a-z-]+)\.", comment)
                result.append(Method(interface.get("name"), child.get("name"), signature,
                                     ACTION + action[1] if action else None,
                                     bool(action) != bool(re.search(r"Open to all\b", comment))))
            comment = ""
    return result


METHODS = read_methods()
GUARDED = [method for method in METHODS if method.action]
OPEN = [method for method in METHODS if not method.action]
