# SPDX-License-Identifier: GPL-2.0-only
"""Namespaces: run a command as the only child of a private process and mount table, so that when
it ends, or we are killed, nothing it started and nothing it mounted is left."""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from .errors import BedError

CLONE_NEWNS = 0x00020000
CLONE_NEWPID = 0x20000000
PR_SET_PDEATHSIG = 1

# si_code of a signal that the kernel sent by itself, such as Ctrl-C: the terminal has already
# given it to every process of the foreground group, so it must not be passed on once more.
SI_KERNEL = 0x80

PASSED_ON = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT}

libc = ctypes.CDLL(None, use_errno=True)


def become_root_in_user_namespace(argv: list[str]) -> None:
    """As an ordinary user: start again as root of a user namespace. Returns at once for root."""
    if os.geteuid() == 0:
        return
    if not (shutil.which("unshare") and shutil.which("newuidmap")):
        raise BedError("without root, unshare and newuidmap are needed: install util-linux and uidmap, or run as root")
    command = ["unshare", "--user", "--map-root-user", "--map-auto", "--mount", "--", *argv]
    os.execvp(command[0], command)


def unshare(flags: int) -> None:
    if libc.unshare(flags):
        error = os.strerror(ctypes.get_errno())
        raise BedError(f"cannot make private namespaces ({error}); run as root, or allow user namespaces")


def mount(*arguments: str | Path) -> None:
    command = ["mount", *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise BedError(f"`{' '.join(command)}` failed: {result.stderr.strip()}")


def run_in_spaces(prepare: Callable[[], None], argv: list[str]) -> int:
    """Run prepare() and then argv in new process and mount namespaces; return argv's status."""
    signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON | {signal.SIGCHLD})
    unshare(CLONE_NEWNS | CLONE_NEWPID)
    first = os.fork()
    if first == 0:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        os._exit(be_first_process(prepare, argv))
    return wait_passing_signals(first)


def be_first_process(prepare: Callable[[], None], argv: list[str]) -> int:
    """Process 1 of the new namespace: set the mounts up, start argv, and reap."""
    try:
        mount("--make-rprivate", "/")
        prepare()
    except (BedError, OSError) as error:
        print(f"{os.path.basename(sys.argv[0])}: {error}", file=sys.stderr)
        return 125
    child = os.fork()
    if child == 0:
        execute(argv)
    return wait_passing_signals(child)


def execute(argv: list[str]) -> None:
    for number in PASSED_ON:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    try:
        os.execvp(argv[0], argv)
    except OSError as error:
        print(f"{argv[0]}: {error.strerror}", file=sys.stderr)
        os._exit(127 if isinstance(error, FileNotFoundError) else 126)


def wait_passing_signals(child: int) -> int:
    """Wait for the child, reap everything else, pass signals on; the child's status, as a shell has it."""
    while True:
        pid, status = reap()
        while pid:
            if pid == child:
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else 128 - code
            pid, status = reap()
        info = signal.sigwaitinfo(PASSED_ON | {signal.SIGCHLD})
        if info.si_signo != signal.SIGCHLD and info.si_code != SI_KERNEL:
            os.kill(child, info.si_signo)


def reap() -> tuple[int, int]:
    try:
        return os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return 0, 0
