# SPDX-License-Identifier: GPL-2.0-only
"""The schedulers that take turns."""

from dataclasses import asdict, dataclass

BOTH = ("select-cpu", "enqueue")


@dataclass(frozen=True)
class Contestant:
    name: str
    how: str  # of WAYS in guest/contestants.py
    ops: str | None  # the name that the kernel must show, "" for its own; None: any
    mode: str = ""
    off: tuple[str, ...] = ()  # hooks at which donor does not donate
    command: tuple[str, ...] = ()

    def in_plan(self) -> dict:
        return asdict(self)


def donor(name: str, mode: str = "balanced", off: tuple[str, ...] = ()) -> Contestant:
    return Contestant(name, "donor", "donor", mode, off)


KERNEL, CONTROL = Contestant("kernel", "kernel", ""), Contestant("control", "kernel", "")

OWN = [
    KERNEL,
    CONTROL,
    donor("donor"),
    donor("donor-power", "power"),
    donor("donor-performance", "performance"),
    donor("donor-no-select-cpu", off=("select-cpu",)),
    donor("donor-no-enqueue", off=("enqueue",)),
    donor("donor-no-donation", off=BOTH),
    Contestant("minimal", "program", "rival", command=("/in/rival", "/in/rival.bpf.o")),
]


def chosen(names: list[str], peers: list[Contestant]) -> list[Contestant]:
    """Those of these names, all unless some are named; the kernel's own, twice, and peers always."""
    wanted = [one for one in OWN if not names or one.name in names or one in (KERNEL, CONTROL)]
    return wanted + peers
