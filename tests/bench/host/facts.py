# SPDX-License-Identifier: GPL-2.0-only
"""What must be known of a session to repeat it, or to doubt it."""

import datetime
import os
import shlex
import subprocess
from pathlib import Path


COMMIT = "DONOR_BENCH_COMMIT"  # in the environment: the tree has no git


def first_line(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.splitlines()[0] if done.stdout else ""


def remember_commit(checkout: Path) -> None:
    """Before we go where there is no git."""
    if COMMIT not in os.environ:
        os.environ[COMMIT] = first_line("git", "-C", str(checkout), "describe", "--always", "--dirty")


def load() -> list[float]:
    return [round(value, 2) for value in os.getloadavg()]


def before(arguments: list[str]) -> dict:
    return {
        "command": shlex.join(["./bench", *arguments]),
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "commit": os.environ.get(COMMIT, ""),
        "qemu": first_line("qemu-system-x86_64", "--version"),
        "host_cpus": os.cpu_count(),
        "load_before": load(),
    }
