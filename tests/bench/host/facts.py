# SPDX-License-Identifier: GPL-2.0-only
"""What must be known of a session to repeat it, or to doubt it."""

import datetime
import os
import shlex
import subprocess
from pathlib import Path


def first_line(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.splitlines()[0] if done.stdout else ""


def load() -> list[float]:
    return [round(value, 2) for value in os.getloadavg()]


def before(arguments: list[str], checkout: Path) -> dict:
    return {
        "command": shlex.join(["./bench", *arguments]),
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "commit": first_line("git", "-C", str(checkout), "rev-parse", "--short", "HEAD"),
        "qemu": first_line("qemu-system-x86_64", "--version"),
        "host_cpus": os.cpu_count(),
        "load_before": load(),
    }
