# SPDX-License-Identifier: GPL-2.0-only
"""The figures that donor was begun for: 20 workers beside a browser, on 32 cores of eight caches."""

import json
import os
import subprocess
from pathlib import Path

import pytest

SIM = Path(os.environ.get("DONOR_SIM") or Path(os.environ["DONOR_BUILD"]) / "tests/sim/donor-sim")


# What the scheduler that donor improves on needs beyond hand pinning: without it there is nothing to gain.
@pytest.mark.parametrize("background", ["webgl-aquarium", "pinned-chrome"])
@pytest.mark.parametrize(("workload", "before"), [("algorithm3", 1.15), ("primesieve", 1.05)])
def test_workers_run_as_if_bound_by_hand(workload, before, background):
    arguments = ["--machine=tr3970x", f"--workload={workload}", f"--background={background}", "--scale=10", "--seeds=2"]
    done = subprocess.run(
        [str(SIM), *arguments, "--policy=pinned,donor,lavd-before", "--json=short"],
        text=True, capture_output=True, timeout=120, check=False,
    )
    assert done.returncode == 0, done.stderr
    policies = json.loads(done.stdout)["policies"]
    assert policies["lavd-before"]["over_pinned"] >= before
    assert policies["donor"]["over_pinned"] <= 1.010
    assert policies["donor"]["shared_core_waste"] <= 0.01
