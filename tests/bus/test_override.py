# SPDX-License-Identifier: GPL-2.0-only
"""A mode that a person chose: what it says, what ends it, and what it outlives."""

import errno
import json
import os
import signal
import time

import pytest

from harness import ERROR, until

KERNEL_REFUSES = f"{errno.EINVAL}"


def in_force(donord) -> tuple[str, str]:
    """Mode and source; the kernel must be at the same mode."""
    properties = donord.properties()
    assert donord.params()["mode"] == properties["Mode"]
    return properties["Mode"], properties["ModeSource"]


def test_a_choice_says_all_about_itself(donord):
    donord.start()
    before = time.time_ns() // 1000
    donord.set_mode("power", until="released", reason="on the train", timeout_usec=3_600_000_000)
    after = time.time_ns() // 1000
    override = donord.get("Override")
    since, ends = override.pop("Since"), override.pop("EndsUSec")
    assert before <= since <= after and ends == since + 3_600_000_000
    assert override == {"Mode": "power", "Until": "released", "Uid": os.getuid(), "Persist": False,
                        "Reason": "on the train"}
    assert in_force(donord) == ("power", "override")
    assert donord.get("ModeReason") == f"chosen by uid {os.getuid()}: on the train"
    assert donord.get("ModeBeneath") == ("balanced", "config", "Mode=balanced in the configuration")


@pytest.mark.parametrize("words", ["released", "profile-change", "power-source-change", "reboot"])
def test_until_is_shown_as_it_was_asked(donord, words):
    donord.start()
    donord.set_mode("power", until=words)
    assert donord.get("Override")["Until"] == words
    donord.set_mode("power")
    assert donord.get("Override")["Until"] == "profile-change"


def test_release_ends_it_and_may_be_repeated(donord):
    donord.start()
    donord.set_mode("performance")
    donord.forget()
    assert donord.release() == "balanced"
    assert in_force(donord) == ("balanced", "config")
    assert donord.heard() == [("ModeChanged", "performance", "balanced", "config", "Mode=balanced in the configuration")]
    assert donord.changes() == [{"Mode": "balanced", "ModeSource": "config", "Override": {},
                                 "ModeReason": "Mode=balanced in the configuration"}]
    donord.forget()
    assert donord.release() == "balanced"
    assert donord.signals == [] and donord.changes() == []


def test_its_time_ends_it(donord):
    donord.start()
    donord.set_mode("power", timeout_usec=400_000)
    began = time.monotonic()
    donord.forget()
    until(lambda: donord.signals, "the end of the choice")
    assert 0.3 < time.monotonic() - began < 3
    assert in_force(donord) == ("balanced", "config")
    assert donord.heard()[0][:4] == ("ModeChanged", "power", "balanced", "config")
    assert len(donord.changes()) == 1 and donord.changes()[0]["Override"] == {}


def test_a_new_choice_does_not_end_with_the_time_of_the_last(donord):
    donord.start()
    donord.set_mode("power", timeout_usec=200_000)
    donord.set_mode("performance")
    time.sleep(0.8)
    assert in_force(donord) == ("performance", "override")
    donord.set_mode("power", timeout_usec=200_000)
    donord.release()
    donord.forget()
    time.sleep(0.8)
    assert donord.heard() == []


def test_it_counts_while_detached(donord):
    donord.start()
    donord.detach()
    donord.set_mode("power", timeout_usec=200_000)
    assert (donord.get("Mode"), donord.get("ModeSource")) == ("power", "override")
    until(lambda: donord.get("Mode") == "balanced", "the end of the choice")
    assert donord.get("Override") == {}


def test_what_the_kernel_refuses_is_no_choice(donord):
    donord.start()
    donord.set_mode("performance", persist=True, timeout_usec=3_600_000_000)
    kept = (donord.state / "state").read_text(), (donord.run / "state").read_text()
    before = donord.properties()
    donord.play("set-params-error", KERNEL_REFUSES)
    donord.forget()
    for call in [lambda: donord.refused("SetMode", "(sa{sv})", "power", {}), lambda: donord.refused("ReleaseOverride")]:
        refusal = call()
        assert refusal.name == ERROR + "TransitionFailed" and "stays at mode performance" in refusal.text
    assert donord.properties() == before and donord.signals == [] and donord.changes() == []
    assert ((donord.state / "state").read_text(), (donord.run / "state").read_text()) == kept
    donord.unplay("set-params-error")
    assert donord.release() == "balanced"


def test_what_the_kernel_refused_is_made_up_for_at_the_next_attach(donord):
    donord.start()
    donord.set_mode("power", timeout_usec=200_000)
    donord.play("set-params-error", KERNEL_REFUSES)
    until(lambda: donord.get("Override") == {}, "the end of the choice")
    assert donord.get("Mode") == "power"  # as the kernel has it
    donord.detach()
    donord.attach()
    assert in_force(donord) == ("balanced", "config")


def test_a_choice_that_meets_an_unseen_ejection_is_accepted(donord):
    donord.configure("[Restart]\nLimit=1\n")
    donord.start()
    (donord.kernel / "ejected").write_text("1026\n0\nstall\nmessage\n")  # without an announcement
    assert donord.set_mode("power") == "power"
    assert donord.get("State") == "failed"


def test_a_choice_that_ends_after_an_unseen_ejection_ends(donord):
    donord.configure("[Restart]\nLimit=1\n")
    donord.start()
    donord.set_mode("power", timeout_usec=200_000)
    (donord.kernel / "ejected").write_text("1026\n0\nstall\nmessage\n")
    time.sleep(1)  # no call of ours may make it look
    assert "did not take" not in donord.logged()
    assert (donord.get("Mode"), donord.get("ModeSource"), donord.get("State")) == ("balanced", "config", "failed")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("options, after_restart, after_reboot", [
    ({}, True, False), ({"until": "reboot"}, True, False), ({"persist": True}, True, True),
    ({"until": "released", "persist": True, "timeout_usec": 3_600_000_000}, True, True)])
def test_what_it_outlives(donord, number, options, after_restart, after_reboot):
    donord.start()
    donord.set_mode("power", reason="because", **options)
    override = donord.get("Override")
    donord.restart(number)
    assert donord.get("Override") == override
    # From the first moment on: attached anew with it, or told once by the process that took over.
    assert donord.params()["generation"] == {signal.SIGTERM: "1", signal.SIGKILL: "3"}[number]
    assert in_force(donord) == ("power", "override")
    donord.restart(number, reboot=True)
    assert (donord.get("Override") == override) == after_reboot
    assert in_force(donord) == (("power", "override") if after_reboot else ("balanced", "config"))


@pytest.mark.parametrize("persist", [True, False])
def test_a_released_choice_does_not_come_back(donord, persist):
    donord.start()
    donord.set_mode("power", persist=persist)
    donord.release()
    donord.restart(signal.SIGKILL)
    assert in_force(donord) == ("balanced", "config")


@pytest.mark.parametrize("first", [True, False])
def test_the_last_choice_is_the_only_one(donord, first):
    donord.start()
    donord.set_mode("power", persist=first)
    donord.set_mode("performance", persist=not first)
    donord.restart(signal.SIGKILL)
    assert in_force(donord) == ("performance", "override")
    donord.restart(signal.SIGKILL, reboot=True)
    assert donord.get("Mode") == ("balanced" if first else "performance")


def test_its_time_goes_on_while_the_service_is_away(donord):
    donord.start()
    donord.set_mode("power", timeout_usec=500_000, persist=True)
    donord.restart(signal.SIGKILL, meanwhile=lambda: time.sleep(0.6))
    assert in_force(donord) == ("balanced", "config")
    donord.set_donation("enqueue", False, persist=True)  # the next that is written
    kept = json.loads((donord.state / "state").read_text())
    assert "donation.enqueue" in kept and not [key for key in kept if key.startswith("override.")]
    donord.set_mode("power", timeout_usec=2_000_000, persist=True)
    set_at = time.monotonic()
    donord.restart(signal.SIGKILL)
    assert in_force(donord) == ("power", "override")
    until(lambda: donord.get("Mode") == "balanced", "the end of the choice")
    assert 1.9 < time.monotonic() - set_at < 5


@pytest.mark.parametrize("text", ["", "{", '{"override.mode": "pow', "[]", '{"override.mode": "turbo"}', "\0\0\0\0"])
def test_a_damaged_state_costs_the_choice_and_nothing_else(donord, text):
    (donord.state / "state").write_text(text)
    donord.start()
    assert in_force(donord) == ("balanced", "config")
    assert ("damaged" in donord.logged()) == ("turbo" not in text)
    donord.set_mode("power", persist=True)
    donord.restart(reboot=True)
    assert in_force(donord) == ("power", "override")


def test_what_others_keep_in_the_state_stays(donord):
    (donord.state / "state").write_text('{"boot.attempts": 1, "later.version": "x"}')
    donord.configure("[Scheduler]\nAttach=no\n")  # an attempt would be counted there
    donord.start()
    donord.set_mode("power", persist=True)
    donord.release()
    assert json.loads((donord.state / "state").read_text()) == {"boot.attempts": 1, "later.version": "x"}


def test_a_choice_that_cannot_be_kept_is_refused_and_nothing_is_done(donord):
    donord.start()
    donord.set_mode("performance", persist=True)
    before = donord.properties(), donord.params()
    (donord.state / "state.new").mkdir()  # in the way of the new file
    donord.forget()
    for refusal in [donord.refused("SetMode", "(sa{sv})", "power", {"persist": donord.variant(True)}),
                    donord.refused("SetDonation", "(sba{sv})", "enqueue", False, {"persist": donord.variant(True)})]:
        assert "outlive a reboot" in refusal.text and "without persist" in refusal.text
    assert (donord.properties(), donord.params()) == before and donord.signals == []
    assert donord.set_mode("power") == "power"  # that needs no disk
    (donord.state / "state.new").rmdir()
    donord.set_mode("balanced", persist=True)
    donord.restart(reboot=True)
    assert in_force(donord) == ("balanced", "override")


def test_persist_without_a_place_to_keep_it_is_refused(donord):
    donord.state.rmdir()
    donord.start()
    assert "outlive a reboot" in donord.refused("SetMode", "(sa{sv})", "power", {"persist": donord.variant(True)}).text
    assert donord.set_mode("power") == "power"


@pytest.mark.parametrize("persist, options, after_restart, after_reboot", [
    (True, {}, False, False), (False, {}, False, True),
    (True, {"follow_mode": True}, True, True)])
def test_a_choice_about_donation_outlives_what_it_was_asked_to(donord, persist, options, after_restart, after_reboot):
    donord.start()
    donord.set_donation("enqueue", False, persist=persist, **options)
    donord.restart(signal.SIGKILL)
    assert donord.get("DonationEnqueue") == after_restart
    donord.restart(reboot=True)
    assert donord.get("DonationEnqueue") == after_reboot
    assert donord.get("DonationSelectCpu") is True


def test_follow_mode_outlives_a_configuration_that_says_otherwise(donord):
    donord.configure("[Donation]\nEnqueue=no\n")
    donord.start()
    donord.set_donation("enqueue", False, follow_mode=True, persist=True)
    donord.restart(reboot=True)
    assert donord.get("DonationEnqueue") is True


def test_a_new_word_of_the_configuration_ends_the_choice_about_donation(donord):
    donord.start()
    donord.set_donation("enqueue", True, persist=True)
    donord.set_donation("select-cpu", False, persist=True)
    donord.reload("[Donation]\nEnqueue=no\n")
    donord.restart(reboot=True)
    assert (donord.get("DonationSelectCpu"), donord.get("DonationEnqueue")) == (False, False)


def test_no_choice_ends_by_a_reload(donord):
    donord.start()
    donord.set_mode("power")
    override = donord.get("Override")
    donord.reload("[Scheduler]\nMode=performance\n")
    assert donord.get("Override") == override and in_force(donord) == ("power", "override")
    assert donord.release() == "performance"
