# SPDX-License-Identifier: GPL-2.0-only
"""A scheduler that takes the machine down is not attached at every boot."""

import errno
import json
import signal

import pytest

from harness import until

STALL = 1026


def crash(donord):
    """The machine goes down: the disk alone outlives it."""
    donord.stop(signal.SIGKILL)
    for left in [*donord.run.iterdir(), *donord.kernel.iterdir()]:
        left.unlink()
    donord.drop(*list(donord.store))
    donord.notes.clear()


def attempts(donord) -> int:
    return json.loads((donord.state / "state").read_text()).get("boot.attempts", 0)


def is_guarded(donord) -> bool:
    return donord.get("State") == "failed" and "boot guard" in donord.get("StateReason")


def test_after_two_boots_that_went_down_it_stays_detached(donord):
    for number in (1, 2):
        donord.start()
        assert donord.get("State") == "attached" and attempts(donord) == number
        crash(donord)
    for _ in range(2):  # and for as long as nobody does anything about it
        donord.start()
        assert is_guarded(donord) and "2 times in a row" in donord.get("StateReason") and donord.attaches() == 0
        assert "boot guard" in donord.logged()
        crash(donord)
    donord.start()
    donord.reset_failed()
    assert donord.get("State") == "detached" and attempts(donord) == 0
    crash(donord)
    donord.start()
    assert donord.get("State") == "attached"


def test_a_person_may_attach_nevertheless(donord):
    donord.configure("[Restart]\nBootLimit=1\n[Scheduler]\nMode=power\n")
    donord.start()
    crash(donord)
    donord.start()
    assert is_guarded(donord)
    donord.attach()
    assert donord.get("State") == "attached" and attempts(donord) == 2
    assert donord.stop() == 0
    assert attempts(donord) == 0
    donord.notes.clear()
    donord.start()
    assert donord.get("State") == "attached"


def test_a_service_that_is_killed_is_no_crash_of_the_machine(donord):
    donord.configure("[Restart]\nBootLimit=1\n")
    for _ in range(4):
        donord.start()
        assert donord.get("State") == "attached"
        donord.stop(signal.SIGKILL)
        (donord.kernel / "params").unlink()
        donord.notes.clear()


def test_one_that_ran_for_long_enough_is_no_crash(donord):
    donord.configure("[Restart]\nBootLimit=1\nStableSec=1s\n")
    donord.start()
    assert attempts(donord) == 1
    until(lambda: attempts(donord) == 0, "the time to be over")
    crash(donord)
    donord.start()
    assert donord.get("State") == "attached"


@pytest.mark.parametrize("end", [
    lambda donord: donord.detach(),
    lambda donord: (donord.eject(STALL), donord.wait_state("backoff")),
    lambda donord: (donord.eject(67), donord.wait_state("detached")),
])
def test_an_orderly_end_is_no_crash(donord, end):
    donord.configure("[Restart]\nBootLimit=1\nMinSec=60\n")
    donord.start()
    end(donord)
    assert attempts(donord) == 0
    crash(donord)
    donord.start()
    assert donord.get("State") == "attached"


def test_what_the_kernel_refuses_is_no_crash(donord):
    donord.configure("[Restart]\nBootLimit=1\n")
    donord.play("attach-error", f"{errno.EINVAL}")
    donord.start()
    assert donord.get("State") == "failed" and not is_guarded(donord)
    crash(donord)
    donord.start()
    assert donord.get("State") == "attached"


@pytest.mark.parametrize("line, state", [("quiet donor.off\n", "failed"), ("quiet\n", "attached")])
def test_the_kernel_command_line_switches_it_off(donord, line, state):
    credentials = donord.dir / "credentials"
    credentials.mkdir()
    (credentials / "cmdline").write_text(line)
    donord.environment["CREDENTIALS_DIRECTORY"] = str(credentials)
    for _ in range(2):  # always
        donord.start()
        assert donord.get("State") == state
        if state == "failed":
            assert "donor.off" in donord.get("StateReason") and donord.attaches() == 0
            donord.reset_failed()
            assert donord.get("State") == "detached"
        donord.stop()
        donord.notes.clear()
    donord.start()
    donord.attach()  # but a person may
    assert donord.get("State") == "attached"


def test_a_disk_that_cannot_be_written_keeps_nobody_from_attaching(donord):
    (donord.state / "state").mkdir()  # in the place of the file
    donord.start()
    assert donord.get("State") == "attached" and "the boot guard is without effect" in donord.logged()
