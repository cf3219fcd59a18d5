# SPDX-License-Identifier: GPL-2.0-only
"""The minimal guest: one initramfs in memory, nothing of the host behind it."""

import subprocess
from argparse import Namespace
from pathlib import Path

from . import closure
from .cpio import Archive
from .guest import SCRIPTS

PROGRAMS = "busctl dbus-daemon dbus-send lscpu lstopo-no-graphics stress-ng taskset chrt setpriv".split()
FILES = ["/usr/share/dbus-1/system.conf", "/etc/nsswitch.conf", "/etc/ld.so.cache"]
ACCOUNTS = ["/etc/passwd", "/etc/group"]
LINKS = {"bin": "usr/bin", "lib": "usr/lib", "lib64": "usr/lib64", "sbin": "usr/sbin"}
DIRECTORIES = "dev etc/dbus-1/system.d in out proc root run sys tmp var/lib/dbus usr/share/dbus-1/system.d".split()
MACHINE_ID = "d0000000000000000000000000000001\n"


def make_initramfs(options: Namespace, overlay: Path, target: Path) -> None:
    with target.open("wb") as output:
        archive = Archive(output)
        # The first entry of a name counts, so what is laid over comes first.
        add_overlay(archive, overlay)
        archive.path("init", SCRIPTS / "init-minimal")
        add_skeleton(archive)
        add_programs(archive, options, overlay)
        archive.finish()


def add_overlay(archive: Archive, overlay: Path) -> None:
    for child in sorted(overlay.iterdir()):
        archive.path(child.name, child)


def add_skeleton(archive: Archive) -> None:
    for name, target in LINKS.items():
        archive.symlink(name, target)
    for name in DIRECTORIES:
        archive.directory(name)
    archive.symlink("var/run", "/run")
    archive.text("etc/machine-id", MACHINE_ID)
    for name in FILES + ACCOUNTS:
        archive.path(name[1:], Path(name))


def add_programs(archive: Archive, options: Namespace, overlay: Path) -> None:
    """The real programs first: busybox has a lesser form of some, which must not shadow them."""
    programs = [closure.program(name) for name in [*PROGRAMS, *options.program]]
    programs += command_program(options)
    own = [path for path in overlay.rglob("*") if closure.is_elf(path)]
    needed = closure.libraries([*filter(closure.is_elf, map(Path.resolve, programs)), *own], overlay)
    for path in [*programs, *needed]:
        add_file(archive, path)
    busybox = closure.program("busybox")
    archive.path("usr/bin/busybox", busybox)
    for applet in subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True).stdout.split():
        archive.symlink(f"usr/bin/{applet}", "busybox")


def command_program(options: Namespace) -> list[Path]:
    """The program that the command names, if the tree has it."""
    path = Path("/usr/bin", options.command[0]) if options.command else Path()
    return [path] if path.is_file() else []


def add_file(archive: Archive, path: Path) -> None:
    """A file of the tree under its true name, and the link to it where its name is one."""
    real = path.resolve()
    archive.path(str(real)[1:], real)
    parent = path.parent.resolve()
    archive.symlink(f"{parent}/{path.name}"[1:], str(real))
