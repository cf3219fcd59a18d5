# SPDX-License-Identifier: GPL-2.0-only
"""Each failure of donorctl has its exit status, its cause and a next step."""

import re

import pytest
from fake_donord import (ERROR, FREEDESKTOP, READ_VERBS, SOURCE, XML, FakeService, assert_bad,
                         assert_good, bus, one_bus, root, run, run_json, service)

ERRORS = {
    "NoSuchMode": (2, "donorctl modes"),
    "NoSuchHook": (2, "donorctl donation"),
    "NoSuchParameter": (2, "donorctl tune"),
    "ConfigInvalid": (1, "journalctl -u donord"),
    "NoSuchHold": (1, "donorctl holds"),
    "NotHoldOwner": (4, "donorctl holds"),
    "TooManyHolds": (1, "donorctl holds"),
    "TransitionFailed": (1, "donorctl status"),
    "ConflictingScheduler": (6, "donorctl wait attached"),
    "KernelUnsupported": (5, "donorctl doctor"),
    "VerifierRejected": (1, "journalctl -u donord"),
    "AttachFailed": (1, "journalctl -u donord"),
    "NotAttached": (3, "donorctl attach"),
    "BackedOff": (1, "donorctl wait attached"),
}


def test_every_error_of_the_interface_is_tested():
    names = re.findall(re.escape(ERROR) + r"(\w+)", (SOURCE / "dbus/names.h").read_text())
    assert sorted(names) == sorted([*ERRORS, "Restarting"])


def test_attach_waits_for_a_service_that_restarts_for_it(bus, service):
    service.errors["Attach"] = (ERROR + "Restarting", "What the service says.")
    service.set(State="attaching")
    assert_bad(run(bus, "attach", "--timeout=0.3"), 124)
    service.set(State="failed", StateReason="The reason.")
    assert_bad(run(bus, "attach"), 3, "The reason.")
    service.set(State="attached")
    done = run(bus, "attach")
    assert_good(done)
    assert done.stdout == "attached\n"


@pytest.mark.parametrize("name", ERRORS)
def test_errors_of_the_interface(bus, service, name):
    status, next_step = ERRORS[name]
    service.errors["Attach"] = (ERROR + name, "What the service says.")
    done = run(bus, "attach")
    assert_bad(done, status, "donorctl: What the service says. ", next_step)
    assert done.stdout == ""


@pytest.mark.parametrize("name, status, texts", [
    (FREEDESKTOP + "AccessDenied", 4, ["Words. ", "sudo"]),
    (FREEDESKTOP + "InteractiveAuthorizationRequired", 4, ["Words. ", "terminal", "--no-ask-password", "sudo"]),
    (FREEDESKTOP + "LimitsExceeded", 1, ["Words. ", "waiting for a password"]),
    ("org.freedesktop.PolicyKit1.Error.Failed", 4, ["Words", "sudo"]),
    (FREEDESKTOP + "TimedOut", 7, ["could not be started in time", "systemctl start donord"]),
    ("org.freedesktop.systemd1.NoSuchUnit", 7, ["could not be started", "systemctl start"]),
    (FREEDESKTOP + "InvalidArgs", 1, ["Words", "donorctl version"]),
    (FREEDESKTOP + "Failed", 1, ["Words", "journalctl"]),
    ("com.example.Strange", 1, ["Words", "journalctl"]),
])
def test_other_errors(bus, service, name, status, texts):
    service.errors["SetMode"] = (name, "Words")
    assert_bad(run(bus, "set", "power"), status, *texts)


def test_an_error_message_cannot_steer_the_terminal(bus, service):
    service.errors["Attach"] = (ERROR + "AttachFailed", "bad \033[2J\nthing")
    assert_bad(run(bus, "attach"), 1, "bad ?[2J?thing. ")


@pytest.mark.parametrize("words, method", [(["stats"], "GetSnapshot"),
                                           (["stats", "--cpu"], "GetPerCpu"),
                                           (["domains"], "GetDomains")])
def test_statistics_exit_with_3_when_not_attached(bus, service, words, method):
    service.errors[method] = (ERROR + "NotAttached", "Nothing is attached")
    assert_bad(run(bus, *words), 3, "Nothing is attached. Attach it with: donorctl attach")


@pytest.mark.parametrize("words, method", [(["set", "power"], "SetMode"), (["attach"], "Attach"),
                                           (["stats"], "GetSnapshot"),
                                           (["donation", "enqueue", "on"], "SetDonation")])
def test_a_service_that_does_not_answer_in_time(bus, service, words, method):
    service.silent.add(method)
    assert_bad(run(bus, *words, "--timeout=300ms"), 124, "did not answer in time", "--timeout")


def test_a_service_that_goes_away_meanwhile(bus, service):
    service.vanish.add("Attach")
    assert_bad(run(bus, "attach"), 7, "went away without an answer", "journalctl -u donord")


def test_a_service_without_the_interface(bus):
    fake = FakeService(bus.address, None)
    try:
        assert_bad(run(bus, "status"), 1, "donorctl version")
    finally:
        fake.stop()


def test_an_answer_of_another_type(bus):
    fake = FakeService(bus.address, XML.replace('name="Mode" type="s"', 'name="Mode" type="u"'))
    fake.state["Mode"] = ("u", 7)
    try:
        assert_bad(run(bus, "get"), 1, "another form", "donorctl version")
    finally:
        fake.stop()


# Without a service.


@pytest.mark.parametrize("words", [*READ_VERBS, ["detach"], ["reload"], ["tune", "steal", "on"]], ids=" ".join)
def test_without_service_nothing_is_started(bus, words):
    done = run(bus, *words)
    assert_bad(done, 7, "donord is not running", "systemctl start donord")
    assert not bus.mark.exists()


@pytest.mark.parametrize("words", [["set", "power"], ["attach"], ["donation", "enqueue", "auto"]],
                         ids=" ".join)
def test_commands_that_change_something_start_the_service(bus, words):
    assert_bad(run(bus, *words), 7, "could not be started", "journalctl -u donord")
    assert bus.mark.exists()


@pytest.mark.parametrize("ops, line", [("donor\n", "donor"), ("scx_x\n", "scx_x"),
                                       ("", "runs its own scheduler")])
def test_status_without_service_tells_what_the_kernel_runs(bus, root, ops, line):
    (root / "sys/kernel/sched_ext/root/ops").write_text(ops)
    done = run(bus, "status", root=root)
    assert_bad(done, 7)
    assert done.stdout == f"○ donor unknown, donord does not answer\n    Kernel: {line}\n"
    assert run_json(bus, "status", status=7, root=root) == {
        "reachable": False, "scheduler_name": ops.strip()}


def test_version_without_service(bus):
    done = run(bus, "version")
    assert_good(done)
    assert done.stdout.endswith("\ndonord is not running\n")
    assert run_json(bus, "version")["donord"] is None
    assert not bus.mark.exists()


@pytest.mark.parametrize("words", [["status"], ["set", "power"], ["wait", "attached"]],
                         ids=" ".join)
def test_without_bus(bus, words):
    done = run(bus, *words, DBUS_SYSTEM_BUS_ADDRESS="unix:path=/nonexistent/socket")
    assert_bad(done, 7, "cannot reach the system bus", "is dbus running?")
