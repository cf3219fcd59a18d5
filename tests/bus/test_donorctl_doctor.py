# SPDX-License-Identifier: GPL-2.0-only
"""donorctl doctor, on machines made of files."""

import json
import os
import shutil

import pytest
from fake_donord import bus, one_bus, root, run, service, ssh, systemd


def doctor(bus, root, *words):
    done = run(bus, "doctor", *words, root=root)
    report = run(bus, "doctor", "--json=short", *words, root=root)
    assert done.returncode == report.returncode
    assert done.stderr == report.stderr == ""
    report = json.loads(report.stdout)
    assert report["exit_status"] == done.returncode
    assert report["usable"] == (done.returncode == 0)
    for check in report["checks"]:
        assert check["text"] in done.stdout
        assert check["next_step"] is None or check["next_step"] in done.stdout
    return done, {c["check"]: c for c in report["checks"]}


def test_a_healthy_machine(bus, service, systemd, root):
    done, checks = doctor(bus, root)
    assert done.returncode == 0
    assert list(checks) == ["sched_ext", "btf", "bpf_jit", "scheduler", "smt", "service",
                            "kernel_support", "state", "domains", "rivals"]
    assert {c["verdict"] for c in checks.values()} == {"ok"}
    assert {c["next_step"] for c in checks.values()} == {None}
    assert "2 domains" in checks["domains"]["text"]
    assert done.stdout.endswith("donor can be used here.\n")


@pytest.mark.parametrize("path, check", [("sys/kernel/sched_ext", "sched_ext"),
                                         ("sys/kernel/btf", "btf")])
def test_a_part_of_the_kernel_is_missing(bus, service, root, path, check):
    shutil.rmtree(root / path)
    done, checks = doctor(bus, root)
    assert done.returncode == 5
    assert checks[check]["verdict"] == "failed"
    assert "CONFIG_" in checks[check]["next_step"]


def test_the_compiler_is_off(bus, service, root):
    (root / "proc/sys/net/core/bpf_jit_enable").write_text("0\n")
    done, checks = doctor(bus, root)
    assert done.returncode == 5
    assert "sysctl" in checks["bpf_jit"]["next_step"]


def test_files_that_are_not_there_are_no_failure(bus, service, root):
    (root / "proc/sys/net/core/bpf_jit_enable").unlink()
    (root / "sys/devices/system/cpu/smt/active").unlink()
    done, checks = doctor(bus, root)
    assert done.returncode == 0
    assert checks["bpf_jit"]["verdict"] == checks["smt"]["verdict"] == "unknown"


def test_another_scheduler_is_attached(bus, service, root):
    (root / "sys/kernel/sched_ext/root/ops").write_text("scx_other\n")
    done, checks = doctor(bus, root)
    assert done.returncode == 6
    assert checks["scheduler"]["text"].endswith("scx_other")


def test_no_service(bus, root):
    done, checks = doctor(bus, root)
    assert done.returncode == 7
    assert checks["service"]["next_step"] == "Start it: systemctl start donord"
    # guessed from the caches
    assert "2 domains" in checks["domains"]["text"]
    assert checks["rivals"]["verdict"] == "unknown"
    assert done.stdout.endswith("donor cannot be used here as things are.\n")
    assert not bus.mark.exists()


def test_no_service_and_no_cache_information(bus, root):
    shutil.rmtree(root / "sys/devices/system/cpu")
    assert doctor(bus, root)[1]["domains"]["verdict"] == "unknown"


def test_the_first_failure_gives_the_exit_status(bus, root):
    (root / "sys/kernel/sched_ext/root/ops").write_text("scx_other\n")
    assert doctor(bus, root)[0].returncode == 6
    shutil.rmtree(root / "sys/kernel/sched_ext")
    assert doctor(bus, root)[0].returncode == 5


@pytest.mark.parametrize("state, verdict, status", [
    ("attaching", "warning", 0), ("detached", "warning", 0), ("conflict", "failed", 6),
    ("backoff", "warning", 0),
    ("failed", "failed", 1), ("unsupported", "failed", 5), ("a-new-one", "warning", 0)])
def test_states_of_the_service(bus, service, root, state, verdict, status):
    service.set(State=state, StateReason="The reason.")
    done, checks = doctor(bus, root)
    assert done.returncode == status
    assert checks["state"]["verdict"] == verdict
    assert checks["state"]["text"] == f"The state of the service is {state}: The reason."
    assert checks["state"]["next_step"]


@pytest.mark.parametrize("support, verdict, status", [
    ("no-sched-ext", "failed", 5), ("no-btf", "failed", 5), ("malformed-btf", "failed", 5),
    ("no-privilege", "failed", 1), ("a-new-one", "warning", 0)])
def test_what_the_service_says_of_the_kernel(bus, service, root, support, verdict, status):
    service.set(KernelSupport=support)
    done, checks = doctor(bus, root)
    assert done.returncode == status
    assert checks["kernel_support"]["verdict"] == verdict
    assert checks["kernel_support"]["next_step"]


def test_a_single_domain(bus, service, root):
    del service.domains[1]
    done, checks = doctor(bus, root)
    assert done.returncode == 0
    assert checks["domains"]["verdict"] == "warning"
    assert "nowhere to go" in checks["domains"]["text"]


@pytest.mark.parametrize("unit", ["scx.service", "scx_loader.service", "ananicy-cpp.service"])
def test_rivals(bus, service, systemd, root, unit):
    systemd.active.add(unit)
    done, checks = doctor(bus, root)
    assert done.returncode == 0
    assert checks["rivals"]["text"] == f"{unit} is active"
    assert "systemctl disable --now" in checks["rivals"]["next_step"]


def test_this_kernel_is_not_taken_for_another_machine(bus, service, root, ssh):
    _, checks = doctor(bus, root, "-H", "somewhere")
    assert "sched_ext" not in checks
    assert checks["service"]["verdict"] == "ok"


@pytest.mark.skipif(os.geteuid() != 0, reason="must be root to become another user")
def test_what_only_root_may_see(bus, service, root):
    (root / "proc/sys/net/core/bpf_jit_enable").chmod(0o600)
    for directory in [root, *root.parents][:-2]:
        directory.chmod(0o755)
    done = run(bus, "doctor", "--json=short", root=root, user=65534)
    checks = {c["check"]: c for c in json.loads(done.stdout)["checks"]}
    assert checks["bpf_jit"]["verdict"] == "unknown"
    assert "sudo" in checks["bpf_jit"]["next_step"]
