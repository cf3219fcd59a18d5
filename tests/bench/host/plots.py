# SPDX-License-Identifier: GPL-2.0-only
"""Plots by gnuplot, as SVG."""

import subprocess

# Stretches of one worker on one CPU that are so close are drawn as one.
JOIN_NS = 1_000_000
TERMINAL = "set terminal svg size {width},{height} dynamic font 'sans-serif,11' background rgb 'white'\n"


def gnuplot(script: str, width: int, height: int) -> str:
    """The SVG element, to stand in a page."""
    text = TERMINAL.format(width=width, height=height) + script
    done = subprocess.run(["gnuplot"], input=text, capture_output=True, text=True, check=False)
    if done.returncode or "<svg" not in done.stdout:
        raise RuntimeError(f"gnuplot failed: {done.stderr.strip()}")
    return done.stdout[done.stdout.index("<svg") :]


def quoted(text: str) -> str:
    """A name in gnuplot, without what it takes for markup."""
    return '"' + text.replace("\\", "").replace('"', "").replace("_", "-") + '"'


def distribution(ratios: dict[str, list[float]], title: str) -> str:
    """Each pair's ratio as a point, and the box of its quartiles, per contestant."""
    data = "\n\n\n".join("\n".join(f"{number} {ratio}" for ratio in values) for number, values in enumerate(ratios.values()))
    tics = ", ".join(f"{quoted(name)} {number}" for number, name in enumerate(ratios))
    script = f"$data << END\n{data}\nEND\nset title {quoted(title)}\nset xtics ({tics}) rotate by -30\n"
    script += f"set xrange [-0.6:{len(ratios) - 0.4}]\nset ylabel 'over pinned'\nset grid ytics\nunset key\nset offsets 0,0,0.02,0.02\n"
    script += "set style fill transparent solid 0.2\nset boxwidth 0.5\nset style boxplot nooutliers\n"
    script += f"plot 1 lc 'gray' lw 1, for [i=0:{len(ratios) - 1}] $data index i using (i):2 with boxplot lc 1, "
    script += "$data using 1:2 with points pt 7 ps 0.5 lc 2\n"
    return gnuplot(script, 760, 380)


def joined(stretches: list[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Worker, CPU, from, to; fewer of them."""
    last: dict[tuple[int, int], int] = {}
    found: list[tuple[int, int, int, int]] = []
    for worker, cpu, begin, end in stretches:
        at = last.get((worker, cpu))
        if at is not None and begin - found[at][3] < JOIN_NS:
            found[at] = (worker, cpu, found[at][2], end)
        else:
            last[worker, cpu] = len(found)
            found.append((worker, cpu, begin, end))
    return found


def rows_of(cores: list[list[int]], caches: list[list[int]]) -> dict[int, tuple[int, str]]:
    """Where each CPU is drawn, from top to bottom: by cache, then by core."""
    rows, ordered = {}, sorted(cores, key=lambda core: next(n for n, cache in enumerate(caches) if core[0] in cache))
    for core in ordered:
        cache = next(n for n, cache in enumerate(caches) if core[0] in cache)
        for cpu in core:
            rows[cpu] = (-len(rows), f"cache {cache}, core {cores.index(core)}, CPU {cpu}")
    return rows


def timeline(stretches: list[tuple[int, int, int, int]], cores: list[list[int]], caches: list[list[int]], title: str) -> str:
    """Where each worker ran: a line for each CPU, a colour for each worker."""
    rows, start = rows_of(cores, caches), stretches[0][2]
    lines = [f"{(begin - start) / 1e6} {rows[cpu][0]} {(end - begin) / 1e6} 0 {worker}" for worker, cpu, begin, end in joined(stretches)]
    data = "\n".join(lines)
    tics = ", ".join(f"{quoted(name)} {row}" for row, name in rows.values())
    borders = "".join(f"set arrow from graph 0, first {-at - 0.5 + 1} to graph 1, first {-at - 0.5 + 1} nohead lc 'gray'\n" for at in cache_starts(cores, caches))
    script = f"$data << END\n{data}\nEND\nset title {quoted(title)}\nset ytics ({tics})\nset yrange [{-len(rows) + 0.4}:0.6]\n{borders}"
    script += "set xlabel 'ms'\nunset key\nunset colorbox\nplot $data using 1:2:3:4:5 with vectors nohead lw 8 lc variable\n"
    return gnuplot(script, 760, 90 + 24 * len(rows))


def cache_starts(cores: list[list[int]], caches: list[list[int]]) -> list[int]:
    """The rows above which another cache begins."""
    known = {cpu for core in cores for cpu in core}
    sizes = [len(known & set(cache)) for cache in caches]
    return [sum(sizes[:n]) for n in range(1, len(sizes))]
