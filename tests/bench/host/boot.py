# SPDX-License-Identifier: GPL-2.0-only
"""One virtual machine for one set; what its driver says comes line by line."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

from runner.inside import CHECKOUT, VM

from . import peers

BUILT = CHECKOUT / "build/tests"
FILES = [
    CHECKOUT / "tests/bench/guest",
    *(BUILT / "bench" / name for name in ("model", "model.bpf.o", "bank-queue", "frame-chain", "count")),
    peers.FOLDER,
    *(BUILT / "vm" / name for name in ("rival", "rival.bpf.o")),
]
TURN_SECONDS = 240


class BootError(Exception):
    """The machine failed; it has said why."""


def lines_of(plan: dict, machine: list[str], folder: Path) -> Iterator[dict]:
    """Boots with these options of `vm run`, runs the plan, and leaves logs in the folder."""
    file = folder / "plan.json"
    file.write_text(json.dumps(plan, indent=1))
    words = [*machine, "--init=systemd", f"--copy-out={folder}", f"--timeout={TURN_SECONDS * (1 + len(plan['turns']))}"]
    words += [f"--copy-in={path}" for path in [*FILES, file]]
    command = [str(VM), "run", *words, "--", "/usr/bin/python3", "/in/guest/driver.py", "/in/plan.json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as guest:
        for line in guest.stdout:
            yield json.loads(line)
    if guest.returncode:
        raise BootError(f"the machine ended with {guest.returncode}")
