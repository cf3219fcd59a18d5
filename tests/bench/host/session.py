# SPDX-License-Identifier: GPL-2.0-only
"""A session: boot for each set, show as it comes, write what came of it."""

import json
import shutil
import sys
from argparse import Namespace
from pathlib import Path

from runner.build import DEFAULT, BuildError
from runner.inside import CHECKOUT

from . import peers
from .boot import BootError, lines_of
from .contestants import Contestant, chosen
from .facts import before, load
from .pairs import ratios_of, summarise
from .plan import plan
from .sets import SETS
from .table import progress, table

VOID, FAILED = 1, 2


def measure(name: str, options: Namespace, contestants: list[Contestant], folder: Path) -> tuple[list[dict], dict]:
    """What the guest said, and what that comes to."""
    chosen_set = SETS[name]
    planned = plan(chosen_set, options.pairs, contestants, options.quick)
    lines: list[dict] = []
    for line in lines_of(planned, chosen_set.topology, options.kernel, folder):
        lines.append(line)
        tell(name, line, lines, len(planned["turns"]))
    return lines, summarise(lines, contestants, [measurement.name for measurement in chosen_set.measurements])


def tell(name: str, line: dict, lines: list[dict], nr_turns: int) -> None:
    if "failed" in line:
        progress(f"{name}: {line['failed']['contestant']} failed: {line['failed']['why']}")
    if "run" not in line:
        return
    run = line["run"]
    ratio = ratios_of(lines, run["measurement"]).get(run["contestant"], {}).get(run["pair"])
    if ratio:
        nr = sum("run" in one for one in lines) // 2
        progress(f"[{nr}/{nr_turns}] {name} {run['measurement']}: {run['contestant']} {ratio:.3f} of pinned")


def fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def run(options: Namespace) -> int:
    out = DEFAULT.path / "bench"
    result = {"host": before(options.arguments, CHECKOUT), "sets": {}}
    contestants = chosen(options.contestant, peers.contestants())
    try:
        progress("building donor")
        DEFAULT.make()
        DEFAULT.install()
        for name in options.sets:
            progress(f"{name}: booting")
            lines, result["sets"][name] = measure(name, options, contestants, fresh(out / name))
            result["host"] |= {"kernel": next((line["machine"]["kernel"] for line in lines if "machine" in line), "")}
            if not options.json:
                print(table(name, SETS[name].title, result["sets"][name]), end="\n\n", flush=True)
    except (BuildError, BootError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return FAILED
    result["host"]["load_after"] = load()
    (out / "results.json").write_text(json.dumps(result, indent=2) + "\n")
    if options.json:
        print(json.dumps(result, indent=2))
    return VOID if any("void" in one for one in result["sets"].values()) else 0
