# SPDX-License-Identifier: GPL-2.0-only
"""The table for the terminal, and the lines of progress."""

import sys


def progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def cell(figure: dict) -> str:
    return f"{figure['median']:.3f} ({figure['min']:.3f}-{figure['max']:.3f})"


def table(name: str, title: str, result: dict) -> str:
    """Contestants by ratios, as medians with least and most."""
    rows = result["contestants"]
    columns = list(dict.fromkeys(key for row in rows.values() for key in row if key != "failed"))
    width = max([len("contestant"), *map(len, rows)]) + 2
    widths = {column: max(len(column), 21) + 2 for column in columns}
    lines = [f"{name}: {title}", "contestant".ljust(width) + "".join(column.rjust(widths[column]) for column in columns)]
    for contestant, row in rows.items():
        cells = [cell(row[column]) if column in row else "-" for column in columns]
        lines.append(contestant.ljust(width) + "".join(text.rjust(widths[column]) for text, column in zip(cells, columns, strict=True)))
        if "failed" in row:
            lines.append(f"  failed: {row['failed']}")
    if "void" in result:
        lines.append(f"VOID: {result['void']}. These figures prove nothing.")
    return "\n".join(lines)
