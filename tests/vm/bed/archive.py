# SPDX-License-Identifier: GPL-2.0-only
"""Where Debian packages come from: the archive that this machine's own apt already uses."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .errors import BedError
from .packages import SUITE

KEYRINGS = [Path("/usr/share/keyrings/debian-archive-keyring").with_suffix(s) for s in (".gpg", ".pgp")]

FORMAT = "$(LABEL)\t$(COMPONENT)\t$(SITE)"


@dataclass
class Archive:
    main: str
    security: str = ""

    def sources(self, suites: list[str]) -> str:
        """The one-line sources of these suites, checked against Debian's keys."""
        keyring = next((path for path in KEYRINGS if path.exists()), KEYRINGS[0])
        site = {f"{SUITE}-security": self.security}
        lines = [(site.get(suite, self.main), suite) for suite in suites]
        return "".join(f"deb [signed-by={keyring}] {url} {suite} main\n" for url, suite in lines if url)

    def tree_sources(self) -> str:
        return self.sources([SUITE, f"{SUITE}-updates", f"{SUITE}-security", f"{SUITE}-backports"])


def sites_known_to_apt() -> dict[str, str]:
    """The first site per label ("Debian", "Debian-Security") among apt's main components."""
    if not shutil.which("apt-get"):
        return {}
    command = ["apt-get", "indextargets", "--format", FORMAT, "Created-By: Packages"]
    output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    sites: dict[str, str] = {}
    for line in output.splitlines():
        label, component, site = line.split("\t")
        if component == "main":
            sites.setdefault(label, site)
    return sites


def find_archive() -> Archive:
    named = os.environ.get("DONOR_ARCHIVE")
    if named:
        return Archive(named)
    sites = sites_known_to_apt()
    if "Debian" not in sites:
        raise BedError(
            "apt on this machine knows no Debian archive (or `apt-get update` never ran); "
            "set DONOR_ARCHIVE to the address of a Debian mirror and try again"
        )
    return Archive(sites["Debian"], sites.get("Debian-Security", ""))
