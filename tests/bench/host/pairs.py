# SPDX-License-Identifier: GPL-2.0-only
"""From what the guest said to ratios of pairs, and the rule by which a session is void."""

from collections.abc import Sequence
from statistics import median

from .contestants import CONTROL, KERNEL, Contestant

# The kernel's own scheduler against itself, and what the tracer credits against what its log amounts to.
CONTROL_TOLERANCE = 0.03
MODEL_TOLERANCE = 0.02


def spread_of(ratios: list[float]) -> dict:
    return {"median": median(ratios), "min": min(ratios), "max": max(ratios), "pairs": len(ratios)}


def ratios_of(lines: list[dict], measurement: str) -> dict[str, dict[int, float]]:
    """For each contestant and pair: its run over the pinned one."""
    took: dict[tuple, dict[bool, int]] = {}
    for run in (line["run"] for line in lines if "run" in line):
        if run["measurement"] == measurement and "took_ns" in run:
            took.setdefault((run["contestant"], run["pair"]), {})[run["pinned"]] = run["took_ns"]
    ratios: dict[str, dict[int, float]] = {}
    for (contestant, pair), of in took.items():
        if len(of) == 2:
            ratios.setdefault(contestant, {})[pair] = of[False] / of[True]
    return ratios


def label(ratio: str, measurement: str, measurements: list[str]) -> str:
    """The first measurement of a set has the plain name."""
    return ratio if measurement == measurements[0] else f"{ratio}_{measurement}"


def figures_of(lines: list[dict], contestant: str, measurements: list[str]) -> dict:
    figures = {}
    for measurement in measurements:
        ratios = ratios_of(lines, measurement)
        own, kernel = ratios.get(contestant, {}), ratios.get(KERNEL.name, {})
        if own:
            figures[label("over_pinned", measurement, measurements)] = spread_of(list(own.values()))
        beside = [own[pair] / kernel[pair] for pair in own if pair in kernel]
        if beside:
            figures[label("over_kernel", measurement, measurements)] = spread_of(beside)
        for name, values in conduct_of(lines, contestant, measurement).items():
            figures[label(name, measurement, measurements)] = spread_of(values)
    return figures


def conduct_of(lines: list[dict], contestant: str, measurement: str) -> dict[str, list[float]]:
    """What the tracer's logs say of the contestant's runs."""
    runs = [line["run"] for line in lines if "run" in line and line["run"].get("conduct")]
    own = [run["conduct"] for run in runs if (run["contestant"], run["measurement"]) == (contestant, measurement)]
    return {name: [one[name] for one in own] for name in (own[0] if own else ())}


def summarise(lines: list[dict], contestants: list[Contestant], measurements: list[str], watched: Sequence[str] = ()) -> dict:
    """One set of the JSON output. The control has nothing to say of what is not paired."""
    failed = {line["failed"]["contestant"]: line["failed"]["why"] for line in lines if "failed" in line}
    rows = {}
    for contestant in contestants:
        rows[contestant.name] = figures_of(lines, contestant.name, measurements)
        if contestant.name in failed:
            rows[contestant.name]["failed"] = failed[contestant.name]
    credited = [ratio for line in lines if "check" in line for ratio in line["check"]["log_over_credit"]]
    result = {"contestants": rows, **({"log_over_credit": spread_of(credited)} if credited else {})}
    reason = why_void(result, measurements, watched)
    return {"void": reason, **result} if reason else result


def why_void(result: dict, measurements: list[str], watched: Sequence[str]) -> str | None:
    credited = result.get("log_over_credit")
    if not credited:
        return "the tracer was not checked"
    worst = max(credited["min"], credited["max"], key=lambda ratio: abs(ratio - 1))
    if abs(worst - 1) > MODEL_TOLERANCE:
        return f"the tracer's log amounts to {worst:.3f} times the work that it credited a worker with"
    for measurement in [one for one in measurements if one not in watched]:
        control = result["contestants"][CONTROL.name].get(label("over_kernel", measurement, measurements))
        if not control:
            return f"{measurement}: there is no run of the control"
        if abs(control["median"] - 1) > CONTROL_TOLERANCE:
            return f"{measurement}: the kernel's own scheduler differs from itself, {control['median']:.3f} instead of 1"
    return None
