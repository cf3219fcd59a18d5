# SPDX-License-Identifier: GPL-2.0-only
"""The real polkit and the real logind: each method as each kind of user."""

import json
import os
import pwd
import sys
from pathlib import Path

import pytest
from conftest import call, prop, read, run, set_mode

sys.path.insert(0, "/in")

from interface import GUARDED, METHODS, OPEN  # noqa: E402

USER = "alice"
CHALLENGE = "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired"
REFUSALS = {CHALLENGE, "org.freedesktop.DBus.Error.AccessDenied"}
HERE = Path(__file__).parent
SWITCHES_OF_MODE = {"org.donor.scheduler1.set-mode", "org.donor.scheduler1.hold-mode"}


@pytest.fixture(scope="module", autouse=True)
def service():
    run("systemd-sysusers", "--inline", f'u {USER} 5000 "An administrator" /tmp /bin/sh', f"m {USER} sudo")
    Path("/etc/pam.d/donor-test").write_text("account required pam_permit.so\nsession required pam_systemd.so\n")
    run("systemctl", "start", "donord")
    yield
    run("systemctl", "stop", "donord")


@pytest.fixture
def answers(tmp_path):
    file = Path(f"/run/answers-{tmp_path.name}")
    file.touch()
    file.chmod(0o666)
    yield file
    file.unlink()


def as_process(user):
    """Without any session."""
    entry = pwd.getpwnam(user)
    return ["setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups"]


def in_session(tty):
    """As if logged in on the terminal."""
    properties = {"PAMName": "donor-test", "TTYPath": tty, "StandardInput": "null", "User": USER, "Group": USER}
    return ["systemd-run", "--wait", "--quiet", "--collect", *(f"--property={k}={v}" for k, v in properties.items())]


def ask(how, answers):
    run(*how, sys.executable, str(HERE / "caller.py"), str(answers))
    return json.loads(answers.read_text())


def passed(said):
    return {method.name for method in METHODS if not REFUSALS & set(said[method.name])}


def check(said, actions):
    """What needs one of these actions, or none, gets through; all else wants an authentication."""
    assert said["State"] == "ok"
    assert passed(said) == {m.name for m in OPEN} | {m.name for m in GUARDED if m.action in actions}
    for method in GUARDED:
        if method.action not in actions:
            assert said[method.name] == [CHALLENGE] * 2


@pytest.mark.parametrize("user", ["root", "donor"])
def test_root_and_the_service_may_do_everything(answers, user):
    said = ask(as_process(user), answers)
    assert passed(said) == {method.name for method in METHODS}
    call("Attach", "(a{sv})", {})  # whatever was the last they did


@pytest.fixture
def unchanged():
    before = prop("State"), prop("Mode"), prop("DonationEffective")
    assert before[0] == "attached"
    yield
    assert (prop("State"), prop("Mode"), prop("DonationEffective")) == before


def test_who_sits_at_the_machine_may_switch_the_mode(answers, unchanged):
    assert read("/sys/class/tty/tty0/active") == "tty1"
    said = ask(in_session("/dev/tty1"), answers)
    assert said["session"] and said["seat"] == "seat0" and said["uid"] == 5000
    check(said, SWITCHES_OF_MODE)


def test_and_the_mode_is_switched(answers):
    assert run(*in_session("/dev/tty1"), "donorctl", "set", "performance")
    assert prop("Mode") == "performance"
    set_mode("balanced")


def test_a_session_in_the_background_may_only_look(answers, unchanged):
    said = ask(in_session("/dev/tty2"), answers)
    assert said["session"] and said["seat"] == "seat0"
    check(said, set())


def test_a_session_from_elsewhere_may_only_look(answers, unchanged):
    master, slave = os.openpty()
    os.fchmod(slave, 0o666)
    try:
        said = ask(in_session(os.ttyname(slave)), answers)
    finally:
        os.close(master)
        os.close(slave)
    assert said["session"] and said["seat"] == ""
    check(said, set())


def test_nobody_may_only_look(answers, unchanged):
    said = ask(as_process("nobody"), answers)
    check(said, set())


def test_a_rule_of_the_administrator_counts(answers):
    rule = Path("/etc/polkit-1/rules.d/50-donor-test.rules")
    rule.parent.mkdir(parents=True, exist_ok=True)
    rule.write_text('polkit.addRule(function(action, subject) {\n'
                    f'if (action.id == "org.donor.scheduler1.configure-donation" && subject.user == "{USER}")\n'
                    'return polkit.Result.YES; });\n')
    rule.chmod(0o644)
    rule.parent.chmod(0o755)
    try:
        run("systemctl", "restart", "polkit")
        check(ask(as_process(USER), answers), {"org.donor.scheduler1.configure-donation"})
    finally:
        rule.unlink()
        run("systemctl", "restart", "polkit")


def test_without_polkit_it_is_for_root(answers, unchanged):
    run("systemctl", "mask", "--runtime", "--now", "polkit")
    try:
        said = ask(as_process(USER), answers)
        assert passed(said) == {m.name for m in OPEN}
        assert {said[m.name][0] for m in GUARDED} == {"org.freedesktop.DBus.Error.AccessDenied"}
        refused = run(*as_process(USER), "donorctl", "set", "power", check=False)
        assert refused.returncode == 4 and "polkit does not run here" in refused.stderr, refused
        assert set_mode("balanced") == "balanced"
    finally:
        run("systemctl", "unmask", "--runtime", "polkit")
        run("systemctl", "start", "polkit")


def on_terminal(answers, *command):
    """In a session, for polkit takes a fallback agent for nobody else: status, and what the terminal showed."""
    done = run(*in_session("/dev/tty2"), sys.executable, str(HERE / "terminal.py"), str(answers), *command, check=False)
    return done.returncode, answers.read_text()


@pytest.mark.parametrize("pam, status, words", [("pam_permit", 0, "AUTHENTICATION COMPLETE"),
                                                ("pam_deny", 4, "AUTHENTICATION FAILED")])
def test_on_a_terminal_an_administrator_authenticates(answers, pam, status, words):
    """donorctl, pkttyagent, donord, polkit, and PAM, which decides without asking here."""
    service = Path("/etc/pam.d/polkit-1")
    service.write_text(f"auth required {pam}.so\naccount required {pam}.so\n")
    try:
        ended, shown = on_terminal(answers, "donorctl", "donation", "enqueue", "off")
        assert ended == status and words in shown, shown
        assert "AUTHENTICATING FOR org.donor.scheduler1.configure-donation" in shown
        assert prop("DonationEnqueue") == (status != 0)
        ended, shown = on_terminal(answers, "donorctl", "donation", "enqueue", "on", "--no-ask-password")
        assert ended == 4 and "AUTHENTICATING" not in shown, shown  # another session
    finally:
        service.unlink()
        run("systemctl", "restart", "polkit")  # forgets who has authenticated
        run("donorctl", "donation", "enqueue", "auto")
