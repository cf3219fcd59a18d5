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
from .conduct import conduct
from .contestants import Contestant, chosen
from .counted import COUNTED
from .events import read
from .facts import before, load
from .pairs import ratios_of, summarise
from .plan import plan
from .report import report
from .sets import SETS
from .table import progress, table

VOID, FAILED = 1, 2


def measure(name: str, options: Namespace, contestants: list[Contestant], folder: Path) -> list[dict]:
    """What the guest said; runs that left a log have what that says of them."""
    planned = plan(SETS[name], options.pairs, contestants, options.quick)
    lines: list[dict] = []
    for line in lines_of(planned, SETS[name].topology, options.kernel, folder):
        lines.append(line)
        tell(name, line, lines, len(planned["turns"]))
    cores = next((line["machine"]["cores"] for line in lines if "machine" in line), [])
    for run in (line["run"] for line in lines if "log" in line.get("run", {})):
        run["conduct"] = conduct(read(folder / run["log"]), cores)
    return lines


def tell(name: str, line: dict, lines: list[dict], nr_turns: int) -> None:
    if "failed" in line:
        progress(f"{name}: {line['failed']['contestant']} failed: {line['failed']['why']}")
    if "note" in line:
        progress(f"{name}: {line['note']}")
    if "run" not in line:
        return
    run = line["run"]
    ratio = ratios_of(lines, run["measurement"]).get(run["contestant"], {}).get(run["pair"])
    if ratio or "took_ns" not in run:
        nr = len({(one["run"]["measurement"], one["run"]["contestant"], one["run"]["pair"]) for one in lines if "run" in one})
        told = f"{ratio:.3f} of pinned" if ratio else "done"
        progress(f"[{nr}/{nr_turns}] {name} {run['measurement']}: {run['contestant']} {told}")


def fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def measure_all(options: Namespace, result: dict, out: Path) -> dict[str, list[dict]]:
    """Fills result; returns what each guest said."""
    contestants = chosen(options.contestant, peers.contestants())
    said = {}
    for name in options.sets:
        progress(f"{name}: booting")
        of = COUNTED.get(name) or SETS[name]
        if name in COUNTED:
            said[name], result["sets"][name] = [], of.count(options)
        else:
            said[name] = lines = measure(name, options, contestants, fresh(out / name))
            result["sets"][name] = summarise(lines, contestants, of.names, of.unpaired)
            result["host"]["kernel"] = next((line["machine"]["kernel"] for line in lines if "machine" in line), "")
        if not options.json:
            print(table(name, of.title, result["sets"][name], of.names), end="\n\n", flush=True)
    return said


def run(options: Namespace) -> int:
    out = DEFAULT.path / "bench"
    result = {"host": before(options.arguments, CHECKOUT), "sets": {}}
    try:
        progress("building donor")
        DEFAULT.make()
        DEFAULT.install()
        said = measure_all(options, result, out)
    except (BuildError, BootError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return FAILED
    result["host"]["load_after"] = load()
    (out / "results.json").write_text(json.dumps(result, indent=2) + "\n")
    (out / "report.html").write_text(report(result, said, out))
    progress(f"the report is {out / 'report.html'}")
    if options.json:
        print(json.dumps(result, indent=2))
    return VOID if any("void" in one for one in result["sets"].values()) else 0
