# SPDX-License-Identifier: GPL-2.0-only
"""Who runs when: interleaved, so that a slow minute of the host is everyone's."""

from .contestants import Contestant
from .sets import Measurement, Set, model_check


def turns(pairs: int, contestants: list[Contestant], measurements: list[Measurement]) -> list[dict]:
    """In each round everyone once; another one begins, and the pinned run is on the other side."""
    planned = []
    for pair in range(pairs):
        first = pair % len(contestants)
        for measurement in measurements:
            for contestant in contestants[first:] + contestants[:first]:
                turn = {"pair": pair, "contestant": contestant.name, "measurement": measurement.name}
                planned.append({**turn, "pinned_first": pair % 2 == 0})
    return planned


def plan(of: Set, pairs: int, contestants: list[Contestant], quick: bool, modelled: bool) -> dict:
    return {
        "modelled": modelled,
        "model_check": model_check(),
        "contestants": [contestant.in_plan() for contestant in contestants],
        "measurements": [measurement.in_plan(quick) for measurement in of.measurements],
        "turns": turns(pairs, contestants, of.measurements),
    }
