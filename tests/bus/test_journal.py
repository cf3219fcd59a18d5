# SPDX-License-Identifier: GPL-2.0-only
"""What goes to the journal, and what the journal says about it."""

import errno
import re
import subprocess

import pytest

from harness import INVALID_ARGS, NOBODY, Refused, until
from journal import EVENTS, FIELDS, REPOSITORY, Journal

from gi.repository import Gio, GLib

CATALOG = REPOSITORY / "systemd/donor.catalog"
LOG_CONTROL = "org.freedesktop.LogControl1"
STALL, SYSRQ = 1026, 67


@pytest.fixture
def journal(donord):
    donord.journal = Journal()
    yield donord.journal
    if donord.process and donord.process.poll() is None:
        donord.stop()
    donord.journal.close()


def test_attaching_and_detaching(donord, journal):
    donord.start()
    attached = journal.wait("ATTACHED")
    assert attached == {"MESSAGE": "attached, mode balanced", "PRIORITY": "5", "SYSLOG_IDENTIFIER": "donord",
                        "MESSAGE_ID": EVENTS["ATTACHED"], "DONOR_MODE": "balanced", "DONOR_SCHEDULER": "donor"}
    donord.detach()
    assert journal.wait("DETACHED")["DONOR_REASON"] == "Detach by uid 0"
    assert donord.logged() == ""


def test_a_change_of_mode(donord, journal):
    donord.start()
    donord.set_mode("power")
    changed = journal.wait("MODE_CHANGED")
    assert (changed["DONOR_MODE_OLD"], changed["DONOR_MODE"], changed["DONOR_SOURCE"]) == ("balanced", "power", "override")
    assert "uid 0" in changed["DONOR_REASON"]
    assert changed["MESSAGE"].startswith("mode power, was balanced: override")
    donord.set_mode("power")
    assert len(journal.find("MODE_CHANGED")) == 1


def test_a_change_of_donation(donord, journal):
    donord.start()
    donord.set_donation("enqueue", False)
    changed = journal.wait("DONATION_CHANGED")
    assert (changed["DONOR_HOOK"], changed["DONOR_DONATION"]) == ("enqueue", "off")


def test_an_exit_with_all_that_is_known(donord, journal):
    donord.start()
    donord.eject(STALL, 5, "runnable task stall", "game[730] 'x' failed")
    exited = journal.wait("EXITED")
    assert (exited["DONOR_EXIT_KIND"], exited["DONOR_EXIT_CODE"], exited["PRIORITY"]) == ("stall", "0x5", "3")
    assert (exited["DONOR_EXIT_REASON"], exited["DONOR_EXIT_MESSAGE"]) == ("runnable task stall", "game[730] 'x' failed")
    assert 0 <= int(exited["DONOR_RAN_MSEC"]) < 60_000
    assert [entry for entry in journal.entries if entry["MESSAGE"] == "dump: first line of the dump"]


def test_another_scheduler(donord, journal):
    donord.play("foreign", "scx_other\n")
    donord.start()
    assert journal.wait("CONFLICT")["DONOR_SCHEDULER"] == "scx_other"
    donord.unplay("foreign")
    journal.wait("CONFLICT_OVER")
    journal.wait("ATTACHED")


def test_what_fails(donord, journal):
    donord.configure("[Scheduler]\nColour=blue\n")
    donord.play("attach-error", f"{errno.EINVAL} the cause in words")
    donord.start()
    assert "donor.conf:2: unknown key Colour" in journal.wait("CONFIG_WARNING")["DONOR_REASON"]
    assert journal.wait("NOT_ATTACHED")["DONOR_REASON"] == "the cause in words"
    donord.unplay("attach-error")
    donord.attach()
    donord.play("set-params-error", f"{errno.EIO}")
    assert donord.refused("SetMode", "(sa{sv})", "power", {})
    assert "SetMode by uid 0" in journal.wait("NOT_CHANGED")["DONOR_REQUEST"]


def test_a_program_holds_a_mode(donord, journal):
    donord.start()
    donord.release_hold(donord.hold("power", "the build", "org.example.Build"))
    taken, released = journal.wait("HOLD_TAKEN"), journal.wait("HOLD_RELEASED")
    for event in taken, released:
        assert (event["DONOR_MODE"], event["DONOR_APPLICATION"]) == ("power", "org.example.Build")
    assert (taken["DONOR_REASON"], taken["DONOR_REQUEST"]) == ("the build", "HoldMode by uid 0")
    assert released["DONOR_REASON"] == "released"
    donord.hold("power")
    assert journal.wait("HOLD_TAKEN")["DONOR_REASON"] == "no reason given"
    donord.set_mode("performance")
    until(lambda: journal.find("HOLD_RELEASED")[-1]["DONOR_REASON"] == "overridden", "the end of the second")


def test_a_choice_ends(donord, journal):
    donord.start()
    donord.set_mode("power", timeout_usec=100_000)
    assert journal.wait("OVERRIDE_ENDED")["DONOR_REASON"] == "its time is over"
    donord.set_mode("power")
    donord.release()
    until(lambda: journal.find("OVERRIDE_ENDED")[1:], "the second end")
    assert journal.wait("OVERRIDE_ENDED")["DONOR_REASON"] == "ReleaseOverride by uid 0"
    donord.release()
    donord.set_mode("power")
    assert len(journal.find("OVERRIDE_ENDED")) == 2


def test_a_parameter(donord, journal):
    def events():
        return [(e["DONOR_PARAMETER"], e["DONOR_VALUE"], e["DONOR_MODE"]) for e in journal.find("PARAMETER_CHANGED")]

    donord.start()
    for options in {}, {"mode": GLib.Variant("s", "power")}, {"reset": GLib.Variant("b", True)}:
        donord.call("SetParameter", "(sta{sv})", "slice_max_ns", 3_000_000, options)
    until(lambda: len(events()) == 3, "three events")
    assert events() == [("slice_max_ns", "3000000", "all"), ("slice_max_ns", "3000000", "power"), ("slice_max_ns", "auto", "all")]


def test_a_reload(donord, journal):
    donord.start()
    donord.reload("[Scheduler]\nMode=power\n")
    journal.wait("CONFIG_LOADED")
    (donord.root / "etc/donor/donor.conf").write_bytes(b"[Scheduler\n")
    donord.refused("Reload")
    assert "stays in force" in journal.wait("CONFIG_REFUSED")["DONOR_REASON"]
    assert len(journal.find("CONFIG_LOADED")) == 1


def test_exits_until_it_gives_up_and_is_reset(donord, journal):
    donord.configure("[Restart]\nMinSec=100ms\nLimit=2\n")
    donord.start()
    donord.eject(STALL, 0, "first")
    assert journal.wait("BACKED_OFF")["DONOR_REASON"].endswith("first: message; it is attached anew after 0.1 s.")
    assert "first" in journal.wait("RETRY")["DONOR_REASON"]
    donord.wait_state("attached")
    donord.eject(STALL, 0, "second")
    assert "the last of 2 times" in journal.wait("GAVE_UP")["DONOR_REASON"]
    donord.reset_failed()
    assert journal.wait("RESET")["DONOR_REASON"] == "ResetFailed by uid 0"
    names = {number: name for name, number in EVENTS.items()}
    assert [names[entry["MESSAGE_ID"]] for entry in journal.entries if "MESSAGE_ID" in entry] == [
        "ATTACHED", "EXITED", "BACKED_OFF", "RETRY", "ATTACHED", "EXITED", "GAVE_UP", "RESET"]


def test_what_asks_for_a_restart_is_no_warning(donord, journal):
    donord.start()
    donord.eject(STALL, 1 << 48)
    assert "attached anew at once" in journal.wait("RETRY")["DONOR_REASON"]
    journal.wait("ATTACHED")
    assert not journal.find("BACKED_OFF")


def test_an_order_is_no_failure(donord, journal):
    donord.start()
    donord.eject(SYSRQ)
    until(lambda: [e for e in journal.entries if "sysrq-S" in e["MESSAGE"] and e["PRIORITY"] == "5"], "the order")
    assert not journal.find("GAVE_UP") and not journal.find("BACKED_OFF")


def test_an_attempt_that_fails_says_why_and_what_follows(donord, journal):
    donord.configure("[Restart]\nMinSec=100ms\nLimit=2\n")
    donord.start()
    donord.play("attach-error", f"{errno.EIO} no luck")
    donord.eject(STALL)
    assert "no luck" in journal.wait("NOT_ATTACHED")["DONOR_REASON"]
    assert "the last of 2 times" in journal.wait("GAVE_UP")["DONOR_REASON"]
    assert "times" not in journal.wait("NOT_ATTACHED")["DONOR_REASON"]


def test_the_boot_guard(donord, journal):
    donord.configure("[Restart]\nBootLimit=1\n")
    donord.start()
    donord.kill()
    for left in [*donord.run.iterdir(), *donord.kernel.iterdir()]:
        left.unlink()
    donord.drop(*list(donord.store))
    donord.start_again()
    assert "boot guard" in journal.wait("BOOT_GUARD")["DONOR_REASON"]


def test_the_scheduler_outlasts_the_service(donord, journal):
    donord.start()
    donord.kill()
    donord.start_again()
    adopted = journal.wait("ADOPTED")
    assert (adopted["DONOR_MODE"], adopted["DONOR_SCHEDULER"]) == ("balanced", "donor")
    assert len(journal.find("ATTACHED")) == 1
    donord.kill()
    donord.play("build", "other\n")
    donord.start_again()
    assert journal.wait("REPLACED")["DONOR_REASON"] == "it is of another build"


def test_the_service_sends_each_event():
    code = "".join(path.read_text() for path in (REPOSITORY / "service").glob("*.c") if path.name != "log.c")
    assert set(re.findall(r"\bEVENT_(\w+)", code)) == set(EVENTS)


def test_a_plain_line_has_its_errno(donord, journal):
    donord.play("no-watch")
    donord.start()
    line = until(lambda: [e for e in journal.entries if "asking every second" in e["MESSAGE"]], "the warning")[0]
    assert line["ERRNO"] == str(errno.EAFNOSUPPORT) and "MESSAGE_ID" not in line and line["PRIORITY"] == "4"


# LogControl1


def control(connection, member: str, *arguments):
    try:
        return connection.call_sync(
            "org.donor.Scheduler1", "/org/freedesktop/LogControl1", "org.freedesktop.DBus.Properties", member,
            GLib.Variant({2: "(ss)", 3: "(ssv)", 1: "(s)"}[len(arguments)], arguments), None, Gio.DBusCallFlags.NONE, 10000, None
        ).unpack()
    except GLib.Error as error:
        raise Refused(Gio.DBusError.get_remote_error(error), error.message) from None


def set_control(donord, name: str, value: str):
    control(donord.client, "Set", LOG_CONTROL, name, GLib.Variant("s", value))


def get_control(donord, name: str) -> str:
    return control(donord.client, "Get", LOG_CONTROL, name)[0]


def test_log_control_tells(donord, journal):
    donord.start()
    assert control(donord.client, "GetAll", LOG_CONTROL)[0] == {
        "LogLevel": "info", "LogTarget": "journal", "SyslogIdentifier": "donord"}


def test_the_level_is_in_force_at_once(donord, journal):
    donord.start()
    journal.wait("ATTACHED")
    set_control(donord, "LogLevel", "warning")
    assert get_control(donord, "LogLevel") == "warning"
    donord.set_mode("power")
    set_control(donord, "LogLevel", "debug")
    donord.set_mode("performance")
    assert journal.wait("MODE_CHANGED")["DONOR_MODE"] == "performance"
    assert len(journal.find("MODE_CHANGED")) == 1


def test_the_target_is_in_force_at_once(donord, journal):
    donord.start()
    journal.wait("ATTACHED")
    set_control(donord, "LogTarget", "null")
    donord.set_mode("power")
    set_control(donord, "LogTarget", "console")
    donord.set_mode("performance")
    until(lambda: "<5>mode performance, was power" in donord.logged(), "a line on stderr")
    assert "mode power" not in donord.logged() and not journal.find("MODE_CHANGED")
    set_control(donord, "LogTarget", "auto")
    assert get_control(donord, "LogTarget") == "journal"


@pytest.mark.parametrize("name, words", [("LogLevel", "err, warning, notice"), ("LogTarget", "console, journal")])
def test_what_log_control_does_not_know_is_named(donord, name, words):
    donord.start()
    before = get_control(donord, name)
    with pytest.raises(Refused, match=f"'loud'.*{words}") as refusal:
        set_control(donord, name, "loud")
    assert refusal.value.name == INVALID_ARGS
    assert get_control(donord, name) == before


@pytest.mark.parametrize("name", ["LogLevel", "LogTarget"])
def test_only_root_sets_it(donord, bus, name):
    donord.start()
    command = ["busctl", f"--address={bus.address}", "set-property", "org.donor.Scheduler1", "/org/freedesktop/LogControl1",
               LOG_CONTROL, name, "s", "null" if name == "LogTarget" else "debug"]
    refused = subprocess.run(command, capture_output=True, text=True, user=NOBODY, timeout=20)
    assert refused.returncode != 0 and "ccess denied" in refused.stderr, refused
    assert get_control(donord, name) in ("info", "console")
    reading = [word if word != "set-property" else "get-property" for word in command[:-2]]
    assert subprocess.run(reading, capture_output=True, text=True, user=NOBODY, timeout=20).returncode == 0


def test_debug_of_the_environment_outlasts_the_configuration(donord):
    donord.environment = {"DONOR_DEBUG": "1"}
    donord.start()
    assert get_control(donord, "LogLevel") == "debug"


# The catalogue


def catalog(root, *arguments):
    return subprocess.run(["journalctl", f"--root={root}", *arguments], capture_output=True, text=True, timeout=30)


@pytest.fixture
def root(tmp_path):
    for folder in ("usr/lib/systemd/catalog", "var/lib/systemd/catalog"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "usr/lib/systemd/catalog/donor.catalog").write_text(CATALOG.read_text())
    return tmp_path


def test_the_journal_takes_the_catalogue_and_knows_each_event(root):
    done = catalog(root, "--update-catalog")
    assert done.returncode == 0 and done.stderr == "", done
    listed = catalog(root, "--list-catalog").stdout
    assert sorted(line.split(" ")[0] for line in listed.splitlines()) == sorted(EVENTS.values())
    for identifier in EVENTS.values():
        text = catalog(root, "--dump-catalog", identifier).stdout
        assert re.search(r"^Subject: \S", text, re.M) and re.search(r"^Documentation: man:donord\(8\)", text, re.M)
        assert len(text.split("\n\n", 1)[1]) > 40, text


def test_ids_are_unique():
    assert len(set(EVENTS.values())) == len(EVENTS) > 10


def test_each_kind_of_exit_is_explained():
    code = (REPOSITORY / "service/scheduler.c").read_text()
    kinds = set(re.findall(r'"([a-z-]+)"', code[code.index("scheduler_exit_kind(__u32"):]))
    entry = next(entry for entry in CATALOG.read_text().split("\n-- ") if entry.startswith(EVENTS["EXITED"]))
    assert kinds >= {"stall", "sysrq"}
    assert set(re.findall(r"^- ([a-z-]+): ", entry, re.M)) == kinds


@pytest.mark.parametrize("path", ["systemd/donor.catalog", "service/log-events.def"])
def test_texts_name_only_fields_that_there_are(path):
    named = set(re.findall(r"@(\w+)@", (REPOSITORY / path).read_text()))
    assert named and named <= set(FIELDS)
