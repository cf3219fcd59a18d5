# SPDX-License-Identifier: GPL-2.0-only
"""What somebody with a thousand machines asks of each: journal, metrics, agreement, quiet."""

import json
import re
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from conftest import call, eventually, journal, prop, read, run, set_mode
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics

ENDPOINT = "http://127.0.0.1:9956/metrics"
UNITS = Path("/run/systemd/system")
CATALOG = Path("/usr/lib/systemd/catalog/donor.catalog")


def main_pid():
    return run("systemctl", "show", "-P", "MainPID", "donord").stdout.strip()


def event_id(subject):
    """As the catalogue has it."""
    return re.search(rf"^-- ([0-9a-f]{{32}})\nSubject: .*{subject}", CATALOG.read_text(), re.M)[1]


def entries(subject):
    text = run("journalctl", "-u", "donord", "-o", "json", f"MESSAGE_ID={event_id(subject)}").stdout
    return [json.loads(line) for line in text.splitlines()]


def test_events_are_in_the_journal_with_their_fields(donord):
    set_mode("power")
    eventually(lambda: entries("The mode of the CPU scheduler changed"), "the event")
    changed = entries("The mode of the CPU scheduler changed")[-1]
    assert (changed["DONOR_MODE"], changed["DONOR_MODE_OLD"], changed["DONOR_SOURCE"]) == ("power", "balanced", "override")
    assert (changed["_SYSTEMD_UNIT"], changed["SYSLOG_IDENTIFIER"], changed["PRIORITY"]) == ("donord.service", "donord", "5")
    assert changed["_TRANSPORT"] == "journal"
    assert entries("donor was attached")[-1]["DONOR_SCHEDULER"] == "donor"
    call("Detach", "(a{sv})", {})
    eventually(lambda: "Detach by uid 0" in str(entries("donor was detached")), "the other event")


def test_the_journal_explains_events(donord):
    run("journalctl", "--update-catalog")
    set_mode("performance")
    eventually(lambda: "░░ Nothing was detached for it" in run("journalctl", "-x", "-u", "donord", "--no-pager").stdout,
               "an explanation")
    assert "Subject: The mode of the CPU scheduler changed to performance" in run("journalctl", "-x", "-u", "donord", "--no-pager").stdout


def test_systemctl_service_log_level(donord):
    assert run("systemctl", "service-log-level", "donord").stdout.strip() == "info"
    run("systemctl", "service-log-level", "donord", "debug")
    assert run("donorctl", "log-level").stdout.strip() == "debug"
    assert run("systemctl", "service-log-target", "donord").stdout.strip() == "journal"
    run("systemctl", "service-log-level", "donord", "err")
    set_mode("power")
    run("systemctl", "service-log-level", "donord", "info")
    set_mode("performance")
    eventually(lambda: "mode performance, was power" in journal(), "the second line")
    assert "mode power, was balanced" not in journal().split("attached, mode")[-1]
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    assert run(*nobody, "systemctl", "service-log-level", "donord", "debug", check=False).returncode != 0
    assert run("donorctl", "log-level").stdout.strip() == "info"


@pytest.fixture
def endpoint():
    run("systemctl", "start", "donord-metrics.socket")
    yield ENDPOINT
    run("systemctl", "stop", "donord-metrics.socket")


def scrape(url):
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            assert answer.headers["Content-Type"].startswith("application/openmetrics-text")
            return {family.name: family for family in parse_openmetrics(answer.read().decode())}
    except urllib.error.HTTPError as error:
        raise AssertionError(f"{error.code}: {error.read().decode()}") from error


def test_metrics_by_http_without_a_network_of_the_service(donord, endpoint, load):
    assert read(f"/proc/{main_pid()}/net/dev").count(":") == 1  # lo of its own
    found = scrape(endpoint)
    info = found["donor"].samples[0].labels
    assert info["kernel"] == run("uname", "-r").stdout.strip() and info["scheduler"] == "donor"
    before = found["donor_task_switches"].samples[0].value
    assert before > 0
    assert scrape(endpoint)["donor_task_switches"].samples[0].value > before
    eventually(lambda: sum(s.value for s in scrape(endpoint)["donor_donations"].samples if s.labels["result"] == "ok") > 0,
               "a donation", seconds=60)
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(endpoint.replace("/metrics", "/"), timeout=60)
    assert "donord-metrics" not in run("systemctl", "--failed", "--no-legend").stdout


def test_the_endpoint_says_that_the_service_is_away_and_does_not_start_it(endpoint):
    with pytest.raises(urllib.error.HTTPError, match="503"):
        urllib.request.urlopen(endpoint, timeout=60)
    assert run("systemctl", "is-active", "donord", check=False).stdout.strip() == "inactive"


def test_metrics_in_a_file_as_the_sandboxed_user():
    local = Path("/etc/donor/donor.conf.d/50-metrics.conf")
    file = Path("/run/donor/donor.prom")
    local.parent.mkdir(parents=True, exist_ok=True)
    local.write_text(f"[Metrics]\nTextFile={file}\nIntervalSec=1\n")
    local.parent.chmod(0o755)
    try:
        run("systemctl", "start", "donord")
        eventually(file.exists, "the file")
        nobody = run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "cat", str(file)).stdout
        assert 'donor_state{donor_state="attached"} 1' in nobody and file.owner() == "donor"
        first = file.stat().st_ino
        eventually(lambda: file.stat().st_ino != first, "a new one")
        run("systemctl", "stop", "donord")
        assert not file.exists()
    finally:
        local.unlink()
        run("systemctl", "stop", "donord")


def test_wish_properties_and_kernel_agree(donord):
    for mode in ("power", "performance", "balanced"):
        set_mode(mode)
        assert "agree" in run("donorctl", "verify").stdout
    told = json.loads(run("donorctl", "verify", "--json=short").stdout)
    assert next(row for row in told["comparisons"] if row["what"] == "scheduler")["kernel"] == "donor"
    call("Detach", "(a{sv})", {})
    assert run("donorctl", "verify", check=False).returncode == 3


def test_top_shows_load_and_donations(donord, load):
    def shows():
        picture = run("donorctl", "top", "--once").stdout
        rows = [line.split() for line in picture.splitlines() if re.match(r"\d ", line)]
        assert [row[1] for row in rows] == ["0-3", "4-7"], picture
        return sum(float(row[-3]) for row in rows) > 0 and sum(int(row[-5].rstrip("%")) for row in rows) > 10

    eventually(shows, "load and donations", seconds=120)


@pytest.fixture
def without_watchdog():
    """The watchdog is the one event that is due in an idle service: every 15 to 23 s."""
    dropin = UNITS / "donord.service.d/50-idle.conf"
    dropin.parent.mkdir(parents=True, exist_ok=True)
    dropin.write_text("[Service]\nWatchdogSec=0\n")
    run("systemctl", "daemon-reload")
    yield
    dropin.unlink()
    run("systemctl", "daemon-reload")


def wakeups(pid):
    found = re.findall(r"^(?:non)?voluntary_ctxt_switches:\s+(\d+)$", read(f"/proc/{pid}/status"), re.M)
    assert len(found) == 2
    return sum(map(int, found))


@pytest.fixture
def soon_stable():
    """What ran for a minute is noted on disk as stable: that is over before the idle minute begins."""
    dropin = Path("/etc/donor/donor.conf.d/50-idle.conf")
    dropin.parent.mkdir(parents=True, exist_ok=True)
    dropin.write_text("[Restart]\nStableSec=1\n")
    dropin.parent.parent.chmod(0o755)
    dropin.parent.chmod(0o755)
    yield
    dropin.unlink()


def test_an_idle_service_sleeps(without_watchdog, soon_stable, donord):
    assert prop("State") == "attached"
    time.sleep(5)
    pid = main_pid()
    assert len(list(Path(f"/proc/{pid}/task").iterdir())) == 1
    before = wakeups(pid)
    time.sleep(60)
    after = wakeups(pid)
    assert after == before, f"{after - before} wakeups in a minute without events"
    rss = int(re.search(r"^VmRSS:\s+(\d+) kB", read(f"/proc/{pid}/status"), re.M)[1])
    print(f"idle donord: no wakeup in 60 s, RSS {rss} kB")
    assert rss <= 8 * 1024
    set_mode("power")
    assert wakeups(pid) > after  # it counts
