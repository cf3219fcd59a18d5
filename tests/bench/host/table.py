# SPDX-License-Identifier: GPL-2.0-only
"""The tables for the terminal, and the lines of progress."""

import sys

from .pairs import label

# Figures by column; the last ones are of the tracer's log.
RATIOS = {"over_pinned": "over pinned", "predicted_over_pinned": "simulated", "over_kernel": "over kernel"}
CONDUCT = {"shared_core_waste": "waste", "waited_beside_idle": "waited beside idle", "moves": "moves"}
COUNTS = {
    "instructions": "instructions", "attach": "attach", "detach": "detach", "mode": "set a mode", "client": "client alone", "verified": "verified",
    "verified_largest": "largest", "code_bytes": "code bytes", "task_bytes": "bytes a task", "service_kb": "service KB",
    "change_cpu": "CPUs", "change_masks": "masks", "change_mode": "modes", "change_donation": "donation", "attach_anew": "attach anew",
    "kill_service": "kills", "message": "message", "over_kernel_message": "over kernel", "wake": "wake", "wake_most": "most",
    "over_kernel_wake": "over kernel", "wake_busy": "wake beside hogs", "wake_busy_most": "most", "over_kernel_wake_busy": "over kernel",
    "sound": "sound", "sound_most": "most", "over_kernel_sound": "over kernel", "sound_busy": "sound beside hogs", "sound_busy_most": "most",
    "over_kernel_sound_busy": "over kernel",
}  # fmt: skip
PERCENT = {"shared_core_waste", "waited_beside_idle"}


def progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def cell(key: str, figure: dict | None) -> str:
    if not figure:
        return "-"
    if key in RATIOS or key.startswith("over_"):
        return f"{figure['median']:.3f} ({figure['min']:.3f}-{figure['max']:.3f})"
    return f"{figure['median']:.1%}" if key in PERCENT else f"{figure['median']:.10g}"


def block(rows: dict, measurement: str, measurements: list[str]) -> list[str]:
    """One measurement: contestants by figures."""
    titles = {**RATIOS, **CONDUCT, **COUNTS}
    keys = [key for key in titles if any(label(key, measurement, measurements) in row for row in rows.values())]
    lines = [[measurement, *(titles[key] for key in keys)]]
    for contestant, row in rows.items():
        lines.append([contestant, *(cell(key, row.get(label(key, measurement, measurements))) for key in keys)])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join([line[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(line[1:], widths[1:], strict=True))]) for line in lines]


def table(name: str, title: str, result: dict, measurements: list[str]) -> str:
    """Ratios as medians with least and most; the rest as medians."""
    rows = result["contestants"]
    parts = [f"{name}: {title}"]
    for measurement in measurements:
        parts += ["", *block(rows, measurement, measurements)]
    parts += [f"{contestant} failed: {row['failed']}" for contestant, row in rows.items() if "failed" in row]
    if "void" in result:
        parts.append(f"VOID: {result['void']}. These figures prove nothing.")
    return "\n".join(parts)
