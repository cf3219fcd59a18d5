# SPDX-License-Identifier: GPL-2.0-only
"""donorctl exits and reset-failed."""

import pytest
from fake_donord import (FREEDESKTOP, assert_bad, assert_good, bus, one_bus, run, run_json, service)

EXITS = [(1_767_214_871_000_000, "stall", 0, "runnable task stall", "kworker/3:1 7.0 s", 7_380_000_000),
         (1_767_214_000_000_000, "unregistered", -1, "Detach by uid 0", "", 5_000_000),
         (1, "\033[31mkind", 0, "", "", 0)]


def test_exits_as_a_table(bus, service):
    service.exits = EXITS
    done = run(bus, "exits")
    assert_good(done)
    assert [line.split(maxsplit=3) for line in done.stdout.splitlines()[:2]] == [
        ["WHEN", "KIND", "ATTACHED-FOR", "WHY"], ["Wed", "2025-12-31", "21:01:11", "stall        2h 3min      "
         "runnable task stall: kworker/3:1 7.0 s"]]
    assert "Detach by uid 0\n" in done.stdout and "?[31mkind" in done.stdout
    assert service.calls == [("ListExits", 0)]
    assert "WHEN" not in run(bus, "exits", "--no-legend").stdout


def test_no_exit_is_an_empty_table(bus, service):
    done = run(bus, "exits")
    assert_good(done)
    assert done.stdout.split() in ([], ["WHEN", "KIND", "ATTACHED-FOR", "WHY"])


def test_exits_as_json(bus, service):
    service.exits = EXITS[1:2]
    assert run_json(bus, "exits") == {"exits": [
        {"realtime_usec": 1_767_214_000_000_000, "kind": "unregistered", "code": -1, "reason": "Detach by uid 0",
         "message": "", "attached_usec": 5_000_000}]}
    service.exits = []
    assert run_json(bus, "exits") == {"exits": []}


def test_the_dump_is_copied_as_it_is(bus, service):
    service.report = "first\n" + "second line\n" * 10000
    done = run(bus, "exits", "--dump")
    assert_good(done)
    assert done.stdout == service.report
    assert service.calls == [("Dump",)]


def test_a_dump_that_one_may_not_read(bus, service):
    service.errors["Dump"] = (FREEDESKTOP + "AccessDenied", "no")
    assert_bad(run(bus, "exits", "--dump"), 4, "sudo donorctl")


def test_reset_failed(bus, service):
    service.set(State="failed")
    done = run(bus, "reset-failed")
    assert_good(done)
    assert done.stdout == "" and service.calls == [("ResetFailed",)] and service.state["State"][1] == "detached"
    service.errors["ResetFailed"] = (FREEDESKTOP + "AccessDenied", "no")
    assert_bad(run(bus, "reset-failed"), 4, "sudo donorctl")


@pytest.mark.parametrize("words", [["exits"], ["exits", "--dump"], ["reset-failed"]])
def test_without_the_service(bus, words):
    assert_bad(run(bus, *words), 7, "donord is not running")
    assert not bus.mark.exists()
