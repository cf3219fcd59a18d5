# SPDX-License-Identifier: GPL-2.0-only
"""Who chose the mode, in the sandbox and under the systemd that it really lives with."""

import os
import signal
import subprocess

from pathlib import Path

import pytest
from conftest import eventually, journal, prop, run

STATE = Path("/var/lib/donor/state")


@pytest.fixture
def no_choice():
    yield
    STATE.unlink(missing_ok=True)


def choice():
    return prop("Override").get("Mode"), prop("Mode"), prop("ModeSource")


def test_a_program_holds_a_mode_while_it_runs(donord):
    assert run("donorctl", "run", "-m", "performance", "--", "donorctl", "get").stdout == "performance\n"
    eventually(lambda: prop("Holds") == [], "the end of the hold")
    assert prop("Mode") == "balanced"
    program = subprocess.Popen(["donorctl", "run", "-m", "power", "--", "sleep", "1000"])
    eventually(lambda: prop("Mode") == "power", "the hold")
    assert prop("Holds")[0]["ApplicationId"] == "sleep"
    program.send_signal(signal.SIGKILL)
    program.wait(30)
    eventually(lambda: prop("Holds") == [], "the end of the hold")
    assert prop("Mode") == "balanced"


def test_a_choice_outlasts_the_service_but_not_its_stop(donord):
    run("donorctl", "set", "power", "--until=released")
    assert choice() == ("power", "power", "override")
    run("systemctl", "restart", "donord")
    assert choice() == ("power", "power", "override"), journal()
    pid = int(run("systemctl", "show", "-P", "MainPID", "donord").stdout)
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: run("systemctl", "show", "-P", "MainPID", "donord").stdout.strip() not in ("0", str(pid)),
               "the next service")
    run("donorctl", "wait", "attached", "--timeout=30")
    assert choice() == ("power", "power", "override"), journal()
    run("systemctl", "stop", "donord")
    run("systemctl", "start", "donord")
    assert choice() == (None, "balanced", "profile")


def test_what_persists_is_on_disk_and_comes_back(donord, no_choice):
    run("donorctl", "set", "performance", "--persist", "--reason=a server")
    assert STATE.owner() == "donor" and '"performance"' in STATE.read_text()
    run("systemctl", "stop", "donord")
    run("systemctl", "start", "donord")
    assert choice() == ("performance", "performance", "override"), journal()
    run("donorctl", "release")
    run("systemctl", "restart", "donord")
    assert choice() == (None, "balanced", "profile")
