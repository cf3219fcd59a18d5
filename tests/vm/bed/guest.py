# SPDX-License-Identifier: GPL-2.0-only
"""What both kinds of guest have in common: the command, donor's files, and the accounts."""

import os
import shlex
import shutil
import subprocess
from argparse import Namespace
from pathlib import Path

from .cache import CHECKOUT
from .errors import BedError
from .options import is_deterministic

SCRIPTS = CHECKOUT / "tests/vm/guest"
HOME = "usr/lib/donor-vm"


def make_overlay(options: Namespace, overlay: Path, mark: str) -> None:
    """Fill the directory that is laid over the guest's root: donor, the command, its files."""
    lay_over_donor(options, overlay)
    home = overlay / HOME
    home.mkdir(parents=True)
    shutil.copy(SCRIPTS / "run-command", home)
    (home / "command").write_text(command_text(options))
    (home / "environment").write_text(environment_text(options, mark))
    for path in options.copy_in:
        copy_in(path, overlay / "in")
    (overlay / "out").mkdir(exist_ok=True)
    add_accounts(overlay)


def lay_over_donor(options: Namespace, overlay: Path) -> None:
    if options.destdir is None:
        return
    if not options.destdir.is_dir():
        raise BedError(f"{options.destdir} is not a directory; fill it with `meson install --destdir`")
    shutil.copytree(options.destdir, overlay, symlinks=True, dirs_exist_ok=True)
    # In Debian these are links into /usr; a directory in their place would hide all that is there.
    for name in ("bin", "lib", "lib64", "sbin"):
        if (overlay / name).is_dir():
            shutil.copytree(overlay / name, overlay / "usr" / name, symlinks=True, dirs_exist_ok=True)
            shutil.rmtree(overlay / name)


def command_text(options: Namespace) -> str:
    if options.command is None:
        return "exec sh -i\n"
    if len(options.command) == 1 and any(mark in options.command[0] for mark in " ;|&<>$\n"):
        return options.command[0] + "\n"
    return f"exec {shlex.join(options.command)}\n"


def environment_text(options: Namespace, mark: str) -> str:
    columns, rows = shutil.get_terminal_size()
    shell = options.command is None
    settings = {
        "DONOR_VM_MARK": mark,
        "DONOR_VM_DETERMINISTIC": int(is_deterministic(options)),
        "DONOR_VM_SHELL": int(shell),
        "DONOR_VM_COPY_OUT": int(options.copy_out is not None),
        "DONOR_VM_ROWS": rows,
        "DONOR_VM_COLUMNS": columns,
    }
    lines = [f"{name}={value}\n" for name, value in settings.items()]
    if shell:
        lines.append(f"export TERM={shlex.quote(os.environ.get('TERM', 'linux'))}\n")
    return "".join(lines)


def copy_in(path: Path, target: Path) -> None:
    target.mkdir(exist_ok=True)
    if path.is_dir():
        shutil.copytree(path, target / path.name, symlinks=True, dirs_exist_ok=True)
    elif path.is_file():
        shutil.copy(path, target)
    else:
        raise BedError(f"--copy-in {path}: there is no such file or directory")


def add_accounts(overlay: Path) -> None:
    """Make the users that donor's sysusers file asks for; files only, nothing is started."""
    fragments = sorted(overlay.glob("usr/lib/sysusers.d/*.conf"))
    if not fragments:
        return
    (overlay / "etc").mkdir(exist_ok=True)
    for name in ("passwd", "group", "shadow", "gshadow"):
        if Path("/etc", name).exists():
            shutil.copy(f"/etc/{name}", overlay / "etc")
    command = ["systemd-sysusers", f"--root={overlay}", *(path.name for path in fragments)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise BedError(f"systemd-sysusers failed: {result.stderr.strip()}")
