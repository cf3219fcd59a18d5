# SPDX-License-Identifier: GPL-2.0-only
"""The systemd guest: the tree itself under a throw-away layer, served over virtiofs."""

import os
import shutil
import subprocess
import time
from pathlib import Path

from .errors import BedError
from .guest import SCRIPTS
from .spaces import mount
from .tree import in_user_namespace

VIRTIOFSD = "/usr/libexec/virtiofsd"
UNITS = "usr/lib/systemd/system"

# Units that wait for hardware, modules or work that this machine does not have.
MASKED = """
apt-daily-upgrade.timer apt-daily.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service
fstrim.timer getty-static.service getty@tty1.service kmod-static-nodes.service
modprobe@configfs.service modprobe@drm.service modprobe@efi_pstore.service modprobe@fuse.service
serial-getty@hvc0.service serial-getty@ttyS0.service systemd-firstboot.service
systemd-networkd-wait-online.service systemd-pcrmachine.service systemd-pstore.service
systemd-random-seed.service systemd-timesyncd.service systemd-udev-load-credentials.service
""".split()

FILES = {
    "etc/hostname": "donor-vm\n",
    "etc/machine-id": "d0000000000000000000000000000001\n",
    "etc/fstab": "",
    "etc/systemd/journald.conf.d/donor-vm.conf": "[Journal]\nStorage=volatile\n",
    # Newer than /usr: so there is no catalogue, cache or account to bring up to date.
    "etc/.updated": "",
    "var/.updated": "",
}


def make_root(overlay: Path, scratch: Path) -> Path:
    """Mount the tree with the overlay and a writable layer above it; the private mount table of
    this run takes it away."""
    add_units(overlay)
    for name in ("work", "root"):
        (scratch / name).mkdir()
    options = f"lowerdir={os.environ['DONOR_TREE']},upperdir={overlay},workdir={scratch}/work"
    if in_user_namespace():
        options += ",userxattr"
    mount("-t", "overlay", "-o", options, "donor-vm", scratch / "root")
    return scratch / "root"


def add_units(overlay: Path) -> None:
    units = overlay / UNITS
    wants = units / "donor-vm.target.wants"
    wants.mkdir(parents=True, exist_ok=True)
    for name in ("donor-vm.target", "donor-vm.service"):
        shutil.copy(SCRIPTS / name, units)
    (wants / "donor-vm.service").symlink_to("../donor-vm.service")
    etc = overlay / "etc/systemd/system"
    etc.mkdir(parents=True, exist_ok=True)
    for name in MASKED:
        (etc / name).symlink_to("/dev/null")
    for name, text in FILES.items():
        path = overlay / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def start_file_server(root: Path, socket: Path) -> subprocess.Popen:
    """virtiofsd for that directory; returns when its socket is there."""
    command = [VIRTIOFSD, f"--socket-path={socket}", f"--shared-dir={root}"]
    command += ["--sandbox=none", "--cache=always", "--xattr", "--log-level=error"]
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    deadline = time.monotonic() + 10
    while not socket.exists():
        if child.poll() is not None or time.monotonic() > deadline:
            child.kill()
            raise BedError(f"virtiofsd did not start: {child.communicate()[0].decode().strip()}")
        time.sleep(0.01)
    return child
