# SPDX-License-Identifier: GPL-2.0-only
"""donorctl monitor, top and verify, beside the service that they watch."""

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from donorctl import environment, run, run_json
from fake_donord import DONORCTL
from harness import until
from terminal import Terminal

STALL = 1026
LEAVE = "\033[?1049l"


@pytest.fixture
def two_domains(donord):
    donord.play("domains", "4 2 0 0\n2 2 1 1\n")
    return donord.start()


# monitor


class Monitor:
    def __init__(self, bus, *words):
        self.lines = []
        self.process = subprocess.Popen([DONORCTL, "monitor", *words], env=environment(bus), stdout=subprocess.PIPE, text=True)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.wait(lambda line: "service" in line)

    def read(self):
        while line := self.process.stdout.readline():
            self.lines.append(line.strip())
        return self.lines

    def wait(self, condition):
        return until(lambda: [line for line in self.read() if condition(line)], f"a line; there were {self.lines}")[-1]

    def events(self):
        return [json.loads(line) for line in self.lines]

    def close(self):
        self.process.terminate()
        self.process.wait(10)
        self.process.stdout.close()


@pytest.fixture
def monitor(bus):
    started = []

    def start(*words):
        started.append(Monitor(bus, *words))
        return started[-1]

    yield start
    for one in started:
        one.close()


def test_monitor_says_whether_the_service_runs(donord, monitor):
    watching = monitor("--json=short")
    assert (watching.events()[0]["event"], watching.events()[0]["running"]) == ("service", False)
    donord.start()
    watching.wait(lambda line: '"running":true' in line)
    donord.stop()

    def seen():
        watching.read()
        return [event["running"] for event in watching.events() if event["event"] == "service"]

    until(lambda: seen() == [False, True, False], "the service gone again")


def test_monitor_tells_every_signal_and_property_in_order(two_domains, monitor):
    watching = monitor("--json=short")
    before = int(time.time())
    two_domains.forget()
    two_domains.set_mode("power")
    two_domains.set_donation("enqueue", True)
    two_domains.call("SetParameter", "(sta{sv})", "slice_max_ns", 3_000_000, {})
    two_domains.eject(STALL, 7, "runnable task stall", "game[730] 7.0 s")
    two_domains.wait_state("backoff")
    two_domains.attach()
    watching.wait(lambda line: '"attached","name":"donor"' in line)
    events = watching.events()[1:]
    assert all(before <= event.pop("t") <= time.time() for event in events)

    members = {"ModeChanged": "mode", "DonationChanged": "donation", "Attached": "attached", "Exited": "exited",
               "ParametersChanged": "parameters"}
    wanted = []
    for signal_name, *arguments in two_domains.signals:
        if signal_name == "PropertiesChanged":
            wanted += [("property", name) for name in arguments[1]]
        else:
            wanted.append((members[signal_name], None))
    assert [(event["event"], event.get("name") if event["event"] == "property" else None) for event in events] == wanted
    assert {"event": "mode", "old": "balanced", "new": "power", "source": "override", "reason": "chosen by uid 0"} in events
    assert {"event": "donation", "hook": "enqueue", "on": True, "reason": "SetDonation by uid 0"} in events
    assert {"event": "parameters", "changed": {"slice_max_ns": 3000000}, "reason": "SetParameter by uid 0"} in events
    assert {"event": "exited", "kind": "stall", "code": 7, "reason": "runnable task stall", "message": "game[730] 7.0 s",
            "will_retry": True} in events
    assert {"event": "property", "name": "DonationEffective", "value": ["enqueue"]} in events
    last = next(event for event in events if event.get("name") == "LastExit")["value"]
    assert last[1:5] == ["stall", 7, "runnable task stall", "game[730] 7.0 s"]


def test_monitor_for_people(two_domains, monitor):
    watching = monitor()
    two_domains.set_mode("power")
    line = watching.wait(lambda line: " mode " in line)
    assert re.fullmatch(r'\d\d:\d\d:\d\d mode old=balanced new=power source=override reason="chosen by uid 0"', line)
    two_domains.eject(STALL, 0, "a\033[2J b", 'say "x"')
    line = watching.wait(lambda line: " exited " in line)
    assert "\033" not in line and r'message="say \"x\""' in line


def test_monitor_without_a_bus(bus):
    done = run(bus, "monitor", status=7, env={"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"})
    assert "cannot reach the system bus" in done.stderr


# verify


@pytest.fixture
def kernel_files(tmp_path):
    ops = tmp_path / "sys/kernel/sched_ext/root/ops"
    ops.parent.mkdir(parents=True)
    ops.write_text("donor\n")
    return ops


@pytest.mark.parametrize("change", [lambda d: None, lambda d: d.set_mode("performance"), lambda d: d.set_donation("enqueue", False)],
                         ids=["at start", "another mode", "a switch"])
def test_verify_finds_agreement(two_domains, bus, kernel_files, change):
    change(two_domains)
    root = {"DONORCTL_ROOT": str(kernel_files.parents[4])}
    assert "agree in" in run(bus, "verify", env=root).stdout
    told = run_json(bus, "verify", env=root)
    assert told["agrees"] is True
    rows = {row["what"]: row for row in told["comparisons"]}
    assert all(row["agrees"] for row in rows.values())
    params = two_domains.params()
    assert rows["mode"]["kernel"] == rows["mode"]["property"] == rows["mode"]["wish"] == params["mode"]
    assert rows["scheduler"] == {"what": "scheduler", "wish": "donor", "property": "donor", "kernel": "donor", "agrees": True}
    assert {name: row["kernel"] for name, row in rows.items() if name in params and name != "mode"} == {
        name: value for name, value in params.items() if name not in ("mode", "generation")}


def test_verify_asks_the_kernel_what_it_runs(two_domains, bus, kernel_files):
    kernel_files.write_text("scx_other\n")
    done = run(bus, "verify", status=1, env={"DONORCTL_ROOT": str(kernel_files.parents[4])})
    assert done.stdout.splitlines()[1:] and done.stdout.splitlines()[1].split() == ["scheduler", "donor", "donor", "scx_other"]
    assert len(done.stdout.splitlines()) == 2 and "1 of" in done.stderr


def test_verify_of_a_scheduler_that_is_not_attached(two_domains, bus):
    two_domains.detach()
    assert "not attached" in run(bus, "verify", status=3).stderr


# top


def plain(text):
    return re.sub(r"\033\[[\d;?]*[a-zA-Z]", "", text)


def rows_of(picture):
    """The domains: number, CPUs, idle cores, bar, load, queued, gives, takes, stolen."""
    return [line.split() for line in picture.splitlines() if re.match(r"\d+ +[\d,-]+ ", line)]


@pytest.mark.parametrize("words", [["top"], ["top", "--once"]], ids=" ".join)
def test_top_prints_one_picture_where_there_is_no_terminal(two_domains, bus, words):
    two_domains.set_mode("performance")
    done = run(bus, *words)
    assert "\033" not in done.stdout
    assert re.match(r"donor attached \d+\w+( \d+\w+)?  mode performance by override\nchosen by uid 0\n"
                    r"donation: select-cpu on, enqueue on\n", done.stdout), done.stdout
    rows = rows_of(done.stdout)
    assert [row[:3] + row[4:6] for row in rows] == [["0", "0-3", "0/2", "50%", "0"], ["1", "4-5", "0/2", "75%", "0"]]
    shares = [row[3].count("█") / len(row[3]) for row in rows]
    assert 0.45 < shares[0] < 0.55 and 0.7 < shares[1] < 0.8
    assert "No tasks are given away." in done.stdout


def test_top_shows_what_flows(two_domains, bus):
    top = subprocess.Popen([DONORCTL, "top", "--once"], env=environment(bus), stdout=subprocess.PIPE, text=True)
    end = time.monotonic() + 0.7
    while time.monotonic() < end:
        two_domains.snapshot()  # each look is a moment of load to the kernel that the test plays
    told = top.communicate(timeout=20)[0]
    assert top.returncode == 0
    gives = [float(row[6]) for row in rows_of(told)]
    assert gives[0] > 8 and gives[0] == pytest.approx(2 * gives[1], rel=0.05)
    flows = re.findall(r"^ +(\d) (━*)▶ (\d) +([\d.]+)/s$", told, re.M)
    assert [(flow[0], flow[2], float(flow[3])) for flow in flows] == [("0", "1", gives[0]), ("1", "0", gives[1])]
    assert len(flows[0][1]) == pytest.approx(2 * len(flows[1][1]), abs=1)


def test_top_without_scheduler_or_service(two_domains, bus):
    two_domains.detach()
    assert "donor detached" in run(bus, "top", status=3).stdout
    two_domains.stop()
    assert "not running" in run(bus, "top", status=7).stderr


@pytest.fixture
def top(bus):
    started = []

    def start(term="xterm", **size):
        terminal = Terminal([DONORCTL, "top"], environment(bus, TERM=term), **size)
        started.append(terminal)
        terminal.wait(lambda said: "given away" in said or "donor" in said and size, "a picture")
        return terminal

    yield start
    for terminal in started:
        terminal.close()


def assert_restored(terminal):
    assert terminal.is_restored()
    assert terminal.said.rstrip("\n").endswith(LEAVE) and "\033[?25h" in terminal.said


def test_q_quits(two_domains, top):
    terminal = top()
    assert not terminal.is_restored()
    assert terminal.said.startswith("\033[?1049h")
    terminal.wait(lambda said: said.count("\033[H") >= 3, "two more pictures")
    terminal.type("q")
    assert terminal.end() == 0
    assert_restored(terminal)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_restores_the_terminal(two_domains, top, number):
    terminal = top()
    terminal.process.send_signal(number)
    assert terminal.end() == 128 + number
    assert_restored(terminal)


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS])
def test_a_fault_restores_the_terminal(two_domains, top, number):
    terminal = top()
    terminal.process.send_signal(number)
    assert terminal.end() == -number
    assert_restored(terminal)


def test_interrupt_by_key(two_domains, top):
    terminal = top()
    terminal.type("\003")
    assert terminal.end() == 130
    assert_restored(terminal)


def test_suspended_and_continued(two_domains, top):
    terminal = top()
    terminal.type("\032")
    stat = Path(f"/proc/{terminal.process.pid}/stat")
    until(lambda: stat.read_text().rsplit(") ", 1)[1][0] == "T", "a stopped process")
    terminal.read()
    assert_restored(terminal)
    terminal.said = ""
    terminal.process.send_signal(signal.SIGCONT)
    terminal.wait(lambda said: "\033[?1049h" in said and "given away" in said, "the picture again")
    terminal.type("q")
    assert terminal.end() == 0
    assert_restored(terminal)


@pytest.mark.parametrize("rows, columns", [(24, 80), (10, 40), (3, 20), (1, 1), (60, 200)])
def test_the_picture_fits_the_terminal(two_domains, top, rows, columns):
    terminal = top()
    terminal.said = ""
    terminal.resize(rows, columns)
    terminal.wait(lambda said: said.count("\033[H") >= 2 and said.endswith("\033[J"), "a picture of the new size")
    for picture in terminal.said.split("\033[H")[1:]:
        lines = plain(picture).replace("\r", "").split("\n")
        assert len(lines) <= rows and max(map(len, lines)) <= columns, picture
    if columns >= 80:
        assert [row[1] for row in rows_of(plain(picture).replace("\r", ""))] == ["0-3", "4-5"]
    terminal.type("q")
    assert terminal.end() == 0


def test_domains_that_do_not_fit_are_counted(donord, top):
    donord.play("domains", "".join("2 1 0 0\n" for _ in range(30)))
    donord.start()
    terminal = top(rows=12, columns=80)
    terminal.wait(lambda said: "more domains" in said, "the rest")
    picture = plain(terminal.said).replace("\r", "")
    shown = len(rows_of(picture.split("more domains")[0]))
    assert f"... and {30 - shown} more domains" in picture and 0 < shown < 12
    terminal.type("q")
    assert terminal.end() == 0


def test_a_dumb_terminal_gets_lines(two_domains, top):
    terminal = top("dumb")
    terminal.wait(lambda said: said.count("given away") >= 2, "a second picture")
    assert "\033" not in terminal.said
    terminal.type("q\n")
    assert terminal.end() == 0
    assert terminal.is_restored() and "\033" not in terminal.said


def test_the_service_may_go_and_come(two_domains, top):
    terminal = top()
    two_domains.stop()
    terminal.wait(lambda said: "donord does not answer" in said, "what happened")
    terminal.said = ""
    two_domains.notes.clear()
    two_domains.start()
    terminal.wait(lambda said: "given away" in said, "the picture again")
    terminal.type("q")
    assert terminal.end() == 0
    assert_restored(terminal)
