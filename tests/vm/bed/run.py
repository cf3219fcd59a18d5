# SPDX-License-Identifier: GPL-2.0-only
"""`vm run` and `vm shell`: make the guest, boot it, run the command. Runs inside the tree, in
process and mount tables of its own."""

import contextlib
import io
import secrets
import subprocess
import sys
import tarfile
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

from . import console
from .errors import BedError
from .guest import make_overlay
from .kernels import image_of
from .machine import Machine, check_qemu
from .minimal import make_initramfs
from .options import is_deterministic
from .session import Session, explain
from .system import make_root, start_file_server
from .terminal import attached_terminal
from .throttle import throttled

# The same files give the same run.
FIXED_MARK = "5b0c6d1f0e8a4c7f9d3b2a1c6e5f4d70"


def run(options: Namespace) -> int:
    check_qemu()
    kernel = image_of(options.kernel)
    log = options.console or console.new_console_file()
    ports = ["qmp", "control", "out"]
    ports += ["stdout", "stderr"] if options.command else ["stdout", "stderr", "terminal"]
    mark = FIXED_MARK if is_deterministic(options) else secrets.token_hex(16)
    session = Session(ports, mark)
    fds = {name: end.fileno() for name, end in session.theirs.items()}
    machine = Machine(options, kernel, fds, log, fds.pop("qmp"))
    with tempfile.TemporaryDirectory(prefix="donor-vm-") as scratch, guest_of(machine, mark, Path(scratch)):
        try:
            return converse(session, machine)
        except BedError as error:
            raise explain(error, log) from None


@contextlib.contextmanager
def guest_of(machine: Machine, mark: str, scratch: Path) -> Iterator[None]:
    """Make what the machine boots from, and for as long as it runs the server of its files."""
    overlay = scratch / "overlay"
    overlay.mkdir()
    make_overlay(machine.options, overlay, mark)
    if machine.options.init == "minimal":
        machine.initrd = scratch / "initrd"
        make_initramfs(machine.options, overlay, machine.initrd)
        yield
        return
    root = make_root(overlay, scratch)
    machine.file_server = scratch / "files.socket"
    server = start_file_server(root, machine.file_server)
    try:
        yield
    finally:
        server.kill()
        server.wait()
        subprocess.run(["umount", "--lazy", str(root)], check=False)


def converse(session: Session, machine: Machine) -> int:
    options = machine.options
    try:
        session.start(machine.command())
        session.listen()
        session.boot()
        report(f"up after {session.ready_after:.1f} s", options)
        with throttled(options, session.qmp), attached_terminal(options, session):
            if not is_deterministic(options):  # there, a word from outside would come at any instruction
                session.let_begin()
            status = session.wait_for_status(options.timeout)
        if not session.timed_out:
            session.wait_for_console(machine.console)
    finally:
        session.end()
    oops = console.fault(machine.console)
    if oops:
        raise BedError(f"the command ended with {status}, but the guest's kernel reported a fault")
    if session.timed_out:
        print(f"vm: the command did not end within {options.timeout:g} s", file=sys.stderr)
    elif options.copy_out:
        unpack(bytes(session.out), options.copy_out)
    return status


def report(text: str, options: Namespace) -> None:
    if options.verbose:
        print(f"vm: {text}", file=sys.stderr, flush=True)


def unpack(archive: bytes, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    try:
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            tar.extractall(target, filter="data")
    except tarfile.TarError as error:
        raise BedError(f"what came out of the guest's /out is not whole ({error})") from None
