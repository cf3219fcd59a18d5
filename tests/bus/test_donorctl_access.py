# SPDX-License-Identifier: GPL-2.0-only
"""donorctl and passwords: when one may be asked for, and who asks on a terminal."""

import os
import pty
import subprocess
import time

import pytest
from fake_donord import (DONORCTL, FREEDESKTOP, READ_VERBS, FakeService, assert_bad, assert_good, environment, one_bus,
                         run)

USER = 65534
WRITE_VERBS = [["set", "power"], ["donation", "enqueue", "off"], ["attach"], ["detach"]]


@pytest.fixture
def bus(one_bus):
    return one_bus


@pytest.fixture
def service(bus):
    fake = FakeService(bus.address)
    yield fake
    fake.stop()


@pytest.mark.parametrize("words", WRITE_VERBS, ids=" ".join)
def test_a_change_allows_to_ask(bus, service, words):
    assert_good(run(bus, *words))
    assert service.interactive == {service.calls[0][0]}


@pytest.mark.parametrize("words", [*([*words, "--no-ask-password"] for words in WRITE_VERBS), *READ_VERBS], ids=" ".join)
def test_nothing_else_does(bus, service, words):
    assert_good(run(bus, *words))
    assert service.interactive == set()


def test_not_authorised_is_exit_status_4(bus, service):
    service.errors["SetMode"] = (FREEDESKTOP + "InteractiveAuthorizationRequired", "Somebody has to authenticate.")
    assert_bad(run(bus, "set", "power", "--no-ask-password"), 4, "Somebody has to authenticate. ", "sudo donorctl")


AGENT = """#!/usr/bin/python3
import os, signal, sys, time
directory = os.path.dirname(os.path.abspath(__file__))
def note(name, text=""):
    with open(f"{directory}/{name}.new", "w") as file:
        file.write(text)
    os.rename(f"{directory}/{name}.new", f"{directory}/{name}")
def end(number, frame):
    note("ended")
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
time.sleep(0.3)
note("words", " ".join(sys.argv[1:]) + f" {os.getppid()}")
os.close(int(sys.argv[sys.argv.index("--notify-fd") + 1]))
while True:
    time.sleep(60)
"""


@pytest.fixture
def agent(tmp_path):
    """A pkttyagent that leaves a mark when it is ready and when it is told to end."""
    os.chmod(tmp_path, 0o777)
    for parent in tmp_path.parents[:2]:
        os.chmod(parent, 0o755)
    script = tmp_path / "pkttyagent"
    script.write_text(AGENT)
    script.chmod(0o755)
    return tmp_path


def on_terminal(bus, agent, *words, user=USER):
    """Runs donorctl as a user with a terminal; returns the process when it has ended, and its number."""
    master, slave = pty.openpty()
    try:
        process = subprocess.Popen([DONORCTL, *words], stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=environment(bus, PATH=f"{agent}:{os.environ['PATH']}"), text=True, user=user,
                                   group=user, extra_groups=[])
        out, err = process.communicate(timeout=60)
    finally:
        os.close(master)
        os.close(slave)
    return subprocess.CompletedProcess(words, process.returncode, out, err), process.pid


def reach(bus):
    """Lets another user connect to the private bus."""
    directory = os.path.dirname(bus.address.split("=")[1])
    for path in [directory, os.path.dirname(directory), os.path.dirname(os.path.dirname(directory))]:
        os.chmod(path, 0o755)


def test_on_a_terminal_an_agent_asks(bus, service, agent):
    reach(bus)
    seen = []
    answer = service.SetMode
    service.SetMode = lambda *arguments: seen.append((agent / "words").exists()) or answer(*arguments)
    done, pid = on_terminal(bus, agent, "set", "power")
    assert_good(done)
    assert seen == [True], "the agent is ready before the request is made"
    words = (agent / "words").read_text().split()
    assert words[0] == "--notify-fd" and words[2:] == ["--fallback", str(pid)]
    assert (agent / "ended").exists(), "the agent ends with donorctl"


def test_the_agent_does_not_outlive_a_killed_donorctl(bus, service, agent):
    reach(bus)
    service.silent.add("SetMode")
    master, slave = pty.openpty()
    process = subprocess.Popen([DONORCTL, "set", "power"], stdin=slave, user=USER, group=USER, extra_groups=[],
                               env=environment(bus, PATH=f"{agent}:{os.environ['PATH']}"))
    deadline = time.monotonic() + 30
    while not service.held:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.kill()
    process.wait(10)
    while not (agent / "ended").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.close(master)
    os.close(slave)


@pytest.mark.parametrize("words, user", [(["set", "power", "--no-ask-password"], USER), (["get"], USER),
                                         (["set", "power"], 0)])
def test_no_agent_where_none_is_needed(bus, service, agent, words, user):
    reach(bus)
    assert_good(on_terminal(bus, agent, *words, user=user)[0])
    assert not (agent / "words").exists()


def test_no_agent_without_a_terminal(bus, service, agent):
    reach(bus)
    assert_good(run(bus, "set", "power", user=USER, PATH=f"{agent}:{os.environ['PATH']}"))
    assert not (agent / "words").exists()


def test_without_pkttyagent_the_request_is_made_all_the_same(bus, service, agent):
    reach(bus)
    (agent / "pkttyagent").write_text("#!/bin/false\n")
    assert_good(on_terminal(bus, agent, "set", "power")[0])
    assert service.calls == [("SetMode", "power", {})]
