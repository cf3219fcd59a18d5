# SPDX-License-Identifier: GPL-2.0-only
"""The command line of `vm run` and `vm shell`."""

import argparse
import re
from dataclasses import dataclass
from pathlib import Path

from .cache import CHECKOUT

DEFAULT_DESTDIR = CHECKOUT / "build/vm-root"


@dataclass(frozen=True)
class Topology:
    llcs: int
    cores: int
    threads: int

    @property
    def cpus(self) -> int:
        return self.llcs * self.cores * self.threads


@dataclass(frozen=True)
class Throttle:
    cpu: float  # share of a host CPU that each guest CPU gets
    core: float  # share that all CPUs of one guest core get together


def topology(text: str) -> Topology:
    match = re.fullmatch(r"(\d+)x(\d+)x(\d+)", text)
    if not match or "0" in match.groups():
        raise argparse.ArgumentTypeError(f"{text} is not LLCSxCORESxTHREADS, such as 2x2x2")
    return Topology(*map(int, match.groups()))


def throttle(text: str) -> Throttle:
    match = re.fullmatch(r"(0?\.\d+|1):([12]|[12]?\.\d+|2\.0)", text)
    if not match or not 0.01 <= float(match[1]) <= 1:
        raise argparse.ArgumentTypeError(
            f"{text} is not Q:Y: a share of a host CPU from 0.01 to 1, and what a core does with all "
            "its threads busy, from 1 to 2 times that; such as 0.15:1.25"
        )
    return Throttle(float(match[1]), float(match[1]) * float(match[2]))


def is_deterministic(options: argparse.Namespace) -> bool:
    """The systemd guest has its files from the host, which serves them in its own time."""
    return options.icount and options.init == "minimal"


def directory(text: str) -> Path:
    return Path(text).absolute()


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="vm", description="A virtual machine with sched_ext and donor in it.")
    commands = top.add_subparsers(dest="what", required=True)
    run = commands.add_parser("run", help="run a command in a new machine, with its output and its exit status")
    shell = commands.add_parser("shell", help="the same machine, with a prompt")
    for command in (run, shell):
        add_machine_options(command)
    run.add_argument("--timeout", type=float, default=300, metavar="S", help="seconds the command may take (300)")
    run.add_argument("command", nargs="+", metavar="CMD", help="put -- before it")
    shell.set_defaults(timeout=None, command=None)
    kernels = commands.add_parser("kernels", help="list, fetch or build kernels that have sched_ext")
    kernels.add_argument("--json", action="store_true")
    kernels.add_argument("--fetch", metavar="VERSION", help="a version, oldest or newest")
    kernels.add_argument("--build", metavar="VERSION", choices=["6.12"], help="6.12, from Debian's source")
    return top


def add_machine_options(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--init", choices=["minimal", "systemd"], default="minimal", help="what the guest is (minimal)")
    add("--topology", type=topology, default=Topology(2, 2, 2), metavar="LLCSxCORESxTHREADS", help="(2x2x2)")
    add("--kernel", default="newest", metavar="VERSION|PATH", help="also: oldest, newest (newest)")
    add("--throttle", type=throttle, metavar="Q:Y", help="share of a host CPU per guest CPU, and SMT yield of a core")
    add("--icount", action="store_true", help="one thread, one nanosecond per instruction; the minimal guest repeats to the nanosecond")
    add("--turns", action="store_true", help="with --icount: turns of CPUs end soon, so who is woken is heard; then nothing repeats exactly")
    add("--memory", type=int, default=2048, metavar="MIB", help="guest memory (2048)")
    add("--copy-out", type=directory, metavar="DIR", help="what the command leaves in /out comes here")
    add("--copy-in", type=directory, action="append", default=[], metavar="PATH", help="file or directory put in /in")
    add("--destdir", type=directory, metavar="DIR", help="`meson install` tree laid over the root (build/vm-root)")
    add("--program", action="append", default=[], metavar="NAME", help="one more program of the tree in the minimal guest")
    add("--cmdline", default="", metavar="ARGS", help="more kernel parameters")
    add("-v", "--verbose", action="store_true", help="say how long the boot took")
    add("--console", type=directory, metavar="FILE", help="keep the guest's console here")


def parse(arguments: list[str]) -> argparse.Namespace:
    options = parser().parse_args(arguments)
    if options.what != "kernels":
        if options.destdir is None and DEFAULT_DESTDIR.is_dir():
            options.destdir = DEFAULT_DESTDIR
        if options.turns and not options.icount:
            parser().error("--turns needs --icount: else all CPUs run at once")
        if options.icount and options.throttle:
            parser().error("--icount and --throttle exclude each other: one has instructions for time, the other shares")
    return options
