# SPDX-License-Identifier: GPL-2.0-only
"""A session: boot for each set, show as it comes, write what came of it."""

import json
import shutil
import sys
from argparse import Namespace
from pathlib import Path

from runner.build import DEFAULT, BuildError

from . import peers
from .boot import BootError, lines_of
from .conduct import conduct, credited
from .contestants import Contestant, chosen
from .events import credits_in, read
from .facts import before, load
from .pairs import ratios_of, summarise
from .plan import plan
from .prediction import add_predictions
from .report import report
from .sets import FULL, MODEL_CHECK, SETS, Set
from .table import progress, table
from .unpaired import UNPAIRED, Unpaired

VOID, FAILED, INTERRUPTED = 1, 2, 130


def set_of(name: str, options: Namespace) -> Set:
    return SETS[name].throttled() if options.throttle else SETS[name]


def machine_of(of: Set, options: Namespace) -> list[str]:
    """Its clock is its own, so that the host's load does not count, unless work is real and takes the host's time."""
    clock = [f"--throttle={options.throttle}"] if options.throttle else ["--icount", "--turns"]
    return [f"--topology={of.topology}", f"--kernel={options.kernel}", *clock]


def measure(name: str, options: Namespace, contestants: list[Contestant], folder: Path) -> list[dict]:
    """What the guest said; runs that left a log have what that says of them."""
    of = set_of(name, options)
    planned = plan(of, options.pairs, contestants, options.quick, modelled=not options.throttle)
    lines: list[dict] = []
    for line in lines_of(planned, machine_of(of, options), folder):
        lines.append(line)
        tell(name, line, lines, len(planned["turns"]))
    cores = next((line["machine"]["cores"] for line in lines if "machine" in line), [])
    for run in (line["run"] for line in lines if "log" in line.get("run", {})):
        run["conduct"] = conduct(read(folder / run["log"]), cores)
    for check in (line["check"] for line in lines if "check" in line):
        check["log_over_credit"] = log_over_credit(folder / check["log"], cores)
    return lines


def log_over_credit(log: Path, cores: list[list[int]]) -> list[float]:
    """For each worker of the tracer's check: the work that its log amounts to, over what it was credited with."""
    done, credit = credited(read(log), cores, round(MODEL_CHECK.share * FULL) / FULL), credits_in(log)
    return [done.get(worker, 0) / credit[worker] for worker in credit]


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


def measure_set(name: str, options: Namespace, contestants: list[Contestant], result: dict, out: Path) -> list[dict]:
    """Puts what it comes to into result; returns what the guest said."""
    progress(f"{name}: booting")
    if name in UNPAIRED:
        lines, result["sets"][name] = [], UNPAIRED[name].count(options)
    else:
        lines = measure(name, options, contestants, fresh(out / name))
        of = set_of(name, options)
        result["sets"][name] = summarise(lines, contestants, of.names, of.watched)
        if not options.throttle:  # there a busy sibling costs what the throttle says
            add_predictions(result["sets"][name], of, contestants, options.quick)
        result["host"]["kernel"] = next((line["machine"]["kernel"] for line in lines if "machine" in line), "")
    if not options.json:
        of = UNPAIRED.get(name) or set_of(name, options)
        print(table(name, of.title, result["sets"][name], of.names), end="\n\n", flush=True)
    return lines


def write(result: dict, said: dict[str, list[dict]], out: Path, known: dict[str, Set | Unpaired]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    (out / "results.json").write_text(json.dumps(result, indent=2) + "\n")
    (out / "report.html").write_text(report(result, said, out, known))
    progress(f"the report is {out / 'report.html'}")


def is_clean(of_set: dict) -> bool:
    """Not void; and donor endured, where there is nothing to compare."""
    return "void" not in of_set and not (list(of_set["contestants"]) == ["donor"] and "failed" in of_set["contestants"]["donor"])


def run(options: Namespace) -> int:
    out = DEFAULT.path / "bench"
    result, said, status = {"host": before(options.arguments), "sets": {}}, {}, 0
    contestants = chosen(options.contestant, peers.contestants())
    try:
        progress("building donor")
        DEFAULT.make()
        DEFAULT.install()
        for name in options.sets:
            said[name] = measure_set(name, options, contestants, result, out)
    except (BuildError, BootError) as error:
        print(f"bench: {error}", file=sys.stderr)
        status = FAILED
    except KeyboardInterrupt:
        status = INTERRUPTED
    result["host"]["load_after"] = load()
    write(result, said, out, {name: UNPAIRED.get(name) or set_of(name, options) for name in result["sets"]})
    if options.json:
        print(json.dumps(result, indent=2))
    return status or (0 if all(map(is_clean, result["sets"].values())) else VOID)
