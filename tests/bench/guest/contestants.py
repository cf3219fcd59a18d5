# SPDX-License-Identifier: GPL-2.0-only
"""Attach a scheduler, make sure that the kernel runs it, and leave it again. In the guest, as root."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

SCHED_EXT = Path("/sys/kernel/sched_ext")
ATTACH_SECONDS = 120
HOOKS = ("select-cpu", "enqueue")


class Refused(Exception):
    """This scheduler is not to be had; says why."""


def read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def running() -> str:
    """The name of the scheduler that the kernel runs, "" for its own."""
    return read(SCHED_EXT / "root/ops") if read(SCHED_EXT / "state") == "enabled" else ""


def wait_for(condition, what: str, seconds: float = ATTACH_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise Refused(f"not within {seconds:.0f} s: {what}")
        time.sleep(0.1)


def ask(*command: str) -> str:
    """What it prints."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=ATTACH_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Refused(str(error)) from None
    if done.returncode:
        raise Refused(f"{' '.join(command)}: {done.stderr.strip() or done.returncode}")
    return done.stdout.strip()


def donorctl(*words: str) -> str:
    return ask("donorctl", *words)


def start_service() -> None:
    """Running, and with nothing attached."""
    ask("systemctl", "start", "donord")
    donorctl("detach")
    wait_for(lambda: not running(), "donor detached")


def kernel_itself(_contestant: dict) -> contextlib.AbstractContextManager:
    return contextlib.nullcontext()


@contextlib.contextmanager
def donor(contestant: dict) -> Iterator[None]:
    try:
        donorctl("attach")
        donorctl("set", contestant["mode"])
        for hook in HOOKS:
            donorctl("donation", hook, "off" if hook in contestant["off"] else "auto")
        if (mode := donorctl("get")) != contestant["mode"]:
            raise Refused(f"donor is in mode {mode}, not {contestant['mode']}")
        yield
    finally:
        with contextlib.suppress(Refused):  # that it is gone is checked by whoever called
            donorctl("detach")


@contextlib.contextmanager
def program(contestant: dict) -> Iterator[None]:
    """A scheduler that is attached for as long as its program runs."""
    output = Path(f"/run/{contestant['name']}.log")
    with output.open("w") as file:
        try:
            child = subprocess.Popen(contestant["command"], stdout=file, stderr=file, stdin=subprocess.DEVNULL, start_new_session=True)
        except OSError as error:
            raise Refused(f"{contestant['name']} cannot be started: {error}") from None

    def is_there() -> bool:
        if child.poll() is not None:
            said = " / ".join(output.read_text(errors="replace").splitlines()[-3:])
            raise Refused(f"{contestant['name']} ended with {child.returncode}: {said or 'it said nothing'}")
        return bool(running())

    try:
        wait_for(is_there, f"{contestant['name']} attached")
        yield
    finally:
        end(child)


def end(child: subprocess.Popen) -> None:
    for number in (signal.SIGINT, signal.SIGKILL):
        if child.poll() is None:
            os.killpg(child.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(20)


WAYS = {"kernel": kernel_itself, "donor": donor, "program": program}


@contextlib.contextmanager
def joined(contestant: dict) -> Iterator[None]:
    """That scheduler, for the time of this context; before and after it the kernel's own."""
    try:
        with WAYS[contestant["how"]](contestant):
            check(contestant)
            yield
            check(contestant)
    finally:
        wait_for(lambda: read(SCHED_EXT / "state") in ("disabled", ""), f"{contestant['name']} gone")


def check(contestant: dict) -> None:
    """What runs must be what is measured, at the end as well: a scheduler may be thrown out."""
    name, wanted = running(), contestant["ops"]
    if (wanted is None and not name) or (wanted is not None and name != wanted):
        raise Refused(f"the kernel runs {name or 'its own scheduler'}, not {wanted or contestant['name']}")
