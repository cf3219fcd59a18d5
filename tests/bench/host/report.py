# SPDX-License-Identifier: GPL-2.0-only
"""The session as one HTML page that needs nothing else."""

import html
from pathlib import Path

from .conduct import stretches
from .events import read
from .pairs import ratios_of
from .plots import distribution, timeline
from .sets import Set
from .table import table
from .unpaired import Unpaired

STYLE = """
body { font-family: sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
pre { overflow-x: auto; background: #f5f5f5; padding: 0.8rem; }
svg { max-width: 100%; height: auto; }
.void { background: #fdd; padding: 0.8rem; font-weight: bold; }
"""


def paragraph(text: str, kind: str = "") -> str:
    return f'<p class="{kind}">{html.escape(text)}</p>'


def plots_of(name: str, of: Set, lines: list[dict], folder: Path) -> list[str]:
    """For each measurement the ratios, and where the workers of each contestant's first run were."""
    machine = next((line["machine"] for line in lines if "machine" in line), None)
    parts = []
    for measurement in of.measurements:
        ratios = {contestant: list(pairs.values()) for contestant, pairs in ratios_of(lines, measurement.name).items()}
        if ratios:
            parts.append(distribution(ratios, f"{name}, {measurement.name}: each pair"))
        for contestant in ratios:
            log = folder / f"{measurement.name}-{contestant}-0.events"
            ran = stretches(read(log)) if log.exists() else []
            if ran:
                parts.append(timeline(ran, machine["cores"], machine["caches"], f"{measurement.name} under {contestant}"))
    return parts


def report(result: dict, said: dict[str, list[dict]], out: Path, known: dict[str, Set | Unpaired]) -> str:
    """The page; said is what the guest of each set said, and its logs are in a folder of that name."""
    facts = "\n".join(f"{key}: {value}" for key, value in result["host"].items())
    parts = ["<h1>donor beside other schedulers</h1>", f"<pre>{html.escape(facts)}</pre>"]
    for name, of_set in result["sets"].items():
        parts.append(f"<h2>{html.escape(name)}</h2>")
        if "void" in of_set:
            parts.append(paragraph(f"Void: {of_set['void']}. These figures prove nothing.", "void"))
        of = known[name]
        parts.append(f"<pre>{html.escape(table(name, of.title, of_set, of.names))}</pre>")
        parts += plots_of(name, of, said[name], out / name) if isinstance(of, Set) else []
    body = "\n".join(parts)
    return f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>donor: ./bench</title><style>{STYLE}</style></head>\n<body>\n{body}\n</body></html>\n'
