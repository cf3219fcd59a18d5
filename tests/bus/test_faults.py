# SPDX-License-Identifier: GPL-2.0-only
"""What goes wrong: the kernel, another scheduler, the configuration, the bus."""

import errno
import time

import pytest

from harness import DEADLINE, ERROR, until

STALL = 1026


@pytest.mark.parametrize("lack, support, words", [("no-sched-ext", "no-sched-ext", "CONFIG_SCHED_CLASS_EXT"),
                                                  ("no-btf", "no-btf", "CONFIG_DEBUG_INFO_BTF")])
@pytest.mark.parametrize("attach", ["yes", "no"])
def test_a_kernel_that_lacks_something_is_named_and_the_service_stays(donord, lack, support, words, attach):
    donord.play(lack)
    donord.configure(f"[Scheduler]\nAttach={attach}\n")
    donord.start()
    assert (donord.get("State"), donord.get("KernelSupport")) == ("unsupported", support)
    assert words in donord.get("StateReason")
    refusal = donord.refused("Attach", "(a{sv})", {})
    assert refusal.name == ERROR + "KernelUnsupported" and words in refusal.text
    assert donord.set_mode("power") == "power"
    assert donord.refused("Detach", "(a{sv})", {}).name == ERROR + "NotAttached"
    assert donord.get("State") == "unsupported" and donord.attaches() == 0


@pytest.mark.parametrize("number, state, support, error", [
    (errno.EOPNOTSUPP, "unsupported", "no-sched-ext", "KernelUnsupported"),
    (errno.ENODATA, "unsupported", "no-btf", "KernelUnsupported"),
    (errno.EBADF, "unsupported", "malformed-btf", "KernelUnsupported"),
    (errno.EPERM, "failed", "no-privilege", "AttachFailed"),
    (errno.EBADMSG, "failed", "ok", "VerifierRejected"),
    (errno.E2BIG, "failed", "ok", "AttachFailed"),
    (errno.EINVAL, "failed", "ok", "AttachFailed"),
])
def test_each_failure_to_attach_has_its_state_and_its_error(donord, number, state, support, error):
    donord.play("attach-error", f"{number} the cause in words")
    donord.start()
    assert (donord.get("State"), donord.get("KernelSupport")) == (state, support)
    assert donord.get("StateReason") == "the cause in words"
    assert (donord.get("SchedulerName"), donord.get("AttachedSinceUSec")) == ("", 0)
    refusal = donord.refused("Attach", "(a{sv})", {})
    assert (refusal.name, refusal.text) == (ERROR + error, "the cause in words")
    assert "the cause in words" in donord.logged()
    donord.unplay("attach-error")
    donord.attach()
    assert (donord.get("State"), donord.get("KernelSupport")) == ("attached", "ok")


def test_a_failure_without_words_is_told_by_its_errno(donord):
    donord.play("attach-error", f"{errno.EINVAL}")
    donord.start()
    assert "Invalid argument" in donord.get("StateReason")


def test_a_task_with_an_odd_name_does_not_silence_the_bus(donord):
    donord.start()
    donord.forget()
    donord.eject(STALL, 0, "stall \udcff\udcfe", "\x1b[31mname\udc80")
    until(lambda: "Exited" in [s[0] for s in donord.signals], "the signal")
    assert donord.get("LastExit")[3:5] == ("stall ??", "?[31mname?")
    assert "stall ??" in donord.get("StateReason") and "stall ??" in donord.call("Describe")


def test_an_ejection_waits_for_its_record(donord):
    donord.start()
    donord.eject(0, 0, "", "")  # no longer run by the kernel, and ops.exit is still to come
    time.sleep(0.3)
    donord.properties()
    assert donord.params()  # nothing is freed
    donord.eject(STALL, 0, "late", "record")
    donord.wait_state("backoff")
    assert donord.get("LastExit")[1:5] == ("stall", 0, "late", "record")


def test_an_ejection_without_any_record_ends_as_well(donord):
    donord.start()
    donord.eject(0, 0, "", "")
    donord.wait_state("backoff")
    assert donord.params() == {}


def test_an_ejection_that_the_kernel_does_not_finish_blocks_nobody(donord):
    donord.start()
    donord.play("disabling")
    donord.eject(STALL, 0, "slow", "end")
    donord.wait_state("failed")
    assert "does not finish" in donord.get("StateReason")
    assert donord.params()  # closing our link now would block
    assert donord.refused("Attach", "(a{sv})", {}).name == ERROR + "AttachFailed"
    assert donord.refused("Detach", "(a{sv})", {}).name == ERROR + "NotAttached"
    assert donord.params() and donord.get("LastExit")[1] == ""
    donord.unplay("disabling")
    until(lambda: donord.get("LastExit")[1:5] == ("stall", 0, "slow", "end"), "the end")
    assert donord.params() == {} and "slow" in donord.get("StateReason")
    donord.attach()
    assert donord.get("State") == "attached"


@pytest.mark.parametrize("request_of", [lambda d: ("SetMode", "(sa{sv})", "power", {}),
                                        lambda d: ("SetDonation", "(sba{sv})", "enqueue", False, {})])
def test_what_the_kernel_did_not_take_changes_nothing(donord, request_of):
    donord.start()
    before = donord.properties(), donord.params()
    donord.forget()
    donord.play("set-params-error", f"{errno.EIO}")
    refusal = donord.refused(*request_of(donord))
    assert refusal.name == ERROR + "TransitionFailed" and "mode balanced" in refusal.text
    assert (donord.properties(), donord.params()) == before and donord.signals == []

    # Nor is it remembered as a wish.
    donord.unplay("set-params-error")
    donord.detach()
    donord.attach()
    assert (donord.params()["mode"], donord.params()["donate_enqueue"]) == ("balanced", "1")


def test_a_reload_that_the_kernel_did_not_take_is_tried_again(donord):
    donord.start()
    donord.play("set-params-error", f"{errno.EIO}")
    donord.configure("[Scheduler]\nMode=power\n")
    for mode in ["balanced", "power"]:
        donord.notes.clear()
        donord.process.send_signal(1)
        until(lambda: "READY=1" in donord.notes, "the end of the reload")
        assert donord.get("Mode") == mode
        if mode == "balanced":
            donord.unplay("set-params-error")


def test_garbage_in_the_configuration_is_named_and_passed_over(donord):
    donord.configure("[Scheduler]\nMode=warp\nSpeed=9\n[Donation]\nEnqueue=no\n")
    donord.configure("[Scheduler\n", "etc/donor/donor.conf.d/10-broken.conf")
    donord.start()
    assert (donord.get("State"), donord.get("Mode"), donord.get("DonationEnqueue")) == ("attached", "balanced", False)
    log = donord.logged()
    for place in ["etc/donor/donor.conf:2: ", "etc/donor/donor.conf:3: ", "donor.conf.d/10-broken.conf:1: "]:
        assert place in log


def test_a_second_service_gives_up_with_a_clear_word(donord):
    donord.start()
    second = donord.spawn()
    assert second.wait(DEADLINE) == 1
    assert "another donord serves org.donor.Scheduler1 already" in donord.logged()
    assert donord.get("State") == "attached" and donord.attaches() == 1


def test_no_bus_is_an_error_and_not_a_hang(donord):
    donord.bus = type("NoBus", (), {"address": f"unix:path={donord.dir}/nothing"})
    assert donord.spawn().wait(DEADLINE) == 1
    assert "cannot connect to the system bus" in donord.logged()


def test_a_kernel_without_announcements_is_asked_instead(donord):
    donord.play("no-watch")
    donord.start()
    assert "asking every second" in donord.logged()
    (donord.kernel / "ejected").write_text(f"{STALL}\n0\nreason\nmessage\n")
    until(lambda: "Exited" in [s[0] for s in donord.signals], "the news without any request")
    donord.attach()
    donord.signals.clear()
    donord.eject(STALL)  # and asked again
    until(lambda: "Exited" in [s[0] for s in donord.signals], "the news once more")
