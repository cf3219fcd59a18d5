# SPDX-License-Identifier: GPL-2.0-only
"""The interface as clients meet it: each member, each property, each signal."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from harness import ACCESS_DENIED, DEADLINE, ERROR, IFACE, NAME, NOBODY, PATH, STATS, until

EMITS = "org.freedesktop.DBus.Property.EmitsChangedSignal"
PRIVILEGED = "org.freedesktop.systemd1.Privileged"
REPOSITORY = Path(__file__).parents[2]
NOBODY_THERE = {f"org.freedesktop.DBus.Error.{name}" for name in ["ServiceUnknown", "NameHasNoOwner"]}
SETTERS = {"SetMode", "ReleaseOverride", "HoldMode", "SetDonation", "SetParameter", "Reload", "Attach", "Detach", "ResetFailed"}


def members(xml: str, interface: str) -> set[tuple]:
    """Each member with its arguments, in a form that does not depend on layout or order."""
    result = set()
    for member in ElementTree.fromstring(xml).find(f"interface[@name='{interface}']"):
        emits = [a.get("value") for a in member.findall("annotation") if a.get("name") == EMITS]
        result.add((member.tag, member.get("name"), member.get("type"), member.get("access"),
                    (emits or ["true"])[0] if member.tag == "property" else None,
                    tuple((a.get("name"), a.get("type"), a.get("direction", "out")) for a in member.findall("arg"))))
    return result


def introspect(donord) -> str:
    return donord.call("Introspect", interface="org.freedesktop.DBus.Introspectable")


@pytest.mark.parametrize("interface", [IFACE, STATS])
def test_introspection_equals_the_installed_file(donord, interface):
    donord.start()
    wanted = members(Path(os.environ["DONOR_INTERFACE_XML"]).read_text(), interface)
    assert members(introspect(donord), interface) == wanted


def test_the_service_itself_decides_on_every_method(donord):
    """A member that the bus library keeps for root would never reach the rule for it."""
    donord.start()
    methods = ElementTree.fromstring(introspect(donord)).findall(f"interface[@name='{IFACE}']/method")
    assert {m.get("name") for m in methods} > SETTERS
    assert not [m.get("name") for m in methods if m.find(f"annotation[@name='{PRIVILEGED}'][@value='true']") is not None]


def test_it_attaches_at_start_and_every_property_says_so(donord):
    before = time.monotonic_ns() // 1000
    donord.start()
    properties = donord.properties()
    assert before < properties.pop("AttachedSinceUSec") < time.monotonic_ns() // 1000
    assert len(properties.pop("Modes")) == 3 and properties.pop("ConfigFiles") == []
    assert re.fullmatch(r"\d+(\.\d+)+", properties.pop("Version"))
    assert properties == {
        "KernelSupport": "ok", "State": "attached", "StateReason": "The kernel runs donor.", "SchedulerName": "donor",
        "ForeignScheduler": "", "Mode": "balanced", "ModeSource": "config",
        "ModeReason": "Mode=balanced in the configuration",
        "ModeBeneath": ("balanced", "config", "Mode=balanced in the configuration"), "DefaultMode": "balanced", "Override": {}, "Holds": [],
        "FollowPowerProfiles": True, "PowerProfile": "", "PowerProfilesProvider": "", "PerformanceDegraded": "",
        "OnBattery": False,
        "DonationSelectCpu": True, "DonationEnqueue": True,
        "DonationEffective": ["select-cpu", "enqueue"], "LastExit": (0, "", 0, "", "", 0),
        "Restarts": 0, "NextAttemptUSec": 0, "Adopted": False}
    assert donord.params()["mode"] == "balanced"


def test_modes_are_described_with_all_their_parameters(donord):
    donord.start()
    names = re.findall(r"^KNOB\((\w+)", (REPOSITORY / "bpf/knobs.def").read_text(), re.M)
    modes = donord.get("Modes")
    assert [m["Name"] for m in modes] == ["power", "balanced", "performance"]
    assert all(m["Description"] and set(m["Parameters"]) == set(names) for m in modes)
    assert [m["Parameters"]["slice_max_ns"] for m in modes] == [8000000, 5000000, 3000000]


@pytest.mark.parametrize("asked, effective", [("power", "power"), ("performance", "performance"),
                                              ("power-saver", "power"), ("powersave", "power")])
def test_set_mode_reaches_the_kernel_before_it_returns(donord, asked, effective):
    donord.start()
    donord.forget()
    assert donord.set_mode(asked) == effective
    assert donord.params()["mode"] == effective
    assert donord.params()["slice_max_ns"] == {"power": "8000000", "performance": "3000000"}[effective]
    heard = donord.heard()
    assert heard[0] == ("ModeChanged", "balanced", effective, "override", f"chosen by uid {os.getuid()}")
    wanted = {"Mode": effective, "ModeSource": "override", "ModeReason": heard[0][4], "Override": donord.get("Override")}
    if effective == "power":
        assert [s[:3] for s in heard[1:]] == [("DonationChanged", "select-cpu", False),
                                              ("DonationChanged", "enqueue", False)]
        wanted |= {"DonationSelectCpu": False, "DonationEnqueue": False, "DonationEffective": []}
    else:
        assert heard[1:] == []
    assert donord.changes() == [wanted]  # one announcement for all of it
    assert donord.attaches() == 1


def test_setting_what_is_set_announces_nothing(donord):
    donord.start()
    donord.forget()
    donord.set_donation("enqueue", True)
    donord.attach()
    assert donord.signals == [] and donord.heard() == [] and donord.changes() == []
    assert donord.attaches() == 1


@pytest.mark.parametrize("hook, knob, other, name", [
    ("select-cpu", "donate_select_cpu", "donate_enqueue", "DonationSelectCpu"),
    ("enqueue", "donate_enqueue", "donate_select_cpu", "DonationEnqueue")])
def test_set_donation_switches_its_own_hook(donord, hook, knob, other, name):
    donord.start()
    donord.forget()
    donord.set_donation(hook, False)
    assert (donord.params()[knob], donord.params()[other]) == ("0", "1")
    remaining = [h for h in ["select-cpu", "enqueue"] if h != hook]
    assert donord.changes() == [{name: False, "DonationEffective": remaining}]
    assert donord.heard() == [("DonationChanged", hook, False, f"SetDonation by uid {os.getuid()}")]

    # The choice outlasts modes, until the mode decides again.
    donord.set_mode("performance")
    assert donord.params()[knob] == "0"
    donord.set_donation(hook, False, follow_mode=True)
    assert donord.params()[knob] == "1"
    donord.set_donation(hook, True)
    donord.set_mode("power")
    assert (donord.params()[knob], donord.params()[other]) == ("1", "0")
    assert donord.get("DonationEffective") == [hook]


def test_detach_and_attach(donord):
    donord.start()
    donord.forget()
    donord.detach()
    assert donord.params() == {}
    properties = donord.properties()
    assert (properties["State"], properties["SchedulerName"], properties["DonationEffective"],
            properties["AttachedSinceUSec"]) == ("detached", "", [], 0)
    who = f"Detach by uid {os.getuid()}"
    assert who in properties["StateReason"] and "donorctl attach" in properties["StateReason"]
    when, kind, code, reason, message, ran_for = properties["LastExit"]
    assert abs(when / 1e6 - time.time()) < 60 and ran_for > 0
    assert (kind, code, reason, message) == ("unregistered", 0, who, "")
    assert donord.heard() == [("Exited", "unregistered", 0, who, "", False)]
    assert [sorted(c) for c in donord.changes()] == [
        ["AttachedSinceUSec", "DonationEffective", "LastExit", "SchedulerName", "State", "StateReason"]]
    refusal = donord.refused("Detach", "(a{sv})", {})
    assert refusal.name == ERROR + "NotAttached" and "donorctl status" in refusal.text

    donord.forget()
    donord.attach()
    assert donord.get("State") == "attached" and donord.params()["mode"] == "balanced"
    assert donord.heard() == [("Attached", "donor", False)]
    assert [c["State"] for c in donord.changes()] == ["attaching", "attached"]


def test_a_wish_while_detached_is_in_force_at_the_next_attach(donord):
    donord.start()
    donord.detach()
    assert donord.set_mode("performance") == "performance"
    donord.set_donation("enqueue", False)
    assert (donord.get("Mode"), donord.get("DonationEnqueue"), donord.get("DonationEffective")) == (
        "performance", False, [])
    donord.attach()
    assert (donord.params()["mode"], donord.params()["donate_enqueue"]) == ("performance", "0")
    assert donord.get("DonationEffective") == ["select-cpu"]


def test_counters_rise_only_where_donation_is_on(donord):
    donord.play("domains", "4 2 0 0\n2 2 1 1\n")
    donord.start()

    def rise() -> tuple[int, int]:
        first, second = donord.snapshot(), donord.snapshot()
        return tuple(second[f"donate_{hook}_ok"] - first[f"donate_{hook}_ok"] for hook in ["select_cpu", "enqueue"])

    assert rise() == (6, 6)
    donord.set_donation("select-cpu", False)
    assert rise() == (0, 6)
    donord.set_mode("power")
    assert rise() == (0, 0)


def test_statistics_by_cpu_and_by_domain(donord):
    donord.play("domains", "4 2 0 0\n2 2 1 1\n")
    donord.start()
    names = dict(re.findall(r'^COUNTER\((\w+), "(.*)"\)', (REPOSITORY / "bpf/counters.def").read_text(), re.M))
    descriptions = donord.properties(STATS)["CounterDescriptions"]
    assert {name: text for name, (_, text) in descriptions.items()} == names

    when, per_cpu = donord.call("GetPerCpu", interface=STATS)
    assert abs(when - time.monotonic_ns() // 1000) < 60e6
    assert len(per_cpu) == 6 and all(set(counters) == set(names) for counters in per_cpu)
    assert [c["task_switches"] for c in per_cpu] == [1] * 6
    assert donord.snapshot()["task_switches"] == 12

    _, domains = donord.call("GetDomains", interface=STATS)
    same = {"IdleCores": 0, "IdleCpus": 0, "Queued": 0, "Taken": 0, "Stolen": 0}
    assert domains == [
        {"Cpus": "0-3", "Cores": 2, "Kind": 0, "Node": 0, "Online": 4, "Active": 4, "Load": 2048, "Pressure": 512,
         "Given": 16, **same},
        {"Cpus": "4-5", "Cores": 2, "Kind": 1, "Node": 1, "Online": 2, "Active": 2, "Load": 1536, "Pressure": 768,
         "Given": 8, **same}]


@pytest.mark.parametrize("member", ["GetSnapshot", "GetPerCpu", "GetDomains"])
def test_no_statistics_while_detached(donord, member):
    donord.start()
    donord.detach()
    assert donord.refused(member, interface=STATS).name == ERROR + "NotAttached"
    assert "place_pinned" in donord.properties(STATS)["CounterDescriptions"]


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.replace("USec", "Usec")).lower()


def check_describe(donord):
    described = json.loads(donord.call("Describe"))
    properties = {snake(name): value for name, value in donord.properties().items()}
    properties["last_exit"] = dict(zip(["realtime_usec", "kind", "code", "reason", "message", "attached_usec"],
                                       properties["last_exit"]))
    properties["mode_beneath"] = dict(zip(["mode", "source", "reason"], properties["mode_beneath"]))
    properties["override"] = {snake(name): value for name, value in properties["override"].items()}
    properties["holds"] = [{snake(k): v for k, v in hold.items()} for hold in properties["holds"]]
    properties["modes"] = [{snake(k): v for k, v in mode.items()} for mode in properties["modes"]]
    assert {name: described[name] for name in properties} == properties
    kernel = {name: int(value) for name, value in donord.params().items() if name not in ("mode", "generation")}
    assert (described["parameters"] or {}) == kernel
    assert described["kernel_mode"] == donord.params().get("mode")
    assert described["wished_mode"] == properties["mode"] and set(described["wished_parameters"]) > {"slice_max_ns"}
    assert kernel in ({}, described["wished_parameters"])
    assert set(described) - set(properties) == {"donation_follows_mode", "parameters", "wished_mode", "wished_parameters",
                                                "kernel_mode", "tuning"}
    return described


def test_describe_equals_the_properties_after_any_two_hundred_calls(donord):
    donord.start()
    dice = random.Random(2)
    seen = set()
    for _ in range(200):
        request = dice.choice([
            lambda: donord.set_mode(dice.choice(["power", "balanced", "performance"])),
            lambda: donord.set_donation(dice.choice(["select-cpu", "enqueue"]), dice.random() < 0.5,
                                        follow_mode=dice.random() < 0.3),
            lambda: donord.refused("SetMode", "(sa{sv})", "turbo", {}),
            lambda: donord.call("ReleaseOverride"),
            lambda: donord.hold(dice.choice(["power", "performance"])) if len(donord.get("Holds")) < 5 else None,
            donord.attach,
            lambda: donord.get("State") == "attached" and donord.detach(),
        ])
        request()
        described = check_describe(donord)
        seen.add((described["state"], described["mode"], tuple(described["donation_effective"])))
    assert len(seen) > 8  # the dice went around


def test_describe_says_who_decides_on_donation(donord):
    donord.start()
    donord.set_donation("enqueue", True)
    assert check_describe(donord)["donation_follows_mode"] == {"select-cpu": True, "enqueue": False}


@pytest.mark.skipif(os.getuid() != 0, reason="another user can be played by root only")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_detaches_before_it_exits(donord, number):
    donord.start()
    assert donord.params()
    assert donord.stop(number) == 0
    assert donord.params() == {}
    until(lambda: "STOPPING=1" in donord.notes, "STOPPING=1")
    until(lambda: ("PropertiesChanged" in [s[0] for s in donord.signals]
                   and "Exited" in [s[0] for s in donord.signals]), "the last words on the bus")
    assert donord.refused("Describe").name in NOBODY_THERE


def test_systemd_is_told_when_it_is_ready_and_what_it_does(donord):
    donord.start()
    wanted = "STATUS=attached, balanced, donation at select-cpu and enqueue"
    assert donord.notes.index(wanted) < donord.notes.index("READY=1")
    donord.set_mode("power")
    until(lambda: donord.notes[-1] == "STATUS=attached, power, no donation", "the new status")
    donord.notes.clear()
    donord.properties(), donord.snapshot(), donord.call("Describe")
    assert donord.notes == []


def test_reload_applies_what_the_files_say_differently_and_nothing_else(donord):
    donord.configure("[Scheduler]\nMode=power\n[Donation]\nEnqueue=yes\n")
    donord.start()
    assert (donord.get("Mode"), donord.get("DonationEffective")) == ("power", ["enqueue"])
    donord.set_mode("performance")

    def reload(text: str):
        donord.configure(text)
        donord.notes.clear()
        donord.process.send_signal(signal.SIGHUP)
        until(lambda: "READY=1" in donord.notes, "the end of the reload")
        assert "RELOADING=1" in donord.notes
        assert [n for n in donord.notes if re.fullmatch(r"MONOTONIC_USEC=\d+", n)]

    reload("[Scheduler]\nMode=power\n[Donation]\nEnqueue=no\n")
    assert (donord.params()["mode"], donord.get("DonationEffective")) == ("performance", ["select-cpu"])
    donord.forget()
    reload("[Scheduler]\nMode=balanced\n[Donation]\nEnqueue=mode\n")
    assert (donord.params()["mode"], donord.get("DonationEffective")) == ("performance", ["select-cpu", "enqueue"])
    assert donord.get("DefaultMode") == donord.get("ModeBeneath")[0] == "balanced"
    assert donord.heard() == [("DonationChanged", "enqueue", True, "configuration")]
    assert donord.attaches() == 1


def test_reload_switches_the_mode_that_nobody_else_chose(donord):
    donord.configure("[Scheduler]\nMode=power\n")
    donord.start()
    donord.forget()
    donord.configure("[Scheduler]\nMode=performance\n")
    donord.notes.clear()
    donord.process.send_signal(signal.SIGHUP)
    until(lambda: "READY=1" in donord.notes, "the end of the reload")
    assert donord.params()["mode"] == donord.get("DefaultMode") == "performance"
    assert donord.heard()[0] == ("ModeChanged", "power", "performance", "config",
                                 "Mode=performance in the configuration")


def test_attach_no_waits_for_the_request(donord):
    donord.configure("[Scheduler]\nAttach=no\n")
    donord.start()
    assert donord.get("State") == "detached" and "Attach=no" in donord.get("StateReason")
    assert donord.get("KernelSupport") == "ok" and donord.attaches() == 0
    assert [n for n in donord.notes if n.startswith("STATUS=detached: ") and "Attach=no" in n]
    donord.attach()
    assert donord.get("State") == "attached"


@pytest.mark.parametrize("arguments, status, words", [
    (["--help"], 0, "Attach the donor CPU scheduler"), (["--version"], 0, "donord 0"),
    (["now"], 2, "unexpected argument 'now'"), (["--bogus"], 2, "bogus"), (["--config-root"], 2, "config-root")])
def test_the_command_line(arguments, status, words):
    done = subprocess.run([os.environ["DONORD_FAKE"], *arguments], capture_output=True, text=True, timeout=DEADLINE)
    assert done.returncode == status
    assert words in (done.stderr if status else done.stdout)


def test_memory_of_the_idle_service(donord, capsys):
    donord.start()
    process = Path(f"/proc/{donord.process.pid}")
    rss = int(re.search(r"VmRSS:\s+(\d+) kB", (process / "status").read_text())[1])
    with capsys.disabled():
        print(f"\nRSS of the idle service without libbpf: {rss} kB")
    sanitized = b"__asan_init" in Path(os.environ["DONORD_FAKE"]).read_bytes()  # needs memory of its own
    assert rss <= 8 * 1024 or sanitized
