# SPDX-License-Identifier: GPL-2.0-only
"""The real power-profiles-daemon, its command line, and donor in its place.

A virtual machine has no driver for performance, so the daemon runs with its own fake one.
"""

import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import enable_seq, eventually, journal, prop, run

UNIT = "power-profiles-daemon.service"
NEW = "org.freedesktop.UPower.PowerProfiles"
OLD = "net.hadess.PowerProfiles"
MODES = {"power-saver": "power", "performance": "performance", "balanced": "balanced"}
DROPIN = Path(f"/etc/systemd/system/{UNIT}.d/50-test.conf")
LOCAL = Path("/etc/donor/donor.conf.d/50-test.conf")


def systemctl(*words):
    return run("systemctl", *words)


def ppctl(*words, **options):
    return run("powerprofilesctl", *words, **options)


@pytest.fixture(scope="module", autouse=True)
def fake_driver():
    DROPIN.parent.mkdir(parents=True)
    DROPIN.write_text("[Service]\nEnvironment=POWER_PROFILE_DAEMON_FAKE_DRIVER=1\n")
    systemctl("daemon-reload")
    systemctl("restart", UNIT)
    assert "performance" in ppctl("list").stdout
    yield
    DROPIN.unlink()
    systemctl("daemon-reload")
    systemctl("restart", UNIT)


@contextmanager
def configured(text):
    LOCAL.parent.mkdir(parents=True, exist_ok=True)
    LOCAL.parent.chmod(0o755)
    LOCAL.write_text(text)
    systemctl("reload", "donord")
    try:
        yield
    finally:
        LOCAL.unlink()
        systemctl("reload", "donord")


@contextmanager
def masked():
    systemctl("mask", "--now", UNIT)
    try:
        yield
    finally:
        systemctl("unmask", UNIT)
        systemctl("start", UNIT)


@contextmanager
def holding(profile):
    """powerprofilesctl launch, while its command runs."""
    command = ["powerprofilesctl", "launch", "-p", profile, "-r", "a test", "-i", "test", "cat"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as launch:
        yield launch
        launch.stdin.close()
        assert launch.wait(60) == 0


def until_mode(mode, source="profile"):
    eventually(lambda: (prop("Mode"), prop("ModeSource")) == (mode, source), f"{mode} by {source}: {journal()}", 60)


def until_provider(name):
    eventually(lambda: prop("PowerProfilesProvider") == name, f"profiles by {name!r}: {journal()}", 60)


def test_each_profile_switches_the_mode(donord):
    before = enable_seq()
    until_provider(NEW)
    for profile, mode in MODES.items():
        ppctl("set", profile)
        until_mode(mode)
        assert prop("PowerProfile") == profile
        assert f'"{profile}"' in prop("ModeReason") and "0.30" in prop("ModeReason")
    assert enable_seq() == before


def test_a_hold_there_lasts_as_long_as_its_program(donord):
    ppctl("set", "balanced")
    until_mode("balanced")
    with holding("performance"):
        until_mode("performance")
        assert "a test" in ppctl("list-holds").stdout
    until_mode("balanced")


def test_a_restart_of_the_daemon(donord):
    ppctl("set", "power-saver")
    until_mode("power")
    systemctl("restart", UNIT)
    until_provider(NEW)
    until_mode("power")
    systemctl("stop", UNIT)
    until_provider("")
    until_mode("balanced", "config")
    assert run("systemctl", "is-active", UNIT, check=False).stdout.strip() == "inactive"  # nobody started it
    systemctl("start", UNIT)
    until_mode("power")
    ppctl("set", "balanced")


def test_donor_takes_its_place_and_yields(donord):
    with configured("[PowerProfiles]\nProvide=auto\n"), masked():
        until_provider("donor")
        said = ppctl("list").stdout
        assert said.count("donor") == 3 and "* balanced:" in said, said
        for profile, mode in MODES.items():
            ppctl("set", profile)
            assert prop("Mode") == mode  # at once
            assert ppctl("get").stdout == f"{profile}\n"
        with holding("performance"):
            until_mode("performance")
            holds = ppctl("list-holds").stdout
            assert "a test" in holds and "performance" in holds
        until_mode("balanced")
        nobody = run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "powerprofilesctl", "set",
                     "performance", check=False)
        assert nobody.returncode != 0 and prop("Mode") == "balanced"
        ppctl("set", "performance")
        systemctl("restart", "donord")
        until_provider("donor")
        until_mode("performance")
    # The real one is back: it has its names, and its profile is followed.
    until_provider(NEW)
    assert "FakeDriver" in ppctl("list").stdout or "fake" in ppctl("list").stdout
    until_mode("balanced")
    assert systemctl("show", "-P", "NRestarts", UNIT).stdout.strip() in ("0", "1")


def test_it_does_not_take_the_place_of_one_that_could_be_started(donord):
    with configured("[PowerProfiles]\nProvide=auto\n"):
        systemctl("stop", UNIT)
        until_provider("")
        time.sleep(12)
        assert prop("PowerProfilesProvider") == ""
        systemctl("start", UNIT)
        until_provider(NEW)


@pytest.mark.parametrize("names", [[NEW, OLD], [OLD]], ids=["tuned-ppd", "old-name"])
def test_another_provider(donord, names):
    with masked():
        until_provider("")
        command = [sys.executable, str(Path(__file__).with_name("provider.py")), *names]
        with subprocess.Popen(command, stdin=subprocess.PIPE, text=True) as other:
            until_provider(names[0])
            for profile, mode in [*MODES.items(), ("unknown", "balanced"), ("power-saver", "power")]:
                print("ActiveProfile", profile, file=other.stdin, flush=True)
                eventually(lambda: prop("PowerProfile") == profile, f"profile {profile}")
                until_mode(mode)
            print("PerformanceDegraded lap-detected,high-operating-temperature", file=other.stdin, flush=True)
            eventually(lambda: "high-operating" in prop("PerformanceDegraded"), "degraded")
            other.stdin.close()
            other.wait(30)
        until_provider("")
