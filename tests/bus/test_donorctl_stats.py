# SPDX-License-Identifier: GPL-2.0-only
"""The counters: totals, rates, groups."""

import json
import re

from fake_donord import (COUNTERS, ERROR, assert_bad, assert_good, bus, one_bus, run, run_json,
                         service)
from gi.repository import GLib


def table_rows(text):
    """The rows of stats: name, figures, meaning."""
    return [re.split(r"\s{1,}", x, maxsplit=2) for x in text.splitlines()
            if x.split(" ")[0] in COUNTERS]


def test_stats_show_every_counter_with_its_text(bus, service):
    done = run(bus, "stats")
    assert_good(done)
    assert table_rows(done.stdout) == [[n, str(i + 1), t] for i, (n, t)
                                       in enumerate(COUNTERS.items())]


def test_stats_are_grouped_by_prefix(bus, service):
    group = None
    titles = {"Where tasks that": "place", "How donations": "donate", "Where CPUs": "dispatch",
              "Other": "other"}
    seen = []
    for line in run(bus, "stats").stdout.splitlines():
        group = next((titles[t] for t in titles if line.startswith(t)), group)
        name = line.split(" ")[0]
        if name in COUNTERS:
            prefix = name.split("_")[0]
            assert group == (prefix if prefix in titles.values() else "other")
            seen.append(group)
    assert set(seen) == set(titles.values())


def test_stats_as_json(bus, service):
    stats = run_json(bus, "stats")
    assert stats == {"monotonic_usec": service.monotonic, "counters": service.counters()}


def test_stats_per_cpu(bus, service):
    lines = run(bus, "stats", "--cpu").stdout.splitlines()
    assert lines[1].split() == ["COUNTER", "CPU0", "CPU1", "CPU2"]
    assert lines[2].split() == ["place_pinned", "1", "1001", "2001"]
    stats = run_json(bus, "stats", "--cpu")
    assert stats["cpus"] == [{"cpu": c, "counters": service.counters(1000 * c)} for c in range(3)]


def test_stats_of_no_cpu_at_all(bus, service):
    service.GetPerCpu = lambda: GLib.Variant("(taa{st})", (1, []))
    done = run(bus, "stats", "--cpu")
    assert_good(done)
    assert done.stdout == ""
    assert run_json(bus, "stats", "--cpu") == {"monotonic_usec": 1, "cpus": []}


def watch(bus, service, *words, pictures):
    """Ends the watch by detaching: the service then says so."""
    method = "GetPerCpu" if "--cpu" in words else "GetSnapshot"
    answer = getattr(service, method)

    def count():
        if service.snapshots == pictures - 1:
            service.errors[method] = (ERROR + "NotAttached", "It was detached.")
        return answer()

    setattr(service, method, count)
    done = run(bus, "stats", "--watch=0.1", *words)
    assert_bad(done, 3, "It was detached.")
    return done.stdout


def test_watch_shows_rates(bus, service):
    service.snapshots = 0
    pictures = watch(bus, service, pictures=3).split("Where tasks that")[1:]
    assert len(pictures) == 3
    assert "PER-SECOND" not in pictures[0]
    # each counter grew by its index in the two seconds of the service's clock
    for picture in pictures[1:]:
        rows = [x.split()[:3] for x in picture.splitlines() if x.split(" ")[0] in COUNTERS]
        assert [r[2] for r in rows] == [f"{(i + 1) / 2:.1f}" for i in range(len(COUNTERS))]


def test_watch_as_json_is_one_object_a_line(bus, service):
    objects = [json.loads(x) for x in watch(bus, service, "--json=short", pictures=2).splitlines()]
    assert "rates" not in objects[0]
    assert objects[1]["rates"]["place_prev_core"] == 1.0
    assert objects[1]["counters"]["place_prev_core"] == 4


def test_watch_per_cpu(bus, service):
    objects = [json.loads(x) for x
               in watch(bus, service, "--cpu", "--json=short", pictures=2).splitlines()]
    assert [c["rates"]["place_prev_core"] for c in objects[1]["cpus"]] == [1.0] * 3


def test_counters_that_start_anew_have_no_rate(bus, service):
    def forget():
        return {n: 100 - service.snapshots for n in COUNTERS}

    service.counters = forget
    objects = watch(bus, service, "--json=short", pictures=2).splitlines()
    assert set(json.loads(objects[1])["rates"].values()) == {0}
