#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""stress SECONDS SEED: in the guest, do to donor what a machine may do to it, under load. Prints what came of it."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable

from contestants import Refused, ask, donorctl, running
from machine import CPUS, numbers

LOAD = "stress-ng --quiet --cpu 4 --cpu-load 60 --fork 2 --switch 2 --switch-freq 2000 --pipe 1 --pthread 1 --timer 1 --timer-freq 500"
MODES = ("power", "balanced", "performance")
HOOKS = ("select-cpu", "enqueue")
SWITCHES = ("on", "off", "auto")
ASKS_FOR_RESTART = 1 << 48  # of an exit code: what hotplug may do
PAUSE_SECONDS = 0.2


class Stress:
    def __init__(self, seed: int, load: subprocess.Popen) -> None:
        self.random = random.Random(seed)
        self.load = load
        self.deck: list[Callable[[], None]] = []
        self.done: dict[str, int] = {}
        self.faults: list[str] = []

    def change_cpu(self) -> None:
        """CPU 0 stays, and so does half of the others."""
        there, online = numbers((CPUS / "present").read_text()), numbers((CPUS / "online").read_text())
        cpu = self.random.choice(there[1:])
        go = cpu in online and len(online) > len(there) // 2
        with contextlib.suppress(OSError):  # busy: the kernel refused, and nothing changed
            (CPUS / f"cpu{cpu}/online").write_text("0" if go else "1")

    def change_masks(self) -> None:
        """Bind each process of the load anew, to any CPUs that are there."""
        online = numbers((CPUS / "online").read_text())
        for pid in self.processes():
            with contextlib.suppress(OSError):  # it ended, or its CPUs went away, in between
                os.sched_setaffinity(pid, self.random.sample(online, self.random.randint(1, len(online))))

    def processes(self) -> list[int]:
        found = subprocess.run(["pgrep", "-g", str(os.getpgid(self.load.pid))], capture_output=True, text=True, check=False)
        return list(map(int, found.stdout.split()))

    def change_mode(self) -> None:
        donorctl("set", self.random.choice(MODES))

    def change_donation(self) -> None:
        donorctl("donation", self.random.choice(HOOKS), self.random.choice(SWITCHES))

    def attach_anew(self) -> None:
        donorctl("detach")
        donorctl("attach")

    def kill_service(self) -> None:
        ask("systemctl", "kill", "--signal=KILL", "donord")
        ask("donorctl", "wait", "attached", "--timeout", "90")

    def next_action(self) -> Callable[[], None]:
        """As cards are dealt: all of them before any comes again."""
        if not self.deck:
            often = [self.change_cpu, self.change_masks, self.change_mode, self.change_donation]
            self.deck = [*often * 4, self.attach_anew, self.kill_service]
            self.random.shuffle(self.deck)
        return self.deck.pop()

    def act(self) -> None:
        action = self.next_action()
        forget()
        self.done[action.__name__] = self.done.get(action.__name__, 0) + 1
        try:
            action()
        except Refused as reason:
            self.check_refusal(action.__name__, str(reason))

    def check_refusal(self, action: str, reason: str) -> None:
        """A CPU that goes may end the attachment: then a call is refused, and it comes back by itself."""
        try:
            ask("donorctl", "wait", "attached", "--timeout", "90")
        except Refused as still:
            self.faults.append(f"{action}: {reason}; then {still}")

    def finish(self) -> None:
        for cpu in numbers((CPUS / "present").read_text())[1:]:
            (CPUS / f"cpu{cpu}/online").write_text("1")
        self.check_refusal("at the end", "not attached")
        if running() != "donor":
            self.faults.append(f"at the end the kernel runs {running() or 'its own scheduler'}")
        if self.load.poll() is not None:
            self.faults.append("the load ended before its time")
        self.faults += faults_in(json.loads(donorctl("exits", "--json=short"))["exits"])


def forget() -> None:
    """So many deaths and attachments in so short a time are ours; what they are limited to has tests of its own."""
    for command in (["donorctl", "reset-failed"], ["systemctl", "reset-failed", "donord"]):
        subprocess.run(command, check=False, capture_output=True, timeout=90)


def faults_in(exits: list[dict]) -> list[str]:
    """Ends that nobody asked for; but CPUs that come and go may ask for an attachment anew."""
    wrong = [one for one in exits if one["kind"] != "unregistered" and not one["code"] & ASKS_FOR_RESTART]
    return [f"{one['kind']}: {one['reason']}: {one['message']}" for one in wrong]


def main(seconds: int, seed: int) -> None:
    ask("systemctl", "start", "donord")
    load = subprocess.Popen(LOAD.split(), start_new_session=True)
    stress = Stress(seed, load)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not stress.faults:
        stress.act()
        time.sleep(PAUSE_SECONDS)
    stress.finish()
    os.killpg(load.pid, signal.SIGKILL)
    print(json.dumps({"actions": stress.done, "faults": stress.faults}), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
