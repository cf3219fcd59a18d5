# SPDX-License-Identifier: GPL-2.0-only
"""What may not grow unnoticed: instructions, what the verifier looks at, memory."""

from .pairs import label
from .unpaired import HAND_OVERS, LAYOUTS

# Where four CPUs send messages any change shifts who meets whom, by more than 1 %; and a timer's slack hides all.
GATED = [*HAND_OVERS, "messages-one-cpu"]
# How much a figure may rise above the recorded one.
ALLOWED = {"instructions": 0.01, "verified": 0.05, "verified_largest": 0.05, "code_bytes": 0.05, "task_bytes": 0.05, "service_kb": 0.05}


def figures_of(switch: dict, attach: dict) -> dict[str, float]:
    """donor's medians, of the two sets' contestants."""
    names = [label("instructions", layout, LAYOUTS) for layout in GATED]
    wakeups = {name: switch["donor"].get(name) for name in names}
    rest = {name: attach["donor"].get(name) for name in ALLOWED if name != "instructions"}
    missing = [name for name, figure in {**wakeups, **rest}.items() if figure is None]
    if missing:
        raise ValueError(f"{missing[0]} was not measured")
    return {name: figure["median"] for name, figure in {**wakeups, **rest}.items()}


def risen(measured: dict[str, float], recorded: dict[str, float]) -> list[str]:
    """A sentence for each figure that is too high, or of which there is no record."""
    found = []
    for name, now in measured.items():
        then, allowed = recorded.get(name), next(share for kind, share in ALLOWED.items() if name == kind or name.startswith(f"{kind}_"))
        if then is None:
            found.append(f"{name} is {now:.10g}, and there is no record of it")
        elif now > then * (1 + allowed):
            found.append(f"{name} rose from {then:.10g} to {now:.10g}, by {now / then - 1:.1%}; {allowed:.0%} is allowed")
    return found
