# SPDX-License-Identifier: GPL-2.0-only
"""What donorctl shows and changes."""

import json
import os
import re
import subprocess

import pytest
from fake_donord import (COUNTERS, DONORCTL, ERROR, KNOBS, MODES, READ_VERBS, assert_bad,
                         assert_good, bus, environment, one_bus, run, run_json, service)
from gi.repository import GLib

DOMAINS_JSON = [{"domain": i, "cpus": c, "cores": 2, "kind": 0, "node": i, "online": 4, "active": 4,
                 "load": 2048, "pressure": 512 + 256 * i, "idle_cores": 1,
                 "idle_cpus": 3, "queued": 5 + i, "given": 70 + i, "taken": 80 + i,
                 "stolen": 90 + i} for i, c in enumerate(["0-3", "4-7"])]


def test_status_is_the_default(bus, service):
    start = service.monotonic
    first = run(bus)
    service.monotonic, service.snapshots = start, 0
    second = run(bus, "status")
    assert_good(first)
    # all but the second of the clock
    assert re.sub(r":\d\d,", ",", first.stdout) == re.sub(r":\d\d,", ",", second.stdout)


def test_status_tells_that_it_was_adopted(bus, service):
    service.set(Adopted=True)
    assert run(bus, "status").stdout.splitlines()[0].endswith(", 2h 14min, adopted after a restart")
    assert run_json(bus, "status")["adopted"] is True


def test_status_of_an_attached_scheduler(bus, service):
    lines = run(bus, "status").stdout.splitlines()
    given = list(COUNTERS).index("donate_select_cpu_ok") + 1
    not_given = list(COUNTERS).index("donate_enqueue_ok") + 1
    assert re.fullmatch(r"● donor attached since \w{3} [\d-]{10} [\d:]{8}, 2h 14min", lines[0])
    assert lines[1:] == [
        "      Mode: balanced, from config: Mode=balanced in the configuration",
        f"  Donation: select-cpu on ({given} given), enqueue off ({not_given} given)",
        "   Domains: 2 with 4 cores (2 idle), 11 tasks queued",
    ]


def test_status_of_a_detached_scheduler(bus, service):
    service.set(State="detached", StateReason="Detached on request.", AttachedSinceUSec=0,
                DonationEffective=[])
    done = run(bus, "status")
    assert_good(done)
    assert done.stdout.splitlines() == [
        "○ donor detached", "    Reason: Detached on request.",
        "      Mode: balanced, from config: Mode=balanced in the configuration",
        "  Donation: select-cpu on, enqueue off"]
    assert not service.calls


def test_status_names_the_foreign_scheduler_and_the_kernel(bus, service):
    service.set(State="conflict", ForeignScheduler="scx_other", KernelSupport="malformed-btf")
    lines = run(bus, "status").stdout.splitlines()
    assert "   Foreign: scx_other" in lines
    assert "    Kernel: malformed-btf" in lines


def test_status_tells_the_last_exit(bus, service):
    service.set(LastExit=(1_767_214_871_000_000, "error-stall", 0, "runnable task stall",
                          "kworker/3:1 7.0 s", 7_380_000_000))
    assert ("Last exit: Wed 2025-12-31 21:01:11, runnable task stall: kworker/3:1 7.0 s "
            "(attached for 2h 3min)") in run(bus, "status").stdout


def test_status_tells_what_chooses_by_itself(bus, service):
    service.set(PowerProfile="power-saver", PowerProfilesProvider="org.example")
    lines = run(bus, "status").stdout.splitlines()
    assert "   Profile: power-saver (org.example)" in lines
    service.set(FollowPowerProfiles=False, PerformanceDegraded="lap-detected", OnBattery=True)
    lines = run(bus, "status").stdout.splitlines()
    where = lines.index("   Profile: power-saver (org.example), not followed, performance is degraded: lap-detected")
    assert lines[where + 1] == "     Power: on battery"


def test_status_tells_of_restarts_and_of_a_pause(bus, service):
    assert "Restarts" not in run(bus, "status").stdout
    service.set(State="backoff", StateReason="It is attached anew after 4.0 s.", Restarts=2)
    lines = run(bus, "status").stdout.splitlines()
    assert lines[0].endswith("donor backoff")
    assert "    Reason: It is attached anew after 4.0 s." in lines
    assert "  Restarts: 2; see donorctl exits" in lines


def test_status_says_where_the_kernel_differs(bus, service):
    service.set(DonationEffective=["enqueue"])
    out = run(bus, "status").stdout
    assert "select-cpu on but off in the kernel (" in out
    assert "enqueue off but on in the kernel (" in out


def test_status_of_one_domain_says_that_donation_is_idle(bus, service):
    del service.domains[1]
    assert "1 with 2 cores (1 idle), 5 tasks queued; donation has nowhere" in run(bus).stdout


def test_status_survives_a_scheduler_that_leaves_meanwhile(bus, service):
    for method in "GetSnapshot", "GetDomains":
        service.errors[method] = (ERROR + "NotAttached", "gone")
    done = run(bus, "status")
    assert_good(done)
    assert "given" not in done.stdout
    assert "Domains" not in done.stdout


def test_control_characters_do_not_reach_the_terminal(bus, service):
    service.set(State="failed", StateReason="task \033[2Jevil\n\u009b2J ended it")
    done = run(bus, "status")
    assert "Reason: task ?[2Jevil??2J ended it\n" in done.stdout
    assert "\033" not in done.stdout


def test_another_character_set_gets_plain_bullets(bus, service):
    assert run(bus, "status", LC_ALL="C").stdout.startswith("* donor attached")


def on_terminal(bus, *words, **more):
    leader, follower = os.openpty()
    subprocess.run([DONORCTL, *words], env=environment(bus, TERM="xterm", **more),
                   stdout=follower, timeout=60, check=True)
    os.close(follower)
    out = b""
    while True:
        try:
            chunk = os.read(leader, 4096)
        except OSError:
            break
        out += chunk
    os.close(leader)
    return out.decode()


def test_colour_is_for_terminals(bus, service):
    assert "\033[1;32m●" in on_terminal(bus, "status")
    assert "\033" not in on_terminal(bus, "status", NO_COLOR="1")
    assert "\033" not in run(bus, "status").stdout


def test_status_as_json(bus, service):
    service.set(LastExit=(5, "kind", -3, "reason", "message", 9), PowerProfile="power-saver", OnBattery=True,
                PowerProfilesProvider="org.example", PerformanceDegraded="lap-detected")
    service.set(Restarts=2, NextAttemptUSec=7)
    status = run_json(bus, "status")
    given = list(COUNTERS).index("donate_select_cpu_ok") + 1
    not_given = list(COUNTERS).index("donate_enqueue_ok") + 1
    assert status.pop("domains") == DOMAINS_JSON
    assert status == {
        "reachable": True, "version": "1.2.3", "kernel_support": "ok", "state": "attached",
        "state_reason": "Attached on request.", "scheduler_name": "donor", "foreign_scheduler": "",
        "attached_since_usec": 1_000_000, "attached_usec": service.monotonic - 1_000_000,
        "follow_power_profiles": True, "power_profile": "power-saver",
        "power_profiles_provider": "org.example", "performance_degraded": "lap-detected",
        "on_battery": True,
        "mode": "balanced", "mode_source": "config", "override": None, "holds": [],
        "mode_reason": "Mode=balanced in the configuration",
        "mode_beneath": {"mode": "balanced", "source": "config",
                         "reason": "Mode=balanced in the configuration"},
        "adopted": False,
        "donation": {"select_cpu": {"on": True, "effective": True, "given": given},
                     "enqueue": {"on": False, "effective": False, "given": not_given}},
        "last_exit": {"realtime_usec": 5, "kind": "kind", "code": -3, "reason": "reason",
                      "message": "message", "attached_usec": 9},
        "restarts": 2, "next_attempt_usec": 7}


def test_status_as_json_has_null_for_what_is_not(bus, service):
    service.set(State="detached")
    status = run_json(bus, "status")
    assert status["last_exit"] is None
    assert status["domains"] is None
    assert status["donation"]["enqueue"]["given"] is None


def test_get(bus, service):
    done = run(bus, "get")
    assert_good(done)
    assert done.stdout == "balanced\n"
    assert run_json(bus, "get") == {"mode": "balanced", "attached": True}


def test_get_exits_with_3_when_not_attached(bus, service):
    service.set(State="failed", StateReason="The kernel ejected it.")
    done = run(bus, "get")
    assert_bad(done, 3, "not attached (failed): The kernel ejected it.")
    assert done.stdout == "balanced\n"
    assert run_json(bus, "get", status=3) == {"mode": "balanced", "attached": False}
    service.set(StateReason="")
    assert_bad(run(bus, "get"), 3, "not attached (failed)", "donorctl attach")


def test_modes(bus, service):
    done = run(bus, "modes")
    assert_good(done)
    lines = done.stdout.splitlines()
    assert [x.split()[0] for x in lines[1:4]] == ["power", "*", "performance"]
    assert "* balanced" in lines[2] and "What balanced is for" in lines[2]
    assert lines[5].split() == ["PARAMETER", *MODES]
    assert [tuple(x.split()) for x in lines[6:]] == KNOBS


def test_modes_as_json(bus, service):
    modes = run_json(bus, "modes")
    assert modes["mode"] == "balanced"
    assert [m["name"] for m in modes["modes"]] == MODES
    assert [m["active"] for m in modes["modes"]] == [False, True, False]
    assert modes["modes"][2]["parameters"] == {k[0]: int(k[3]) for k in KNOBS}
    assert modes["modes"][0]["description"] == "What power is for"


def test_donation(bus, service):
    service.set(DonationEffective=["select-cpu", "enqueue"])
    done = run(bus, "donation")
    assert_good(done)
    assert [x.split() for x in done.stdout.splitlines()] == [
        ["HOOK", "SWITCH", "EFFECTIVE"], ["select-cpu", "on", "on"], ["enqueue", "off", "on"]]
    assert run(bus, "donation", "select-cpu").stdout == "on\n"
    assert run(bus, "donation", "enqueue").stdout == "off\n"


def test_donation_as_json(bus, service):
    service.set(DonationEffective=["enqueue"])
    assert run_json(bus, "donation") == {"select_cpu": {"on": True, "effective": False},
                                         "enqueue": {"on": False, "effective": True}}
    assert run_json(bus, "donation", "enqueue") == {"enqueue": {"on": False, "effective": True}}


def test_domains(bus, service):
    done = run(bus, "domains")
    assert_good(done)
    assert [x.split() for x in done.stdout.splitlines()] == [
        ["DOMAIN", "CPUS", "NODE", "KIND", "CORES", "IDLE-CORES", "IDLE-CPUS", "QUEUED", "GIVEN",
         "TAKEN", "STOLEN"],
        ["0", "0-3", "0", "0", "2", "1", "3", "5", "70", "80", "90"],
        ["1", "4-7", "1", "0", "2", "1", "3", "6", "71", "81", "91"]]
    assert run_json(bus, "domains") == {"monotonic_usec": service.monotonic,
                                        "domains": DOMAINS_JSON}


def test_keys_of_a_newer_service_are_skipped(bus, service):
    service.domains[0]["Colour"] = GLib.Variant("as", ["red"])
    assert run_json(bus, "domains")["domains"] == DOMAINS_JSON


def test_version(bus, service):
    done = run(bus, "version")
    assert_good(done)
    assert re.fullmatch(r"donorctl \S+\ndonord 1\.2\.3\n", done.stdout)
    versions = run_json(bus, "version")
    assert versions["donord"] == "1.2.3" and versions["donorctl"] in done.stdout


@pytest.mark.parametrize("words", READ_VERBS, ids=" ".join)
def test_json_styles(bus, service, words):
    short = run(bus, *words, "--json=short").stdout
    pretty = run(bus, *words, "--json=pretty").stdout
    assert short.count("\n") == 1 and pretty.count("\n") > 1
    assert json.loads(short).keys() == json.loads(pretty).keys()
    assert run(bus, *words, "--json").stdout[:1] == "{"
    assert run(bus, *words, "--json=off").stdout[:1] != "{"


@pytest.mark.parametrize("words", [["domains"], ["stats"], ["stats", "--cpu"], ["modes"],
                                   ["donation"]], ids=" ".join)
def test_no_legend_leaves_out_the_headings(bus, service, words):
    headings = {"DOMAIN", "COUNTER", "MODE", "PARAMETER", "HOOK", "Other"}
    with_them = set(run(bus, *words).stdout.split())
    without = set(run(bus, *words, "--no-legend").stdout.split())
    assert with_them & headings
    assert not without & headings


@pytest.mark.parametrize("words", [*READ_VERBS, ["set", "power"], ["attach"], ["detach"],
                                   ["version"], ["donation", "enqueue", "on"]], ids=" ".join)
def test_quiet_prints_nothing(bus, service, words):
    done = run(bus, *words, "-q")
    assert_good(done)
    assert done.stdout == ""


def test_full_disk_is_noticed(bus, service):
    with open("/dev/full", "w") as full:
        done = subprocess.run([DONORCTL, "status"], env=environment(bus), stdout=full,
                              stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1
    assert "cannot write the output" in done.stderr


@pytest.mark.parametrize("mode", MODES)
def test_set(bus, service, mode):
    done = run(bus, "set", mode)
    assert_good(done)
    assert done.stdout == mode + "\n"
    assert service.calls == [("SetMode", mode, {})]


@pytest.mark.parametrize("alias", ["power-saver", "powersave"])
def test_set_prints_the_mode_in_force(bus, service, alias):
    assert run(bus, "set", alias).stdout == "power\n"


def test_set_says_when_it_takes_effect_later(bus, service):
    service.set(State="detached")
    done = run(bus, "set", "power")
    assert_good(done)
    assert "donorctl attach" in done.stdout


@pytest.mark.parametrize("hook", ["select-cpu", "enqueue"])
@pytest.mark.parametrize("word, call, out", [("on", (True, {}), "on\n"),
                                             ("off", (False, {}), "off\n"),
                                             ("auto", (False, {"follow-mode": True}), "on\n")])
def test_donation_is_switched(bus, service, hook, word, call, out):
    done = run(bus, "donation", hook, word)
    assert_good(done)
    assert service.calls == [("SetDonation", hook, *call)]
    assert done.stdout == out


@pytest.mark.parametrize("verb, call", [("attach", "Attach"), ("detach", "Detach")])
def test_attach_and_detach(bus, service, verb, call):
    done = run(bus, verb)
    assert_good(done)
    assert done.stdout == verb + "ed\n"
    assert service.calls == [(call, {})]


def test_monitor_does_not_let_others_steer_the_terminal(bus, service):
    watching = subprocess.Popen([DONORCTL, "monitor"], env=environment(bus), stdout=subprocess.PIPE, text=True)
    try:
        assert "service running=true" in watching.stdout.readline()
        service.announce(StateReason="a\x1b[2J\u009b2Jb")
        assert watching.stdout.readline().endswith(" property name=StateReason value=\"a\\u001b[2J?2Jb\"\n")
    finally:
        watching.kill()
        watching.communicate()
