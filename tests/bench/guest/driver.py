#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""driver PLAN: in the guest, take turns as the plan says. Prints a line of JSON for each thing that happened."""

import contextlib
import json
import platform
import subprocess
import sys
import time
from pathlib import Path

from contestants import Refused, joined, start_service
from machine import Machine

SETTLE_SECONDS = 0.5
# A run that takes so many times as long as its work is over: something is wrong with it.
RUN_SECONDS = 180


def say(**what) -> None:
    print(json.dumps(what), flush=True)


# What workers find the tracer by; without it they spin loops.
UNMODELLED = ["env", "--unset=DONOR_BENCH_MODEL_FD"]


class Runner:
    def __init__(self, machine: Machine, out: Path, prefix: list[str]) -> None:
        self.places = machine.places
        self.out = out
        self.prefix = prefix

    def run(self, measurement: dict, words: list[str], log: str | None) -> dict:
        """What one run of this measurement printed."""
        for place, cpus in self.places.items():
            words = [word.replace(place, cpus) for word in words]
        where = str(self.out / log) if log else "-"
        command = ["/in/model", "/in/model.bpf.o", str(measurement["share"]), where, *self.prefix, *words]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=RUN_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise Refused(f"a run took longer than {RUN_SECONDS} s") from None
        if done.returncode:
            raise Refused(f"a run ended with {done.returncode}: {' / '.join(done.stderr.splitlines())}")
        if done.stderr:
            say(note=done.stderr.strip())
        printed = json.loads(done.stdout or "{}")
        result = printed if isinstance(printed, dict) else {"took_ns": printed}
        return {**result, **({"log": log} if log else {})}


def take_turn(runner: Runner, turn: dict, measurement: dict, contestant: dict) -> None:
    """The contestant's run, and the pinned one, if there is one, directly before or after it."""
    names = {"contestant": contestant["name"], "measurement": measurement["name"], "pair": turn["pair"]}

    def pinned() -> None:
        if measurement["pinned"]:
            say(run={**names, "pinned": True, **runner.run(measurement, measurement["pinned"], None)})

    if turn["pinned_first"]:
        pinned()
    with joined(contestant):
        time.sleep(SETTLE_SECONDS)
        log = f"{measurement['name']}-{contestant['name']}-{turn['pair']}.events"
        result = runner.run(measurement, measurement["command"], log)
    say(run={**names, "pinned": False, **result})
    if not turn["pinned_first"]:
        time.sleep(SETTLE_SECONDS)
        pinned()


def check_model(runner: Runner, check: dict) -> None:
    """The tracer itself: the host reckons from its logs what it should have credited."""
    for place in ("cores", "siblings"):
        say(check=runner.run(check, check[place], f"model-{place}.events"))


def main(plan: dict) -> None:
    machine = Machine()
    say(machine={**machine.describe(), "kernel": platform.release()})
    out = Path("/out")
    check_model(Runner(machine, out, []), plan["model_check"])
    runner = Runner(machine, out, [] if plan["modelled"] else UNMODELLED)
    contestants = {contestant["name"]: contestant for contestant in plan["contestants"]}
    measurements = {measurement["name"]: measurement for measurement in plan["measurements"]}
    with contextlib.suppress(Refused):  # then donor's first turn says why
        start_service()
    failed = set()
    for turn in plan["turns"]:
        name = turn["contestant"]
        if name in failed:
            continue
        try:
            take_turn(runner, turn, measurements[turn["measurement"]], contestants[name])
        except Refused as reason:
            failed.add(name)
            say(failed={"contestant": name, "why": str(reason)})


main(json.loads(Path(sys.argv[1]).read_text()))
