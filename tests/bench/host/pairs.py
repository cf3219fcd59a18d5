# SPDX-License-Identifier: GPL-2.0-only
"""From what the guest said to ratios of pairs, and the rule by which a session is void."""

from collections.abc import Sequence
from statistics import median

from .contestants import CONTROL, KERNEL, Contestant

# The kernel's own scheduler against itself, and the tracer against what it was told.
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


def summarise(lines: list[dict], contestants: list[Contestant], measurements: list[str], unpaired: Sequence[str] = ()) -> dict:
    """One set of the JSON output. The control has nothing to say of what is not paired."""
    failed = {line["failed"]["contestant"]: line["failed"]["why"] for line in lines if "failed" in line}
    rows = {}
    for contestant in contestants:
        rows[contestant.name] = figures_of(lines, contestant.name, measurements)
        if contestant.name in failed:
            rows[contestant.name]["failed"] = failed[contestant.name]
    result = {"contestants": rows, **next((line for line in lines if "model" in line), {})}
    reason = why_void(result, measurements, unpaired)
    return {"void": reason, **result} if reason else result


def why_void(result: dict, measurements: list[str], unpaired: Sequence[str]) -> str | None:
    model = result.get("model")
    if not model:
        return "the guest ended before the tracer was checked"
    if abs(model["siblings_over_cores"] / model["expected"] - 1) > MODEL_TOLERANCE:
        return f"the tracer made siblings {model['siblings_over_cores']:.3f} times as slow, not {model['expected']:.3f}"
    for measurement in [one for one in measurements if one not in unpaired]:
        control = result["contestants"][CONTROL.name].get(label("over_kernel", measurement, measurements))
        if not control:
            return f"{measurement}: there is no run of the control"
        if abs(control["median"] - 1) > CONTROL_TOLERANCE:
            return f"{measurement}: the kernel's own scheduler differs from itself, {control['median']:.3f} instead of 1"
    return None
