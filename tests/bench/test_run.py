# SPDX-License-Identifier: GPL-2.0-only
"""A session against a machine that the test plays."""

import json
from argparse import Namespace
from types import SimpleNamespace

import pytest
from host import session
from host.session import is_clean

RUN = {"contestant": "kernel", "measurement": "algorithm3", "pair": 0, "took_ns": 1000}
LINES = [
    {"machine": {"cores": [[0, 1]], "caches": [[0, 1]], "kernel": "7.0"}},
    {"run": {**RUN, "pinned": True}},
    {"run": {**RUN, "pinned": False}},
    {"failed": {"contestant": "donor", "why": "it is away"}},
]


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """Play one that prints these lines and ends with this status; the arguments of a session in it."""
    monkeypatch.setattr(session, "DEFAULT", SimpleNamespace(path=tmp_path, make=lambda: None, install=lambda: None))
    monkeypatch.setattr("host.peers.contestants", list)

    def play(lines, status):
        program = tmp_path / "vm"
        text = "\n".join(map(json.dumps, lines))
        program.write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\nexit {status}\n")
        program.chmod(0o755)
        monkeypatch.setattr("host.boot.VM", program)
        return Namespace(sets=["seed"], pairs=1, contestant=["donor"], quick=True, kernel="newest", throttle=None, json=True, arguments=["seed"])

    return play


def test_what_the_machine_says_becomes_the_result(machine, tmp_path, capsys):
    assert session.run(machine(LINES, 0)) == 1
    told = capsys.readouterr()
    rows = json.loads(told.out)["sets"]["seed"]["contestants"]
    assert rows["kernel"]["over_pinned"]["median"] == 1 and rows["donor"] == {"failed": "it is away"}
    assert json.loads((tmp_path / "bench/results.json").read_text()) == json.loads(told.out)
    assert "it is away" in told.err and "kernel 1.000 of pinned" in told.err
    assert "it is away" in (tmp_path / "bench/report.html").read_text()


def test_a_machine_that_fails_is_not_taken_for_a_result(machine, capsys):
    assert session.run(machine(LINES, 3)) == 2
    told = capsys.readouterr()
    assert json.loads(told.out)["sets"] == {}
    assert "the machine ended with 3" in told.err


def test_clean_is_neither_void_nor_worn_down():
    assert is_clean({"contestants": {"kernel": {}, "donor": {"failed": "why"}}})
    assert not is_clean({"void": "why", "contestants": {}})
    assert is_clean({"contestants": {"donor": {}}})
    assert not is_clean({"contestants": {"donor": {"failed": "why"}}})
