# SPDX-License-Identifier: GPL-2.0-only
"""The suites. Each returns what it counted; what failed has shown its output."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from .build import DEFAULT, SANITIZED, WITHOUT_BPF, Build, BuildError
from .inside import CHECKOUT, VM
from .report import Tally, read_junit, step

# Their kernel BTF is malformed beyond use; donor must say so.
MALFORMED_KERNELS = {"7.1.3", "7.1.8", "7.2.11"}


def environment(build: Build) -> dict[str, str]:
    return {
        **os.environ,
        "DONOR_BUILD": str(build.path),
        "DONORD_FAKE": str(build.path / "tests/bus/donord-fake"),
        "DONOR_UNIT": str(build.path / "systemd/donord.service"),
        "DONOR_BUS_POLICY": str(CHECKOUT / "dbus/org.donor.Scheduler1.conf"),
        "DONOR_PACKAGES": str(build.path / "deb"),
        "DONOR_INTERFACE_XML": str(CHECKOUT / "dbus/org.donor.Scheduler1.xml"),
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    }


def run_pytest(suite: str, path: str, build: Build) -> Tally:
    junit = build.path / f"{suite.replace(' ', '-')}.junit.xml"
    junit.unlink(missing_ok=True)
    command = ["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={junit}", path]
    subprocess.run(command, cwd=CHECKOUT, env=environment(build), check=False)
    return read_junit(junit, suite)


def run_meson(suite: str, build: Build, of_meson: str = "unit") -> Tally:
    junit = build.path / "meson-logs/testlog.junit.xml"
    junit.unlink(missing_ok=True)
    command = ["meson", "test", "-C", str(build.path), "--suite", of_meson, "--timeout-multiplier", "5", "--print-errorlogs"]
    done = subprocess.run(command, env=environment(build), stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print(done.stdout)
    return read_junit(junit, suite)


def style() -> Tally:
    DEFAULT.make()
    return run_pytest("style", "tests/style", DEFAULT)


def unit() -> Tally:
    DEFAULT.make()
    return run_meson("unit", DEFAULT)


def sim() -> Tally:
    """The simulator, what it says about the policy, and its command line."""
    DEFAULT.make()
    tally = run_meson("sim", DEFAULT, "sim")
    tally.add(run_pytest("donor-sim", "tests/sim", DEFAULT))
    return tally


def bus() -> Tally:
    DEFAULT.make()
    return run_pytest("bus", "tests/bus", DEFAULT)


def sanitize() -> Tally:
    """Unit, sim and bus once more, by the other compiler and under ASan and UBSan; and without BPF."""
    SANITIZED.make()
    tally = run_meson("sanitize unit", SANITIZED)
    tally.add(run_meson("sanitize sim", SANITIZED, "sim"))
    tally.add(run_pytest("sanitize bus", "tests/bus", SANITIZED))
    WITHOUT_BPF.make()
    tally.add(run_meson("unit without BPF", WITHOUT_BPF))
    return tally


def boot(*arguments: str, show: bool = False) -> subprocess.CompletedProcess:
    """A machine of its own for one command; its output is kept unless it is to be shown as it comes."""
    output = None if show else subprocess.PIPE
    return subprocess.run([str(VM), "run", *arguments], text=True, stdout=output, stderr=subprocess.STDOUT, check=False)


def smoke(name: str, *arguments: str) -> Tally:
    """One boot of the minimal guest that attaches, donates, switches and detaches."""
    with step(f"smoke: {name}") as note:
        copies = ["--copy-in", str(CHECKOUT / "tests/vm/smoke.sh"), "--copy-in", str(DEFAULT.path / "tests/vm/footprint")]
        done = boot("--timeout", "240", *copies, *arguments, "--", "/in/smoke.sh")
        if done.returncode == 0:
            said = done.stdout.splitlines()
            biggest = max((line for line in said if "verified" in line), key=lambda line: int(line.split()[1]), default="")
            note.append(next((line for line in said if "given away:" in line), "") + "; " + biggest)
            return Tally(passed=1)
        print(done.stdout)
        return Tally(failed=[f"smoke: {name} ended with {done.returncode}"])


def differential(kernel: str) -> Tally:
    """Policy as the kernel runs it against the same policy built for the host; a broken one must be noticed."""
    with step(f"vm: policy in the {kernel} kernel and on the host") as note:
        built = [DEFAULT.path / "tests/vm" / name for name in ("differential", "differential.bpf.o", "differential-broken.bpf.o")]
        arguments = [word for path in built for word in ("--copy-in", str(path))]
        command = "/in/differential /in/differential.bpf.o || exit 1; /in/differential /in/differential-broken.bpf.o > /dev/null; [ $? = 1 ]"
        done = boot("--topology", "1x2x1", "--kernel", kernel, *arguments, "--", "sh", "-c", command)
        if done.returncode == 0:
            note.append(f"{done.stdout.count(' 0 differ')} decisions agree")
            return Tally(passed=1)
        print(done.stdout)
        return Tally(failed=[f"vm: policy in the {kernel} kernel differs, or a broken one was not noticed"])


def refused_smoke(version: str) -> Tally:
    """A kernel on which donor cannot run must be told so in a sentence."""
    with step(f"smoke: {version}, whose BTF is malformed"):
        command = "donord & donorctl wait unsupported --timeout 60 && donorctl; donorctl --json; cat /sys/kernel/sched_ext/state"
        done = boot("--kernel", version, "--timeout", "120", "--", "sh", "-c", command)
        wanted = ("BTF is malformed", "malformed-btf", "disabled")
        if done.returncode == 0 and all(words in done.stdout for words in wanted):
            return Tally(passed=1)
        print(done.stdout)
        return Tally(failed=[f"smoke: {version} was not refused as it should"])


def inside_guest(kernel: str) -> Tally:
    """The tests of tests/vm/inside, in a guest with systemd."""
    with step(f"vm: Debian with systemd, {kernel} kernel"), tempfile.TemporaryDirectory(dir=DEFAULT.path) as out:
        built = ["rival", "rival.bpf.o", "donord-refused", "donord-stalling", "donord-other", "sampler"]
        copies = ["tests/vm/inside", "tests/bus/interface.py", *(f"build/tests/vm/{name}" for name in built)]
        arguments = [word for copy in copies for word in ("--copy-in", str(CHECKOUT / copy))]
        command = "cd /in/inside && python3 -m pytest -v -rP -p no:cacheprovider --junitxml=/out/junit.xml"
        done = boot("--init", "systemd", "--kernel", kernel, "--timeout", "1200", "--copy-out", out, *arguments, "--", "sh", "-c", command, show=True)
        tally = read_junit(Path(out) / "junit.xml", f"vm {kernel}")
        if done.returncode and not tally.failed:
            tally.failed.append(f"vm {kernel}: the guest ended with {done.returncode}")
        return tally


def installation() -> Tally:
    """./run --install and --uninstall on a machine that has no donor."""
    with step("vm: ./run --install and --uninstall"), tempfile.TemporaryDirectory(dir=DEFAULT.path) as scratch:
        checkout, empty = Path(scratch, "checkout"), Path(scratch, "empty")
        empty.mkdir()
        shutil.copytree(CHECKOUT / "tests/runner", checkout / "tests/runner")
        shutil.copy(CHECKOUT / "run", checkout)
        copies = [checkout, DEFAULT.path / "vm-root", CHECKOUT / "tests/vm/install.sh"]
        arguments = [word for copy in copies for word in ("--copy-in", str(copy))]
        done = boot("--init", "systemd", "--destdir", str(empty), *arguments, "--", "/in/install.sh")
        if done.returncode == 0:
            return Tally(passed=1)
        print(done.stdout)
        return Tally(failed=["vm: ./run --install and --uninstall"])


def build_packages() -> Path:
    """The Debian package out of this checkout, and the same once more as a later version."""
    packages = DEFAULT.path / "deb"
    shutil.rmtree(packages, ignore_errors=True)
    with step("packaging: the Debian package"), open(DEFAULT.path / "deb.log", "w") as log:
        done = subprocess.run([CHECKOUT / "packaging/build-deb", packages], stdout=log, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        raise BuildError(f"packaging/build-deb failed, see {log.name}")
    (first,) = (path for path in packages.glob("donor_*.deb"))
    with tempfile.TemporaryDirectory(dir=DEFAULT.path) as scratch:
        subprocess.run(["dpkg-deb", "-R", first, scratch], check=True)
        control = Path(scratch, "DEBIAN/control")
        control.write_text(re.sub(r"^(Version: .*)$", r"\1+later", control.read_text(), flags=re.MULTILINE))
        subprocess.run(["dpkg-deb", "-b", scratch, packages / "later.deb"], stdout=subprocess.DEVNULL, check=True)
    return packages


def package_in_guest(packages: Path) -> Tally:
    with step("vm: the Debian package installed, upgraded, removed, purged"), tempfile.TemporaryDirectory(dir=DEFAULT.path) as scratch:
        (empty := Path(scratch, "empty")).mkdir()  # the guest's / has its mode
        (first,) = packages.glob("donor_*.deb")
        copies = [CHECKOUT / "tests/vm/package.sh", first, packages / "later.deb"]
        arguments = [word for copy in copies for word in ("--copy-in", str(copy))]
        done = boot("--init", "systemd", "--timeout", "300", "--destdir", str(empty), *arguments, "--", "/in/package.sh", f"/in/{first.name}", "/in/later.deb")
        if done.returncode == 0:
            return Tally(passed=1)
        print(done.stdout)
        return Tally(failed=["vm: the Debian package"])


def packaging() -> Tally:
    DEFAULT.make()
    DEFAULT.install()
    packages = build_packages()
    tally = run_pytest("packaging", "tests/packaging", DEFAULT)
    tally.add(package_in_guest(packages))
    return tally


def gate() -> Tally:
    """Instructions, verified instructions and memory, beside the record of them."""
    with step("vm: what donor costs, beside its record") as note:
        done = subprocess.run([str(CHECKOUT / "tests/bench/gate")], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode == 0:
            note.append(done.stdout.strip())
            return Tally(passed=1)
        print(done.stdout)
        return Tally(failed=["vm: what donor costs rose above tests/bench/record.json"])


def bed() -> Tally:
    DEFAULT.make()
    DEFAULT.install()
    return run_pytest("bed", "tests/vm/test_bed.py", DEFAULT)


def vm() -> Tally:
    DEFAULT.make()
    DEFAULT.install()
    tally = inside_guest("newest")
    tally.add(installation())
    tally.add(differential("newest"))
    tally.add(differential("oldest"))
    tally.add(smoke("oldest kernel", "--kernel", "oldest"))
    tally.add(smoke("one CPU", "--topology", "1x1x1"))
    tally.add(smoke("one cache, no SMT", "--topology", "1x4x1"))
    tally.add(smoke("four caches, no SMT", "--topology", "4x2x1"))
    tally.add(gate())
    return tally


def bench() -> Tally:
    """How the benchmark reckons, and one short session of it; no figure is judged here."""
    DEFAULT.make()
    return run_pytest("bench", "tests/bench", DEFAULT)


def kernels() -> Tally:
    """The walk: every kernel that can be had, and our own 6.12."""
    DEFAULT.make()
    DEFAULT.install()
    subprocess.run([str(VM), "kernels", "--build", "6.12"], check=True)
    tally = differential("6.12")
    listed = json.loads(subprocess.run([str(VM), "kernels", "--json"], capture_output=True, text=True, check=True).stdout)
    for version in [kernel["version"] for kernel in listed]:
        malformed = version in MALFORMED_KERNELS
        tally.add(refused_smoke(version) if malformed else smoke(f"kernel {version}", "--kernel", version))
    return tally


SUITES = {
    "style": style, "unit": unit, "sim": sim, "bus": bus, "sanitize": sanitize, "packaging": packaging, "bed": bed, "vm": vm, "bench": bench,
}
ON_DEMAND = {"kernels": kernels}
