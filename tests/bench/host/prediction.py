# SPDX-License-Identifier: GPL-2.0-only
"""What the simulator says of a measurement: the same workload on a model of the same machine."""

import json
import subprocess
import tempfile
from pathlib import Path

from runner.inside import CHECKOUT

from .contestants import Contestant
from .pairs import label
from .sets import Measurement, Set

DONOR_SIM = CHECKOUT / "build/tests/sim/donor-sim"
MACHINE = "vm8"  # is 2x2x2
CPUS = 8
FIRST_CACHE = [0, 1, 2, 3]
SEEDS = 5
START_US = 1000  # between two workers, as bank-queue has it
# As the logs of spread have them (the manager: of seed): before and after its answer; who else runs, how long and how
# often. Without these nobody ever waits for a worker's CPU, and where nothing is given away nothing would be stolen.
ANSWER_US, AFTER_US = 7, 48
OF_EACH_CPU_US = {"thread": (11, 220_000), "work": (200, 3_800_000)}
SERVICES_US = {"rcu": (5, 45_000), "init": (350, 160_000)}
# The stages of a picture and the time from one to the next, as frame-chain has them.
STAGES_US, PERIOD_US = (7000, 5500, 3000), 16667


def chain(share: float) -> dict:
    """What frame-chain does: each stage wakes the next, the clock the first."""
    tasks = {}
    for number, run_us in enumerate(STAGES_US):
        begin = {"suspend": f"stage{number}"} if number else {}
        tasks[f"stage{number}"] = task = begin | {"run": run_us, "sim": {"smt_share": share, "footprint_kb": 0}}
        if number + 1 < len(STAGES_US):
            task["resume"] = f"stage{number + 1}"
        if number == 0:
            task["timer"] = {"ref": "beat", "period": PERIOD_US, "mode": "absolute"}
    return tasks


def others() -> dict:
    """The kernel's thread of each CPU, one after the other, and services."""
    sim = {"footprint_kb": 0, "jitter_pct": 50}
    tasks = {name: {"run": run_us, "sleep": every_us, "sim": sim} for name, (run_us, every_us) in SERVICES_US.items()}
    for name, (run_us, every_us) in OF_EACH_CPU_US.items():
        for cpu in range(CPUS):
            tasks[f"{name}{cpu}"] = {"delay": (2 * cpu + 1) * every_us // (2 * CPUS), "run": run_us, "sleep": every_us, "cpus": [cpu], "sim": sim}
    return tasks


def workload(of: Measurement) -> dict:
    """A file for donor-sim that says what bank-queue does."""
    start = {"loop": of.workers, "run": 200, "fork": "worker", "sleep": START_US - 200}
    sim = {"smt_share": of.share, "bind": True, "jitter_pct": of.jitter_pct, "footprint_kb": 0}
    tasks = {
        "parent": {"loop": 1, "phases": {"start": start | ({"cpus": FIRST_CACHE} if of.born else {})}},
        "worker": {"instance": 0, "take": "chunks", "run": of.chunk_us, "sim": sim},
        "manager": {"loop": 1, "serve": {"ref": "chunks", "items": of.chunks, "run": ANSWER_US, "after": AFTER_US, "channels": 8}},
    }
    return {"tasks": tasks | others() | (chain(of.share) if of.chain else {})}


def options_of(contestant: Contestant) -> list[str] | None:
    """How donor-sim is told of this one; None: it knows no such scheduler."""
    if contestant.how == "donor":
        off = [f"--set=donate_{hook.replace('-', '_')}=0" for hook in contestant.off]
        return ["--policy=pinned,donor", f"--mode={contestant.mode}", *off]
    return ["--policy=pinned,fair"] if contestant.how == "kernel" else None


def predict(of: Measurement, options: list[str]) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "workload.json")
        file.write_text(json.dumps(workload(of)))
        command = [str(DONOR_SIM), f"--machine={MACHINE}", f"--workload={file}", f"--seeds={SEEDS}", "--json=short", *options]
        told = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    policy = next(figures for name, figures in told["policies"].items() if name != "pinned")
    return {"median": policy["over_pinned"], "min": policy["min"]["over_pinned"], "max": policy["max"]["over_pinned"], "pairs": SEEDS}


def add_predictions(result: dict, of: Set, contestants: list[Contestant], quick: bool) -> None:
    """To each row of a set what was to be expected, where the simulator knows program and scheduler."""
    known = [one for one in of.measurements if isinstance(one, Measurement)]
    for measurement in known:
        for contestant in contestants:
            row, options = result["contestants"][contestant.name], options_of(contestant)
            if options and label("over_pinned", measurement.name, of.names) in row:
                row[label("predicted_over_pinned", measurement.name, of.names)] = predict(measurement.quick() if quick else measurement, options)
