# SPDX-License-Identifier: GPL-2.0-only
"""Give each guest CPU a fraction of a host CPU, and each guest core a fraction for all its CPUs
together, by nested control groups with CPU quotas."""

import contextlib
import fcntl
import os
import secrets
import time
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

from .errors import BedError
from .options import Throttle, Topology
from .qmp import Qmp

# Short, because a guest CPU that was idle starts with a full budget: moving to a fresh one would
# be rewarded by that much. Not shorter than the least quota, 1 ms, allows.
PERIOD_USEC = 20_000
LEAST_QUOTA_USEC = 1_000

PREFIX = "donor-vm-"

# Our groups ask for little and are capped; that little they must get however busy the host is.
# Each version's largest weight.
SHARES = 262_144
WEIGHT = 10_000

REMOVE_SECONDS = 5


@contextlib.contextmanager
def throttled(options: Namespace, qmp: Qmp) -> Iterator[None]:
    if not options.throttle:
        yield
        return
    groups = Version2() if Version2.usable() else Version1()
    threads = qmp.cpu_threads()
    with groups.made() as top:
        try:
            groups.fill(top, threads, options.topology, options.throttle)
            yield
        finally:
            groups.empty(threads)


def period_usec(share: float) -> int:
    return max(PERIOD_USEC, round(LEAST_QUOTA_USEC / share))


def write(path: Path, value: object) -> None:
    try:
        path.write_text(f"{value}\n")
    except OSError as error:
        raise BedError(f"--throttle cannot write {value} to {path} ({error.strerror}); it needs root and the cpu controller") from None


class Groups:
    """What both versions of the control group interface have in common."""

    parent: Path
    tasks: str

    @contextlib.contextmanager
    def made(self) -> Iterator[Path]:
        """A group of our own, held by a lock on its directory while in use."""
        self.sweep()
        top = self.parent / f"{PREFIX}{secrets.token_hex(4)}"
        try:
            top.mkdir()
        except OSError as error:
            raise BedError(f"--throttle cannot make a control group {top} ({error.strerror}); run as root") from None
        fd = os.open(top, os.O_RDONLY)
        fcntl.flock(fd, fcntl.LOCK_EX)
        try:
            yield top
        finally:
            remove(top)
            os.close(fd)

    def sweep(self) -> None:
        """Remove what a killed run left: groups that nobody holds."""
        for path in self.parent.glob(f"{PREFIX}*"):
            with contextlib.suppress(OSError):
                fd = os.open(path, os.O_RDONLY)
                try:
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    remove(path)
                finally:
                    os.close(fd)

    def fill(self, top: Path, threads: list[int], topology: Topology, throttle: Throttle) -> None:
        period = period_usec(throttle.cpu)
        for core in range(topology.llcs * topology.cores):
            first = core * topology.threads
            path = top / f"core{core}"
            self.add(path, throttle.core, period)
            for index in range(first, first + topology.threads):
                self.add(path / f"cpu{index}", throttle.cpu, period)
                write(path / f"cpu{index}" / self.tasks, threads[index])

    def add(self, path: Path, share: float, period: int) -> None:
        raise NotImplementedError

    def empty(self, threads: list[int]) -> None:
        """Move the threads out, as far as they still exist."""
        for thread in threads:
            with contextlib.suppress(BedError):
                write(self.parent / self.tasks, thread)


class Version1(Groups):
    tasks = "tasks"

    def __init__(self) -> None:
        self.parent = mount_of_cpu_controller()

    def fill(self, top: Path, threads: list[int], topology: Topology, throttle: Throttle) -> None:
        write(top / "cpu.shares", SHARES)
        super().fill(top, threads, topology, throttle)

    def add(self, path: Path, share: float, period: int) -> None:
        path.mkdir()
        write(path / "cpu.cfs_period_us", period)
        write(path / "cpu.cfs_quota_us", round(share * period))


class Version2(Groups):
    """Threads of one process may be in different groups only below a common threaded root."""

    tasks = "cgroup.threads"
    parent = Path("/sys/fs/cgroup")

    @classmethod
    def usable(cls) -> bool:
        controllers = cls.parent / "cgroup.controllers"
        return controllers.exists() and "cpu" in controllers.read_text().split()

    def add(self, path: Path, share: float, period: int) -> None:
        path.mkdir()
        write(path / "cgroup.type", "threaded")
        write(path.parent / "cgroup.subtree_control", "+cpu")
        write(path / "cpu.max", f"{round(share * period)} {period}")

    def fill(self, top: Path, threads: list[int], topology: Topology, throttle: Throttle) -> None:
        write(self.parent / "cgroup.subtree_control", "+cpu")
        write(top / "cpu.weight", WEIGHT)
        write(top / "cgroup.procs", threads[0])
        super().fill(top, threads, topology, throttle)

    def empty(self, threads: list[int]) -> None:
        with contextlib.suppress(BedError):
            write(self.parent / "cgroup.procs", threads[0])


def mount_of_cpu_controller() -> Path:
    for line in Path("/proc/mounts").read_text().splitlines():
        _device, path, kind, options, *_rest = line.split()
        if kind == "cgroup" and "cpu" in options.split(","):
            return Path(path)
    raise BedError("--throttle needs the cpu controller of control groups, and this machine has none mounted")


def remove(top: Path) -> None:
    """Innermost first; what has just been killed may take a moment to leave its group."""
    deadline = time.monotonic() + REMOVE_SECONDS
    for path in [*sorted((p for p in top.rglob("*") if p.is_dir()), reverse=True), top]:
        while True:
            try:
                path.rmdir()
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
