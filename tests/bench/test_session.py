# SPDX-License-Identifier: GPL-2.0-only
"""./bench itself. The sessions here are too short to prove anything; what they look like is tested."""

import json
import os
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]


def bench(*arguments, timeout=1800):
    environment = {name: value for name, value in os.environ.items() if name != "DONOR_BENCH_PEERS"}
    command = [TOP / "bench", *arguments]
    return subprocess.run(command, cwd=TOP, env=environment, capture_output=True, text=True, timeout=timeout, check=False)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "there is no set nothing; there are "),
        (["--pairs", "0"], "0 is not a number above 0"),
        (["--contestant", "nobody"], "invalid choice: 'nobody'"),
        (["--peer", "donor=/bin/true"], "a name of small letters that no other contestant has"),
        (["--throttle", "2:9"], "2:9 is not Q:Y"),
        (["--peer", "lavd"], "lavd is not NAME=COMMAND"),
        (["--peer", "lavd=/nonexistent/scx_lavd"], "there is no program /nonexistent/scx_lavd"),
    ],
)
def test_what_is_wrong_is_said_before_anything_boots(arguments, said):
    done = bench(*arguments, timeout=60)
    assert done.returncode == 2
    assert said in done.stderr
    assert "booting" not in done.stderr


@pytest.fixture(scope="module")
def session():
    """donor, a peer with libraries of its own, and one that cannot attach."""
    rival = TOP / "build/tests/vm"
    peers = [f"--peer=other={rival}/rival {rival}/rival.bpf.o", "--peer=broken=/bin/false"]
    done = bench("seed", "--pairs=1", "--quick", "--json", "--contestant=donor", *peers)
    assert done.returncode in (0, 1), done.stderr
    return done, json.loads(done.stdout)


def test_a_session_has_a_row_for_each_contestant(session):
    done, result = session
    rows = result["sets"]["seed"]["contestants"]
    assert list(rows) == ["kernel", "control", "donor", "other", "broken"], done.stderr
    for name in ("kernel", "control", "donor", "other"):
        assert "failed" not in rows[name], rows[name]
        for ratio in ("over_pinned", "over_kernel", "over_pinned_primesieve"):
            assert rows[name][ratio]["pairs"] == 1
            assert 0.5 < rows[name][ratio]["min"] <= rows[name][ratio]["median"] <= rows[name][ratio]["max"] < 5


def test_who_cannot_attach_is_shown_with_the_reason(session):
    _, result = session
    assert result["sets"]["seed"]["contestants"]["broken"] == {"failed": "broken ended with 1: it said nothing"}


def test_status_and_reason_of_a_void_session_agree(session):
    done, result = session
    assert done.returncode == (1 if "void" in result["sets"]["seed"] else 0)


def test_the_tracer_credits_what_its_log_amounts_to_on_cores_and_on_siblings(session):
    _, result = session
    credited = result["sets"]["seed"]["log_over_credit"]
    assert credited["pairs"] == 8
    assert 0.98 <= credited["min"] <= credited["max"] <= 1.02


def test_what_must_be_known_to_repeat_it_is_recorded(session):
    _, result = session
    host = result["host"]
    assert host["command"].startswith("./bench seed --pairs=1")
    assert host["kernel"] and host["qemu"].startswith("QEMU") and host["date"]
    assert len(host["load_before"]) == len(host["load_after"]) == 3
