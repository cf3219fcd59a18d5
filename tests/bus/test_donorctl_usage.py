# SPDX-License-Identifier: GPL-2.0-only
"""The command line: options, words, help, completion."""

import json
import re

import pytest
from fake_donord import (MODES, SOURCE, assert_bad, assert_good, bus, one_bus, run, service, ssh)


@pytest.mark.parametrize("words", [["-H", "user@far"], ["--host=user@far"]], ids=" ".join)
def test_another_machine_by_ssh(bus, service, ssh, words):
    assert run(bus, *words, "get", DBUS_SYSTEM_BUS_ADDRESS="").stdout == "balanced\n"
    assert "user@far" in ssh.read_text()


@pytest.mark.parametrize("script", ["exit 255", "read line; exit 255"])
def test_another_machine_that_is_not_there(bus, ssh, script):
    """The connection fails when it is made, or at the first call."""
    ssh.with_name("ssh").write_text(f"#!/bin/sh\n{script}\n")
    assert_bad(run(bus, "-H", "far", "get"), 7, "cannot reach the system bus", "ssh HOST")


def test_a_container_that_is_not_there(bus):
    done = run(bus, "-M", "no-such-container", "get")
    assert done.returncode == 7
    assert "machinectl" in done.stderr


@pytest.mark.parametrize("words", [["--json=short", "stats", "--cpu"],
                                   ["stats", "--json=short", "--cpu"],
                                   ["--cpu", "stats", "--json=short"]], ids=" ".join)
def test_options_stand_anywhere(bus, service, words):
    assert "cpus" in json.loads(run(bus, *words).stdout)


@pytest.mark.parametrize("words, texts", [
    (["stauts"], ["unknown command 'stauts'", "did you mean 'status'?", "get, set, release"]),
    (["xyzzy-plugh"], ["unknown command 'xyzzy-plugh'; Valid are: status"]),
    (["set", "perf"], ["unknown mode 'perf'", "did you mean 'performance'?",
                       "power, balanced, performance."]),
    (["set", "Power"], ["unknown mode 'Power'", "did you mean 'power'?"]),
    (["donation", "enque"], ["unknown hook", "'enqueue'?", "select-cpu, enqueue."]),
    (["donation", "enqueue", "of"], ["unknown switch", "'off'?", "on, off, auto."]),
    (["wait", "atached"], ["unknown state", "'attached'?", "unsupported."]),
    (["status", "--jsn"], ["unknown option 'jsn'", "'json'?"]),
    (["status", "--json=prety"], ["unknown style of JSON", "'pretty'?", "off, short, pretty."]),
    (["status", "-z"], ["unknown option '-z'", "--help"]),
    (["status", "--quiet=3"], ["--quiet takes no value"]),
    (["status", "--host"], ["--host needs a value"]),
    (["status", "-H", "a", "-M", "b"], ["exclude each other"]),
    (["set"], ["set needs one more word; usage: donorctl set MODE"]),
    (["set", "power", "--for=0"], ["--for cannot be '0'"]),
    (["set", "power", "--for=soon"], ["--for cannot be 'soon'", "2min"]),
    (["set", "power", "--until=sunset"], ["unknown event 'sunset'", "profile-change"]),
    (["set", "power", "--reason=\033[2J"], ["--reason", "no control characters"]),
    (["set", "power", "--reason=" + "x" * 257], ["256 bytes"]),
    (["set", "power", b"--reason=\xff"], ["--reason is not in UTF-8"]),
    (["set", "power", "--mode=power"], ["set has no option --mode"]),
    (["release", "power"], ["release does not know what to do with 'power'"]),
    (["release", "--keep-holds"], ["release has no option --keep-holds"]),
    (["attach", "--persist"], ["attach has no option --persist"]),
    (["get", "--until=reboot"], ["get has no option --until"]),
    (["get", "--for=1h"], ["get has no option --for"]),
    (["get", "--reason=x"], ["get has no option --reason"]),
    (["run", "-m", "power"], ["run needs one more word", "-m MODE -- CMD"]),
    (["run", "true"], ["run needs a mode, as in: donorctl run -m performance"]),
    (["run", "-m", "fast", "true"], ["unknown mode 'fast'"]),
    (["run", "-m"], ["--mode needs a value"]),
    (["run", "-m", "power", "-H", "far", "true"], ["leave out --host"]),
    (["run", "-m", "power", "--cpu", "true"], ["run has no option --cpu"]),
    (["wait"], ["wait needs one more word"]),
    (["status", "now"], ["'now'", "usage: donorctl status"]),
    (["set", "power", "please"], ["'please'", "usage: donorctl set MODE"]),
    (["donation", "enqueue", "on", "now"], ["'now'", "donation [HOOK [on|off|auto]]"]),
    (["attach", "--json"], ["attach has no option --json"]),
    (["donation", "enqueue", "--cpu"], ["donation has no option --cpu"]),
    (["domains", "--watch"], ["domains has no option --watch"]),
    (["status", "--dump"], ["status has no option --dump"]),
    (["exits", "--dump", "--json"], ["leave out one of --dump and --json"]),
    (["reset-failed", "--json"], ["reset-failed has no option --json"]),
    (["--cpu"], ["status has no option --cpu"]),
    (["wait", "attached", "--timeout=soon"], ["--timeout cannot be 'soon'", "2min"]),
    (["wait", "attached", "--timeout=-1"], ["--timeout cannot be '-1'"]),
    (["wait", "attached", "--timeout="], ["--timeout cannot be ''"]),
    (["wait", "attached", "--timeout=1e9"], ["--timeout cannot be '1e9'"]),
    (["wait", "attached", "--timeout=99999d"], ["up to a year"]),
    (["wait", "attached", "--timeout=0x5"], ["--timeout cannot be '0x5'"]),
    (["wait", "attached", "--timeout=1.2.3"], ["--timeout cannot be"]),
    (["stats", "--watch=0"], ["shortest interval is 0.1"]),
    (["stats", "--watch=nan"], ["--watch cannot be 'nan'"]),
    (["tune", "steal", "on", "now"], ["'now'", "donorctl tune [NAME [VALUE|auto]]"]),
    (["tune", "--persist"], ["--persist goes with a value"]),
    (["tune", "steal", "-m", "power"], ["--mode goes with a value"]),
    (["tune", "steal", "on", "--mode=turbo"], ["unknown mode 'turbo'", "power, balanced"]),
    (["config", "Mode"], ["'Mode'", "usage: donorctl config"]),
    (["reload", "--json"], ["reload has no option --json"]),
    (["help", "stats2"], ["unknown command 'stats2'", "'stats'?"]),
    (["\033[2J"], ["unknown command '?[2J'"]),
    ([""], ["unknown command ''"]),
    (["x" * 5000], ["unknown command 'xxx"]),
], ids=lambda value: " ".join(str(word) for word in value)[:40].replace("\033", "ESC") or "empty")
def test_bad_command_lines(bus, service, words, texts):
    done = run(bus, *words)
    assert_bad(done, 2, *texts)
    assert done.stdout == ""
    assert not service.calls
    assert not bus.mark.exists()


@pytest.mark.parametrize("text", ["1", "0.5", "500ms", "1s", "1min", "1m", "1h", "1d", "0"])
def test_times(bus, service, text):
    assert_good(run(bus, "wait", "attached", f"--timeout={text}"))


def test_help_names_every_command(bus):
    done = run(bus, "help")
    assert_good(done)
    assert done.stdout == run(bus, "--help").stdout == run(bus, "-h").stdout
    commands = re.findall(r"^  (\w[\w-]*) ", done.stdout.split("Options:")[0], re.M)
    assert commands == ["status", "get", "set", "release", "run", "holds", "modes", "donation", "tune", "stats", "domains",
                        "top", "monitor", "metrics", "attach", "detach", "config", "reload", "exits", "reset-failed",
                        "wait", "verify", "log-level", "doctor", "version", "help"]
    for command in commands:
        assert run(bus, "help", command).stdout.startswith(f"donorctl {command}")
        assert run(bus, command, "--help").stdout == run(bus, "help", command).stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_the_version_option_asks_nobody(bus):
    done = run(bus, "--version")
    assert_good(done)
    assert re.fullmatch(r"donorctl \S+\n", done.stdout)


def test_the_manual_knows_all_that_the_help_knows(bus):
    text = run(bus, "help").stdout
    words = re.findall(r"^  (\w[\w-]*) ", text.split("Options:")[0], re.M) + re.findall(r"(--[a-z-]+)", text)
    manual = (SOURCE / "docs/man/donorctl.1.scd").read_text().replace("\\", "")
    assert len(words) > 25
    for word in words:
        assert re.search(rf"^\*(-\w\*, \*)?{word}\b", manual, re.M), word
