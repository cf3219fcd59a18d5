# SPDX-License-Identifier: GPL-2.0-only
"""The command line of ./bench."""

import argparse

from bed.options import throttle as check

from .contestants import OWN
from .peers import peer
from .sets import SETS as RUN
from .unpaired import UNPAIRED

SETS = [*RUN, *UNPAIRED]
LEAST_PAIRS = 5


def throttle(text: str) -> str:
    """Checked as tests/vm/vm does, and handed on as it is."""
    check(text)
    return text


def number(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number above 0")
    return int(text)


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="./bench",
        description="Measure donor beside other schedulers, on a real kernel in a virtual machine. "
        "Exit status: 0 done, 1 a set is void or donor did not endure, 2 a set could not be measured.",
    )
    add = top.add_argument
    add("sets", nargs="*", metavar="SET", help=f"of {', '.join(SETS)} (all)")
    add("--contestant", action="append", default=[], choices=[one.name for one in OWN], metavar="NAME",
        help=f"only this one beside the kernel's own; may be repeated. {', '.join(one.name for one in OWN)}")  # fmt: skip
    add("--peer", action="append", default=[], type=peer, metavar="NAME=COMMAND",
        help="one more: the program of any sched_ext scheduler, which is copied into the machine with its libraries")  # fmt: skip
    add("--pairs", type=number, default=LEAST_PAIRS, metavar="N", help=f"runs of each beside a pinned one ({LEAST_PAIRS})")
    add("--throttle", type=throttle, metavar="Q:Y", help="real work in a machine whose CPUs get shares of the host's, see tests/vm/README.md")
    add("--quick", action="store_true", help="a quarter of the work")
    add("--kernel", default="newest", metavar="VERSION|PATH", help="as for tests/vm/vm (newest)")
    add("--json", action="store_true", help="print one JSON object, not tables")
    return top


def parse(arguments: list[str]) -> argparse.Namespace:
    options = parser().parse_args(arguments)
    options.arguments = arguments
    unknown = [name for name in options.sets if name not in SETS]
    if unknown:
        parser().error(f"there is no set {unknown[0]}; there are {', '.join(SETS)}")
    options.sets = options.sets or list(SETS)
    return options
