# SPDX-License-Identifier: GPL-2.0-only
"""The page: whole, by itself, with a plot of the ratios and one of the places for each measurement."""

import re
import xml.etree.ElementTree as ElementTree

import pytest
from host.contestants import chosen
from host.events import LAYOUT, SWITCH_SLEEPS
from host.pairs import summarise
from host.plots import distribution, gnuplot, joined, rows_of
from host.report import report
from host.sets import SETS
from test_pairs import session

MACHINE = {"machine": {"cores": [[0, 1], [2, 3]], "caches": [[0, 1], [2, 3]], "kernel": "7.0"}}
MS = 1_000_000


def log_of_one_worker(path):
    """Ten milliseconds on CPU 0, then ten on CPU 2."""
    events = [(0, 15, 0, 11, 0, SWITCH_SLEEPS, 1), (10, 15, 11, 0, 0, SWITCH_SLEEPS, 0), (10, 15, 0, 11, 2, SWITCH_SLEEPS, 1), (20, 15, 11, 0, 2, SWITCH_SLEEPS, 0), (21, 15, 0, 9, 1, SWITCH_SLEEPS, 0)]
    path.write_bytes(b"".join(LAYOUT.pack(time * MS, *rest) for time, *rest in events))


@pytest.fixture
def page(tmp_path):
    (tmp_path / "seed").mkdir()
    measurements = [measurement.name for measurement in SETS["seed"].measurements]
    lines = [MACHINE, *(line for name in measurements for line in session(control=1.5, measurement=name))]
    for name in measurements:
        for contestant in ("kernel", "control", "donor"):
            log_of_one_worker(tmp_path / "seed" / f"{name}-{contestant}-0.events")
    summary = summarise(lines, chosen(["donor"], []), measurements)
    result = {"host": {"command": "./bench <seed>"}, "sets": {"seed": summary}}
    return report(result, {"seed": lines}, tmp_path, SETS)


def test_each_measurement_has_its_ratios_and_a_timeline_of_each_contestant(page):
    plots = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(plots) == 2 * (1 + 3)
    for plot in plots:
        ElementTree.fromstring(plot)
    assert "primesieve under donor" in page and "cache 1, core 1, CPU 2" in page


def test_the_page_needs_nothing_else_and_takes_no_markup_from_names(page):
    assert not re.search(r"""(src|href)=["'](?!#)""", page)
    assert "./bench &lt;seed&gt;" in page


def test_a_void_session_says_so_at_the_top_of_its_set(page):
    assert '<p class="void">Void: algorithm3: the kernel' in page


def test_a_plot_that_fails_is_an_error():
    with pytest.raises(RuntimeError, match="gnuplot failed"):
        gnuplot("plot $nothing\n", 100, 100)


def test_one_pair_makes_a_plot_too():
    assert "<svg" in distribution({"kernel": [1.0], "a_b": [1.1]}, "one pair")


def test_short_gaps_are_not_drawn():
    assert joined([(1, 0, 0, 5 * MS), (1, 0, 5 * MS + 9, 7 * MS), (1, 0, 9 * MS, 10 * MS)]) == [(1, 0, 0, 7 * MS), (1, 0, 9 * MS, 10 * MS)]


def test_cpus_are_drawn_by_cache_then_core():
    assert list(rows_of([[0, 4], [1, 5], [2, 6]], [[0, 2, 4, 6], [1, 5]])) == [0, 4, 2, 6, 1, 5]
