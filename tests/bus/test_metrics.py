# SPDX-License-Identifier: GPL-2.0-only
"""Figures for monitoring: as OpenMetrics on the bus, and in a file for node_exporter."""

import os
import re
import time

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_classic

from harness import STATS, until
from journal import REPOSITORY
from test_journal import journal  # noqa: F401 (a fixture)

COUNTERS = re.findall(r"^COUNTER\((\w+),", (REPOSITORY / "bpf/counters.def").read_text(), re.M)
DONATION = re.compile(r"donate_(select_cpu|enqueue)_(\w+)")
STALL, SYSRQ = 1026, 67


def metrics_text(donord) -> str:
    return donord.call("GetMetrics", interface=STATS)


def families(donord) -> dict:
    return {family.name: family for family in parse_openmetrics(metrics_text(donord))}


def values(family) -> dict:
    return {tuple(sample.labels.values()): sample.value for sample in family.samples}


def test_every_counter_is_there_once(donord):
    donord.start()
    snapshot = donord.snapshot()
    found = families(donord)
    donations = values(found["donor_donations"])
    seen = set()
    for name in COUNTERS:
        if match := DONATION.fullmatch(name):
            seen.add(key := (match[1].replace("_", "-"), match[2]))
            value = donations[key]
        else:
            assert found[f"donor_{name}"].type == "counter" and found[f"donor_{name}"].documentation
            value = values(found[f"donor_{name}"])[()]
        moved = name in ("task_switches", "donate_select_cpu_ok", "donate_enqueue_ok")
        assert value >= snapshot[name] + 1 if moved else value == snapshot[name] == 0, name
    assert seen == set(donations)


def test_state_mode_and_switches(donord):
    donord.start()
    donord.set_mode("power")
    found = families(donord)
    assert found["donor"].type == "info"
    info = found["donor"].samples[0].labels
    assert info == {"version": donord.get("Version"), "kernel": os.uname().release, "scheduler": "donor"}
    assert found["donor_state"].type == "stateset"
    assert {key for key, value in values(found["donor_state"]).items() if value} == {("attached",)}
    assert len(found["donor_state"].samples) > 5
    assert values(found["donor_mode"]) == {("power", "override"): 1}
    assert values(found["donor_donation_effective"]) == {("select-cpu",): 0, ("enqueue",): 0}
    donord.set_donation("enqueue", True)
    assert values(families(donord)["donor_donation_effective"]) == {("select-cpu",): 0, ("enqueue",): 1}


def test_exits_are_counted_by_kind(donord):
    donord.start()
    assert values(families(donord)["donor_exits"]) == {}
    for _ in range(2):
        donord.eject(STALL)
        donord.wait_state("backoff")
        donord.attach()
    donord.eject(SYSRQ)
    donord.wait_state("detached")
    assert values(families(donord)["donor_exits"]) == {("stall",): 2, ("sysrq",): 1}


def test_holds_are_counted(donord):
    donord.start()
    assert values(families(donord)["donor_holds"]) == {(): 0}
    cookie = donord.hold("power")
    donord.hold("balanced")
    assert values(families(donord)["donor_holds"]) == {(): 2}
    donord.release_hold(cookie)
    assert values(families(donord)["donor_holds"]) == {(): 1}


def test_an_exit_that_asks_for_a_restart_counts_as_one(donord):
    donord.start()
    assert values(families(donord)["donor_restarts"]) == {(): 0}
    donord.eject(STALL, 1 << 48)
    until(lambda: donord.attaches() == 2, "attached anew")
    assert values(families(donord)["donor_restarts"]) == {(): 1}


def test_time_is_counted_in_the_mode_in_force_while_attached(donord):
    def seconds():
        return {mode: value for (mode,), value in values(families(donord)["donor_mode_seconds"]).items()}

    donord.start()
    time.sleep(0.2)
    donord.set_mode("power")
    before = seconds()
    assert before["balanced"] >= 0.2 and before["performance"] == 0 and before["power"] < before["balanced"]
    time.sleep(0.2)
    after = seconds()
    assert after["power"] - before["power"] >= 0.2 and after["balanced"] == before["balanced"]
    donord.detach()
    rest = seconds()
    time.sleep(0.1)
    assert seconds() == rest


def test_domains_have_their_figures(donord):
    donord.play("domains", "4 2 0 0\n2 2 1 1\n")
    donord.start()
    found = families(donord)
    given = values(found["donor_domain_given"])
    assert given[("0",)] == 2 * given[("1",)] > 0
    assert values(found["donor_domain_queued"]) == {("0",): 0, ("1",): 0}


def test_nothing_is_counted_while_detached(donord):
    donord.configure("[Scheduler]\nAttach=no\n")
    donord.start()
    found = families(donord)
    assert {name for name in found} == {"donor", "donor_state", "donor_mode", "donor_donation_effective", "donor_exits",
                                        "donor_restarts", "donor_mode_seconds", "donor_holds"}


def test_a_name_with_odd_signs_is_kept(donord):
    donord.play("foreign", 'a"b\\c\n')
    donord.start()
    assert families(donord)["donor"].samples[0].labels["scheduler"] == 'a"b\\c'


# The file


@pytest.fixture
def file(donord):
    folder = donord.dir / "textfile"
    folder.mkdir()
    return folder / "donor.prom"


def configure(donord, file, interval="60"):
    donord.configure(f"[Metrics]\nTextFile={file}\nIntervalSec={interval}\n")


def test_the_file_is_for_node_exporter(donord, file):
    """It knows neither types of OpenMetrics nor names of families without their suffix."""
    configure(donord, file)
    donord.umask = 0o077  # as in the unit
    donord.start()
    text = file.read_text()
    assert file.stat().st_mode & 0o777 == 0o644
    assert "# EOF" not in text and "# UNIT" not in text
    assert set(re.findall(r"^# TYPE \S+ (\w+)$", text, re.M)) == {"counter", "gauge"}
    typed = set(re.findall(r"^# TYPE (\S+) ", text, re.M))
    sampled = set(re.findall(r"^([a-z_]+)[ {]", text, re.M))
    assert sampled <= typed and typed - sampled <= {"donor_exits_total"}
    found = {family.name: family for family in parse_classic(text)}
    assert values(found["donor_info"])[(donord.get("Version"), os.uname().release, "donor")] == 1
    assert values(found["donor_task_switches"])[()] > 0
    assert os.listdir(file.parent) == [file.name]


def test_the_file_is_whole_at_any_time_and_new_at_each_interval(donord, file):
    configure(donord, file, interval="1")
    donord.start()
    seen, end = set(), time.monotonic() + 3.5
    while time.monotonic() < end:
        text = file.read_text()
        assert text.startswith("# TYPE donor_info") and "donor_domain_stolen_total" in text.splitlines()[-1]
        seen.add(file.stat().st_ino)
        time.sleep(0.001)
    assert 3 <= len(seen) <= 6


def test_the_file_goes_with_the_service(donord, file):
    configure(donord, file)
    donord.start()
    assert donord.stop() == 0
    assert os.listdir(file.parent) == []


def test_the_file_follows_the_configuration(donord, file):
    donord.start()
    configure(donord, file)
    donord.process.send_signal(1)
    until(file.exists, "the file")
    other = file.with_name("other.prom")
    configure(donord, other)
    donord.process.send_signal(1)
    until(lambda: os.listdir(file.parent) == [other.name], "the other file alone")
    donord.configure("")
    donord.process.send_signal(1)
    until(lambda: os.listdir(file.parent) == [], "no file")


def test_a_file_that_cannot_be_written_is_told_once(donord, file, journal):  # noqa: F811
    missing = file.parent / "missing" / file.name
    configure(donord, missing, interval="1")
    donord.start()
    told = journal.wait("METRICS_FILE")
    assert str(missing) in told["DONOR_REASON"] and "No such file" in told["DONOR_REASON"]
    time.sleep(2.5)
    assert len(journal.find("METRICS_FILE")) == 1
    missing.parent.mkdir()
    until(missing.exists, "the file")
    assert donord.get("State") == "attached"


def test_a_link_in_the_way_is_not_followed(donord, file, tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("keep me")
    file.with_name(file.name + ".new").symlink_to(precious)
    configure(donord, file)
    donord.start()
    assert precious.read_text() == "keep me"
    assert file.read_text().startswith("# TYPE donor_info")


def test_without_a_file_nothing_wakes_the_service(donord):
    donord.configure("[Metrics]\nIntervalSec=1\n")
    donord.start()
    donord.get("State")

    def switches():
        text = open(f"/proc/{donord.process.pid}/status", encoding="ascii").read()
        return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", text, re.M)[1])

    time.sleep(0.3)
    before = switches()
    time.sleep(2)
    assert switches() == before
