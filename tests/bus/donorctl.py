# SPDX-License-Identifier: GPL-2.0-only
"""The real donorctl on the bus of the real donord."""

import json
import os
import subprocess

from fake_donord import DONORCTL


def environment(bus, **more):
    return {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": bus.address, "LC_ALL": "C.UTF-8", "TZ": "UTC",
            "DONORCTL_ROOT": "/nonexistent", **more}


def run(bus, *words, status=0, **options):
    more = options.pop("env", {})
    done = subprocess.run([DONORCTL, *words], env=environment(bus, **more), text=True, capture_output=True, timeout=60, **options)
    assert done.returncode == status, done
    return done


def run_json(bus, *words, **options):
    return json.loads(run(bus, *words, "--json=short", **options).stdout)
