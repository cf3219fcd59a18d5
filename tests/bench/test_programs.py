# SPDX-License-Identifier: GPL-2.0-only
"""The programs that run in the guest, on the host: there without the tracer, so that they spin loops."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from machine import Machine, numbers

BUILT = Path(os.environ["DONOR_BUILD"], "tests/bench")


def bank_queue(*options):
    return subprocess.run([BUILT / "bank-queue", *options], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("workers", [1, 4, 20])
def test_each_chunk_is_done_once_however_many_share_a_channel(workers):
    done = bank_queue(f"--workers={workers}", "--chunks=50", "--chunk-us=100", "--jitter-pct=5")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["chunks"] == 50 and result["took_ns"] > 0


def test_workers_may_be_pinned_and_born_somewhere():
    assert bank_queue("--workers=3", "--chunks=6", "--chunk-us=10", "--pin=0-1").returncode == 0
    assert bank_queue("--workers=3", "--chunks=6", "--chunk-us=10", "--born=0").returncode == 0


PIN = ["bank-queue: --pin is a list of CPUs", "bank-queue: a worker failed"]


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--workers=0", ["a number is wrong"]),
        ("--chunks=x", ["a number is wrong"]),
        ("--pin=", PIN),
        ("--pin=a", PIN),
        ("--born=5000", ["--born is a list of CPUs"]),
        ("--wrong", ["unrecognized option"]),
    ],
)
def test_what_is_wrong_is_said_and_nothing_hangs(option, said):
    done = bank_queue(option, "--chunk-us=10", *([] if "chunks" in option else ["--chunks=4"]))
    assert done.returncode == 1
    assert all(words in done.stderr for words in said), done.stderr


def test_a_worker_that_no_tracer_sees_does_not_spin_for_ever():
    with open("/dev/zero", "rb") as nothing:
        environment = {**os.environ, "DONOR_BENCH_MODEL_FD": str(nothing.fileno())}
        command = [BUILT / "bank-queue", "--workers=1", "--chunks=1"]
        done = subprocess.run(command, env=environment, pass_fds=[nothing.fileno()], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "does not see bench-01" in done.stderr


def test_the_chain_draws_for_as_long_as_its_command_runs():
    def chain(*command):
        return subprocess.run([BUILT / "frame-chain", *command], capture_output=True, text=True, timeout=60, check=False)

    assert json.loads(chain(BUILT / "bank-queue", "--chunks=8", "--chunk-us=100").stdout)["chunks"] == 8
    assert chain("--pin=0", "sh", "-c", "exit 7").returncode == 7
    assert "No such file" in chain("/nonexistent").stderr
    assert chain().returncode == chain("--pin=x", "true").returncode == 1


def test_lists_of_cpus():
    assert numbers("0-2,5\n") == [0, 1, 2, 5]
    assert numbers("\n") == []


def test_places_are_one_cpu_of_each_core_and_whole_cores(tmp_path):
    (tmp_path / "online").write_text("0-3\n")
    for cpu in range(4):
        for file, text in (("topology/thread_siblings_list", "0-1" if cpu < 2 else "2-3"), ("cache/index3/shared_cpu_list", "0-3")):
            path = tmp_path / f"cpu{cpu}" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n")
    machine = Machine(tmp_path)
    assert machine.places == {"{cores}": "0,2", "{siblings}": "0,1", "{all}": "0,1,2,3", "{last-core}": "2,3", "{first-cache}": "0,1,2,3"}
