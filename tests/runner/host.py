# SPDX-License-Identifier: GPL-2.0-only
"""`./run --install` and `--uninstall`: donor on this machine itself, and off it again."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from .inside import CHECKOUT, TREE

SCHED_EXT = Path("/sys/kernel/sched_ext/state")
RECORD = Path("/var/lib/donor-install.json")  # what to undo
STATE = Path("/var/lib/donor")  # what the service remembers
RUNTIME = ["dbus", "libbpf1", "libcap2", "libeconf0", "libhwloc15", "libjson-c5", "libsmartcols1", "libsystemd0"]


class Refusal(Exception):
    """A sentence that says why not, and what to do."""


def refuse_unless_possible() -> None:
    if os.geteuid() != 0:
        raise Refusal("installing changes the system: start it as root, sudo ./run --install")
    if not SCHED_EXT.exists():
        raise Refusal(
            f"this kernel ({os.uname().release}) has no sched_ext, so donor cannot run on it; boot one built with "
            "CONFIG_SCHED_CLASS_EXT, such as those of trixie-backports. ./run shows donor in a virtual machine"
        )
    if not Path("/run/systemd/system").exists():
        raise Refusal("donor is a service of systemd, which does not run here")
    release = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
    if release.get("ID", "").strip('"') != "debian" or int(release.get("VERSION_ID", '"0"').strip('"')) < 13:
        raise Refusal(
            "--install knows Debian 13 and newer; elsewhere build it as the README says under 'Build it', then "
            "meson install. It needs libbpf 1.4 or newer, which Debian 12 has only in backports"
        )
    if RECORD.exists():
        raise Refusal("donor was installed from a checkout already; ./run --uninstall first")


def missing_packages() -> list[str]:
    def is_there(package: str) -> bool:
        query = ["dpkg-query", "-W", "-f=${Status}", package]
        return "install ok installed" in subprocess.run(query, capture_output=True, text=True, check=False).stdout

    return [package for package in RUNTIME if not is_there(package)]


def agreed(what: list[str], yes: bool) -> bool:
    print("This will\n" + "".join(f"  - {line}\n" for line in what), end="", flush=True)
    return yes or input("Go on? [y/N] ").strip().lower() in ("y", "yes")


def command(*words: str, check: bool = True) -> None:
    subprocess.run(words, check=check)


def build() -> Path:
    command(str(TREE), "enter", "--", "/usr/bin/python3", str(CHECKOUT / "run"), "--build")
    return CHECKOUT / "build/vm-root"


def make_folders(folder: Path) -> list[str]:
    """The ones that had to be made, outermost first."""
    if folder.is_dir():
        return []
    made = make_folders(folder.parent)
    folder.mkdir()
    return [*made, str(folder)]


def copy_files(root: Path) -> dict[str, list[str]]:
    files = [path.relative_to(root) for path in sorted(root.rglob("*")) if path.is_file()]
    folders: list[str] = []
    for file in files:
        target = Path("/", file)
        folders += make_folders(target.parent)
        shutil.copy2(root / file, target)
    return {"files": [f"/{file}" for file in files], "folders": folders}


def install(yes: bool, built: Path | None = None) -> int:
    try:
        refuse_unless_possible()
    except Refusal as refusal:
        print(f"run: {refusal}.", file=sys.stderr)
        return 1
    packages = missing_packages()
    plan = ["build donor in a folder of its own", "copy its programs, unit, bus policy and manual to /usr"]
    plan += [f"install the packages {' '.join(packages)}"] if packages else []
    plan += ["make the system users donor and donor-metrics", "start donord now and at every boot: the kernel then runs donor's scheduler"]
    if not agreed(plan, yes):
        return 1
    root = built or build()
    if packages:
        command("apt-get", "install", "-y", "--no-install-recommends", *packages)
    RECORD.write_text(json.dumps({**copy_files(root), "packages": packages}))
    command("systemd-sysusers")
    command("journalctl", "--update-catalog")
    command("systemctl", "daemon-reload")
    command("systemctl", "reload", "dbus")
    command("systemctl", "enable", "--now", "donord")
    return subprocess.run(["donorctl"], check=False).returncode


def uninstall(yes: bool) -> int:
    if os.geteuid() != 0 or not RECORD.exists():
        why = "start it as root" if os.geteuid() else "donor was not installed from a checkout; there is nothing to undo"
        print(f"run: {why}.", file=sys.stderr)
        return 1
    record = json.loads(RECORD.read_text())
    plan = ["stop donord; the kernel goes back to its own scheduler", f"remove the {len(record['files'])} files that were copied"]
    plan += [f"remove the packages {' '.join(record['packages'])}"] if record["packages"] else []
    plan += [f"remove the users donor and donor-metrics, and what the service remembers in {STATE}"]
    if not agreed(plan, yes):
        return 1
    command("systemctl", "disable", "--now", "donord", "donord-metrics.socket", check=False)
    for file in map(Path, record["files"]):
        file.unlink(missing_ok=True)
    for folder in map(Path, reversed(record["folders"])):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    shutil.rmtree(STATE, ignore_errors=True)
    command("journalctl", "--update-catalog", check=False)
    command("systemctl", "daemon-reload")
    command("systemctl", "reload", "dbus", check=False)
    command("userdel", "donor", check=False)
    command("userdel", "donor-metrics", check=False)
    if record["packages"]:
        command("apt-get", "remove", "-y", *record["packages"])
    RECORD.unlink()
    return 0

