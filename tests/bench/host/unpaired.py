# SPDX-License-Identifier: GPL-2.0-only
"""Sets without pairs: instructions, in a machine where a nanosecond is one, and whether donor endures."""

import json
import subprocess
from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass

from runner.inside import CHECKOUT, VM

from .boot import BUILT, BootError
from .pairs import CONTROL_TOLERANCE, label, spread_of

HAND_OVERS = ["same-cpu", "one-cpu", "cross-cpu", "cross-cpu-pinned"]
LAYOUTS = [*HAND_OVERS, "messages-one-cpu", "messages", "timer-one-cpu", "timer"]
# Names of the contestants as tests/bench/instructions has them.
SCHEDULERS = {"kernel": "kernel", "donor": "donor", "minimal": "bare"}
ATTACH_SECONDS = 900
STRESS_SECONDS, STRESS_SEED = 600, 1


@dataclass(frozen=True)
class Unpaired:
    title: str
    names: list[str]
    count: Callable[[Namespace], dict]


def output_of(command: list[str], what: str) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise BootError(f"{what} ended with {done.returncode}")
    return done.stdout


def count_switches(options: Namespace) -> dict:
    command = [str(CHECKOUT / "tests/bench/instructions"), "--json", f"--rounds={options.pairs}", f"--kernel={options.kernel}"]
    return summarise_switches(json.loads(output_of(command, "tests/bench/instructions")))


def summarise_switches(rows: list[dict]) -> dict:
    """Instructions per hand-over, and over the kernel's own turn by turn. Its control is its own turn before."""
    contestants: dict[str, dict] = {name: {} for name in ("kernel", "control", "donor", "minimal")}
    reason = None
    for row in rows:
        kernel = row["turns"]["kernel"]
        for name, known_as in SCHEDULERS.items():
            own = row["turns"][known_as]
            contestants[name][label("instructions", row["layout"], LAYOUTS)] = spread_of(own)
            ratios = [one / other for one, other in zip(own, kernel, strict=True)]
            contestants[name][label("over_kernel", row["layout"], LAYOUTS)] = spread_of(ratios)
        again = [one / before for before, one in zip(kernel, kernel[1:], strict=False)]
        if again:
            contestants["control"][label("over_kernel", row["layout"], LAYOUTS)] = control = spread_of(again)
            if abs(control["median"] - 1) > CONTROL_TOLERANCE:
                reason = f"{row['layout']}: the kernel's own scheduler differs from itself, {control['median']:.3f} instead of 1"
        else:
            reason = "one round has no control"
    return {"void": reason, "contestants": contestants} if reason else {"contestants": contestants}


def count_attaching(options: Namespace) -> dict:
    copies = [CHECKOUT / "tests/bench/guest/attach.sh", BUILT / "bench/count", BUILT / "vm/footprint"]
    words = [word for path in copies for word in ("--copy-in", str(path))]
    command = [str(VM), "run", "--icount", "--turns", "--topology", "1x4x1", "--kernel", options.kernel, "--timeout", str(ATTACH_SECONDS), *words]
    return summarise_attaching(output_of([*command, "--", "/in/attach.sh", str(options.pairs)], "the machine"))


def summarise_attaching(printed: str) -> dict:
    figures: dict[str, list[int]] = {}
    for name, number in (line.split() for line in printed.splitlines()):
        figures.setdefault(name, []).append(int(number))
    return {"contestants": {"donor": {name: spread_of(values) for name, values in figures.items()}}}


def count_latencies(options: Namespace) -> dict:
    copies = [CHECKOUT / "tests/bench/guest/latency.sh", CHECKOUT / "tests/bench/turns.sh", BUILT / "bench/count", BUILT / "vm/rival", BUILT / "vm/rival.bpf.o", CHECKOUT / "tests/sim/workloads/audio.json"]
    words = [word for path in copies for word in ("--copy-in", str(path))]
    words += [word for name in ("hackbench", "cyclictest", "rt-app") for word in ("--program", name)]
    command = [str(VM), "run", "--icount", "--turns", "--topology", "1x4x1", "--kernel", options.kernel, "--timeout", str(ATTACH_SECONDS * options.pairs), *words]
    return summarise_latencies(output_of([*command, "--", "/in/latency.sh", str(options.pairs)], "the machine"))


def summarise_latencies(printed: str) -> dict:
    """Each scheduler's figures, and over the kernel's own turn by turn. Nothing here is exact: no control."""
    figures: dict[str, dict[str, list[int]]] = {}
    for known_as, name, number in (line.split() for line in printed.splitlines()):
        figures.setdefault(known_as, {}).setdefault(name, []).append(int(number))
    contestants: dict[str, dict] = {}
    for name, known_as in SCHEDULERS.items():
        contestants[name] = {figure: spread_of(values) for figure, values in figures[known_as].items()}
        for figure, values in figures[known_as].items():
            ratios = [one / other for one, other in zip(values, figures["kernel"][figure], strict=True)]
            contestants[name][f"over_kernel_{figure}"] = spread_of(ratios)
    return {"contestants": contestants}


def endure(options: Namespace) -> dict:
    """Ten minutes, each time the same changes; the machine itself fails on whatever its kernel complains of."""
    seconds = STRESS_SECONDS // 10 if options.quick else STRESS_SECONDS
    command = [str(VM), "run", "--init", "systemd", "--kernel", options.kernel, "--timeout", str(seconds + ATTACH_SECONDS)]
    command += ["--copy-in", str(CHECKOUT / "tests/bench/guest"), "--", "/usr/bin/python3", "/in/guest/stress.py", str(seconds), str(STRESS_SEED)]
    return summarise_stress(json.loads(output_of(command, "the machine")))


def summarise_stress(told: dict) -> dict:
    row = {name: spread_of([number]) for name, number in told["actions"].items()}
    return {"contestants": {"donor": {**row, **({"failed": "; ".join(told["faults"])} if told["faults"] else {})}}}


UNPAIRED = {
    "switch": Unpaired("instructions of a wakeup and a switch", LAYOUTS, count_switches),
    "attach": Unpaired("instructions until the client has its answer, what the verifier looked at, and memory", ["attach"], count_attaching),
    "latency": Unpaired("instructions per message, and until a task runs whose timer is over: mean and most", ["latency"], count_latencies),
    "stress": Unpaired("changes that donor endured under load: CPUs, masks, modes, donation, the death of its service", ["stress"], endure),
}
