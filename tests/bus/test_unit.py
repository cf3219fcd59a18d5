# SPDX-License-Identifier: GPL-2.0-only
"""The files that systemd, the bus and polkit read."""

import os
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

UNIT = Path(os.environ["DONOR_UNIT"])
REPOSITORY = Path(__file__).parents[2]
WORST_SCORE = 0.6


def unit_values(key: str) -> list[str]:
    return re.findall(rf"^{key}=(.*)$", UNIT.read_text(), re.M)


def test_the_sandbox_is_as_tight_as_promised():
    done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", str(UNIT)],
                          capture_output=True, text=True, timeout=60)
    found = re.search(r"Overall exposure level for donord\.service: ([\d.]+)", done.stdout)
    assert found, done
    assert float(found[1]) <= WORST_SCORE, done.stdout


def test_the_sandbox_of_the_endpoint(tmp_path):
    unit = tmp_path / "donord-metrics@x.service"
    unit.write_text((UNIT.parent / "donord-metrics@.service").read_text())
    done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", str(unit)],
                          capture_output=True, text=True, timeout=60)
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
    assert found, done
    assert float(found[1]) <= WORST_SCORE, done.stdout
    assert "PrivateNetwork=yes" in unit.read_text() and "DynamicUser=yes" in unit.read_text()
    # The bus must be able to look the user up.
    user = re.search(r"^User=(.*)$", unit.read_text(), re.M)[1]
    assert f"\nu {user} -" in (REPOSITORY / "systemd/donor.sysusers").read_text()


def test_the_unit_gives_what_the_scheduler_needs():
    assert unit_values("User") == ["donor"]
    assert unit_values("AmbientCapabilities") == unit_values("CapabilityBoundingSet") == ["CAP_BPF CAP_PERFMON"]
    assert "AF_NETLINK" in unit_values("RestrictAddressFamilies")[0]
    assert "bpf capset membarrier" in unit_values("SystemCallFilter")
    # In its own user namespace a process cannot load programs; see the comment there.
    assert unit_values("PrivateUsers") == []


def test_the_unit_has_a_place_for_what_outlives_it():
    assert unit_values("StateDirectory") == unit_values("RuntimeDirectory") == ["donor"]
    assert unit_values("RuntimeDirectoryPreserve") == ["restart"]


def test_the_unit_is_shown_the_command_line():
    assert unit_values("LoadCredential") == ["cmdline:/proc/cmdline"] and unit_values("ProcSubset") == ["pid"]


def test_restarts_are_as_the_service_expects():
    assert unit_values("Restart") == ["on-failure"]
    assert unit_values("RestartForceExitStatus") == unit_values("SuccessExitStatus") == ["TEMPFAIL"]
    # Ten maps, the link, and what is carried over; more would be thrown away in silence.
    assert unit_values("FileDescriptorStoreMax") == ["16"]
    assert unit_values("FileDescriptorStorePreserve") == []
    assert int(unit_values("StartLimitBurst")[0]) > 1 + 8  # what donord itself may ask for: service/carried.h


def test_activation_leads_to_the_unit():
    service = (REPOSITORY / "dbus/org.donor.Scheduler1.service.in").read_text()
    alias = re.search(r"^SystemdService=(.*)$", service, re.M)[1]
    assert unit_values("Alias") == [alias]
    assert unit_values("BusName") == re.findall(r"^Name=(.*)$", service, re.M) == ["org.donor.Scheduler1"]


def test_polkit_actions_are_complete():
    root = ElementTree.parse(REPOSITORY / "dbus/org.donor.Scheduler1.policy").getroot()
    found = {}
    for action in root.findall("action"):
        assert action.findtext("description") and action.findtext("message").startswith("Authentication is required")
        owner = action.find("annotate[@key='org.freedesktop.policykit.owner']").text
        assert owner == "unix-user:" + unit_values("User")[0]
        found[action.get("id").removeprefix("org.donor.scheduler1.")] = tuple(
            action.findtext(f"defaults/allow_{who}") for who in ["any", "inactive", "active"])
    ask = "auth_admin_keep"
    assert found == {"set-mode": (ask, ask, "yes"), "hold-mode": (ask, ask, "yes"),
                     "configure-donation": (ask, ask, ask), "administer": (ask, ask, ask),
                     "read-task-stats": (ask, ask, ask)}
