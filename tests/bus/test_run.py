# SPDX-License-Identifier: GPL-2.0-only
"""donorctl run, with the real service: the mode is held as long as the program runs, however it ends."""

import os
import pathlib
import signal
import subprocess
import sys

import pytest

from harness import DEADLINE, ERROR, NOBODY, until

DONORCTL = pathlib.Path(os.environ["DONOR_BUILD"], "client/donorctl").resolve()


class Run:
    """One donorctl run."""

    def __init__(self, donord, *words: str, **options):
        environment = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": donord.bus.address, "LC_ALL": "C.UTF-8"}
        self.process = subprocess.Popen([DONORCTL, *words], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=environment, **options)

    def finish(self, text: str = ""):
        """Exit status, standard output, standard error."""
        out, err = self.process.communicate(text, DEADLINE)
        return self.process.returncode, out, err

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


@pytest.fixture
def run(donord):
    donord.start()
    runs = []

    def make(*words, **options) -> Run:
        runs.append(Run(donord, "run", *words, **options))
        return runs[-1]

    yield make
    for one in runs:
        one.close()


def holds(donord) -> list[tuple]:
    return [(hold["Mode"], hold["ApplicationId"], hold["Reason"]) for hold in donord.get("Holds")]


def ends(donord):
    until(lambda: holds(donord) == [], "the end of the hold")
    assert donord.params()["mode"] == donord.get("Mode") == "balanced"


@pytest.mark.parametrize("words, expected", [
    (["-m", "performance", "--", "cat"], ("performance", "cat", "")),
    (["-m", "power-saver", "cat"], ("power", "cat", "")),
    (["--mode=performance", "--reason=game 730", "/bin/cat"], ("performance", "cat", "game 730"))])
def test_the_mode_is_held_while_the_program_runs(donord, run, words, expected):
    one = run(*words)
    until(lambda: holds(donord) == [expected], "the hold")
    assert donord.params()["mode"] == donord.get("Mode") == expected[0]
    assert one.finish("text for cat\n") == (0, "text for cat\n", "")
    ends(donord)


@pytest.mark.parametrize("status", [0, 1, 3, 7, 124, 255])
def test_the_status_is_the_programs_own(donord, run, status):
    assert run("-m", "performance", "--", "sh", "-c", f"exit {status}").finish() == (status, "", "")
    ends(donord)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL, signal.SIGSEGV, signal.SIGHUP])
def test_a_program_that_a_signal_ends(donord, run, number):
    """The shell makes 128+signal of it; so what it sees must be the signal itself."""
    one = run("-m", "performance", "--", "sh", "-c", f"ulimit -c 0; kill -{int(number)} $$")
    assert one.finish()[0] == -number
    ends(donord)
    shell = ["sh", "-c", f"{DONORCTL} run -m performance -- sh -c 'kill -{int(number)} $$'; echo $?"]
    environment = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": donord.bus.address}
    done = subprocess.run(shell, capture_output=True, text=True, timeout=DEADLINE, env=environment)
    assert done.stdout == f"{128 + number}\n"
    ends(donord)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_ended_from_outside_it_leaves_neither_hold_nor_program(donord, run, number):
    one = run("-m", "performance", "--", "sh", "-c", "echo $$; exec sleep 1000")
    pid = int(one.process.stdout.readline())
    assert pid == one.process.pid  # a launcher can watch and end it as if donorctl were not there
    until(lambda: holds(donord), "the hold")
    one.process.send_signal(number)
    assert one.process.wait(DEADLINE) == -number
    ends(donord)


def test_killed_before_the_program_starts_it_leaves_no_hold(donord, run):
    """At every moment: stopped by a signal after some number of steps, then killed."""
    for step in range(60):
        one = run("-m", "performance", "--", "sleep", "1000")
        try:
            one.process.wait(step / 1000)
        except subprocess.TimeoutExpired:
            pass
        one.process.kill()
        one.process.wait(DEADLINE)
    ends(donord)


def test_children_that_live_on_do_not_keep_the_mode(donord, run, tmp_path):
    one = run("-m", "performance", "--", "sh", "-c", f"sleep 1000 >/dev/null 2>&1 & echo $! > {tmp_path}/pid")
    assert one.finish()[0] == 0
    ends(donord)
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


def test_words_after_the_command_are_its_own(donord, run):
    words = ["-m", "power", "--json", "-q", "--", "--help", "", "a b"]
    script = "import sys; print(sys.argv[1:])"
    for separator in [], ["--"]:
        one = run("-m", "performance", *separator, sys.executable, "-c", script, *words)
        assert one.finish() == (0, f"{words}\n", "")


def test_the_program_inherits_what_donorctl_was_given_and_nothing_else(donord, run):
    script = """import os, signal
print([fd for fd in range(3, 256) if os.path.exists(f"/proc/self/fd/{fd}") and not os.path.isdir(f"/proc/self/fd/{fd}")])
print(signal.pthread_sigmask(signal.SIG_BLOCK, []), open("/proc/self/status").read().split("SigIgn:")[1].split()[0])
"""
    def told(words):
        one = subprocess.run([*words, sys.executable, "-c", script], text=True, timeout=DEADLINE, capture_output=True,
                             env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": donord.bus.address})
        assert one.returncode == 0, one.stderr
        return one.stdout

    assert told([DONORCTL, "run", "-m", "power", "--"]) == told(["env"])


def test_quiet_is_donorctl_and_not_the_program(donord, run):
    assert run("-q", "-m", "power", "--", "echo", "hello").finish() == (0, "hello\n", "")


@pytest.mark.parametrize("command, status, words", [
    ("no-such-program", 127, "'no-such-program': No such file"), ("/etc", 126, "'/etc': Permission denied")])
def test_a_program_that_cannot_be_started(donord, run, command, status, words):
    code, out, err = run("-m", "performance", "--", command).finish()
    assert (code, out) == (status, "") and words in err
    ends(donord)


def test_without_a_hold_nothing_is_started(donord, run, tmp_path):
    mark = tmp_path / "started"
    donord.play("set-params-error", "22")
    assert run("-m", "performance", "--", "touch", str(mark)).finish()[0] == 1
    donord.unplay("set-params-error")
    for _ in range(16):
        donord.hold("power")
    code, _, err = run("-m", "performance", "--", "touch", str(mark)).finish()
    assert code == 1 and "16 of one user" in err and "donorctl holds" in err
    donord.stop()
    assert run("-m", "performance", "--", "touch", str(mark)).finish()[0] == 7
    assert not mark.exists()


@pytest.mark.skipif(os.getuid() != 0, reason="another user can be played by root only")
def test_who_may_not_hold_may_not_run(donord, run, tmp_path):
    code, out, _ = run("-m", "performance", "--", "echo", "started", user=NOBODY, group=NOBODY, extra_groups=[]).finish()
    assert (code, out) == (4, "")


def test_a_name_that_nobody_can_read_is_not_shown(donord, run, tmp_path):
    for name, shown in [(b"a\xff", ""), (b"a\x1b[2J", "a?[2J"), ("spiel-ä".encode(), "spiel-ä")]:
        path = bytes(tmp_path) + b"/" + name
        os.symlink("/bin/cat", path)
        one = run("-m", "performance", "--", path)
        until(lambda: holds(donord) == [("performance", shown, "")], "the hold")
        assert one.finish()[0] == 0
        ends(donord)


@pytest.mark.parametrize("lives", [True, False])
def test_a_killed_service_goes_on_with_a_program_that_still_runs(donord, run, lives):
    one = run("-m", "performance", "--", "cat")
    until(lambda: holds(donord), "the hold")
    donord.kill()
    if not lives:
        assert one.finish()[0] == 0
    donord.start_again()
    if lives:
        assert holds(donord) == [("performance", "cat", "")] and donord.params()["mode"] == "performance"
        assert one.finish("still here") == (0, "still here", "")
        ends(donord)
    assert holds(donord) == [] and donord.params()["mode"] == "balanced"


def test_a_person_ends_the_hold_and_not_the_program(donord, run):
    one = run("-m", "performance", "--", "cat")
    until(lambda: holds(donord), "the hold")
    donord.set_mode("power")
    assert holds(donord) == [] and donord.get("Mode") == "power"
    assert one.finish("still here") == (0, "still here", "")
