# SPDX-License-Identifier: GPL-2.0-only
"""Our terminal, tied to the guest's for `vm shell`."""

import contextlib
import os
import selectors
import sys
import termios
import tty
from argparse import Namespace
from collections.abc import Iterator

from .session import Session


@contextlib.contextmanager
def attached_terminal(options: Namespace, session: Session) -> Iterator[None]:
    """Raw in between: every key, Ctrl-C too, goes to the guest."""
    if options.command is not None:
        yield
        return
    guest = session.ours["terminal"]

    def from_guest() -> None:
        os.write(1, guest.recv(65536))

    def from_user() -> None:
        data = os.read(0, 4096)
        if data:
            guest.sendall(data)
        else:
            session.selector.unregister(0)
            guest.sendall(b"\x04")

    session.selector.register(guest, selectors.EVENT_READ, from_guest)
    session.selector.register(0, selectors.EVENT_READ, from_user)
    saved = termios.tcgetattr(0) if sys.stdin.isatty() else None
    try:
        if saved:
            tty.setraw(0)
        yield
    finally:
        if saved:
            termios.tcsetattr(0, termios.TCSADRAIN, saved)
