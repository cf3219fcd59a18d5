# SPDX-License-Identifier: GPL-2.0-only
"""What distributions build from. The Debian package is built and looked at, the others are read by their own tools."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PACKAGES = Path(os.environ["DONOR_PACKAGES"])  # see build_packages() in tests/runner
VERSION = re.search(r"version: '([^']+)'", (TOP / "meson.build").read_text())[1]


def run(*command, **options):
    options = {"cwd": TOP, **options}
    return subprocess.run(
        [str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False, **options
    )


def lintian(changes):
    return run("lintian", "--allow-root", "--fail-on", "error", changes)


@pytest.fixture(scope="module")
def contents():
    listed = run("dpkg-deb", "-c", PACKAGES / f"donor_{VERSION}_amd64.deb").stdout
    names = [line.split()[5] for line in listed.splitlines()]
    return {name.removeprefix(".") for name in names if not name.endswith("/")}


def test_lintian_finds_no_error():
    done = lintian(PACKAGES / f"donor_{VERSION}_amd64.changes")
    assert done.returncode == 0, done.stdout


def test_lintian_would_find_one(tmp_path):
    """A file where only the administrator has files."""
    package = tmp_path / "package"
    assert run("dpkg-deb", "-R", PACKAGES / f"donor_{VERSION}_amd64.deb", package).returncode == 0
    (package / "usr/local/bin").mkdir(parents=True)
    shutil.copy(package / "usr/bin/donorctl", package / "usr/local/bin")
    spoilt = tmp_path / "donor_spoilt_amd64.deb"
    assert run("dpkg-deb", "-b", package, spoilt).returncode == 0
    done = lintian(spoilt)
    assert done.returncode != 0 and "dir-in-usr-local" in done.stdout, done.stdout


def test_the_package_has_what_the_build_installs(contents):
    installed = {f"/{path.relative_to(TOP / 'build/vm-root')}" for path in (TOP / "build/vm-root").rglob("*") if path.is_file()}
    packed = {name.removesuffix(".gz") for name in contents if not name.startswith("/usr/share/doc/")}
    assert packed == installed


@pytest.mark.parametrize("file", ["packaging/rpm/donor.spec", "packaging/arch/PKGBUILD", "packaging/debian/changelog"])
def test_all_name_the_same_version(file):
    found = re.search(r"^(?:Version:\s*|pkgver=|donor \()([^\s)]+)", (TOP / file).read_text(), re.MULTILINE)
    assert found[1] == VERSION


def test_the_spec_is_read_by_rpm():
    done = run("rpmspec", "-P", "packaging/rpm/donor.spec")
    assert done.returncode == 0 and "warning" not in done.stdout, done.stdout
    assert run("rpmspec", "-q", "packaging/rpm/donor.spec").stdout.startswith(f"donor-{VERSION}-1")


# Not of Debian's rpm, or not of the programs that it packs: folders end with "/" or "*".
def test_the_spec_lists_every_file(contents):
    macros = {
        "_bindir": "/usr/bin", "_sbindir": "/usr/sbin", "_datadir": "/usr/share", "_mandir": "/usr/share/man",
        "_unitdir": "/usr/lib/systemd/system", "_sysusersdir": "/usr/lib/sysusers.d", "_journalcatalogdir": "/usr/lib/systemd/catalog",
    }
    text = (TOP / "packaging/rpm/donor.spec").read_text().split("%files", 1)[1].split("%changelog")[0]
    listed = [line for line in text.split() if line.startswith(("/", "%{"))]
    patterns = [re.sub(r"%{(\w+)}", lambda match: macros[match[1]], line) for line in listed]
    expressions = [re.escape(pattern).replace(r"\*", ".*") + (".*" if pattern.endswith("/") else "") for pattern in patterns]
    files = {name for name in contents if not name.startswith("/usr/share/doc/")}
    assert not {name for name in files if not any(re.fullmatch(expression, name) for expression in expressions)}
    assert not {expression for expression in expressions if not any(re.fullmatch(expression, name) for name in files)}


def test_the_pkgbuild_is_read_by_makepkg():
    # makepkg refuses root, wants a folder of its own, and asks for a pacman before it looks at anything.
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        arch = Path(folder, "arch")
        shutil.copytree(TOP / "packaging/arch", arch)
        for path in (Path(folder), arch, *arch.iterdir()):
            shutil.chown(path, "nobody")
        environment = {**os.environ, "HOME": folder, "PACMAN": "true"}
        done = run("makepkg", "--printsrcinfo", cwd=arch, env=environment, user="nobody", extra_groups=[])
    assert done.returncode == 0 and f"pkgver = {VERSION}" in done.stdout, done.stdout
    assert run("bash", "-n", "packaging/arch/donor.install").returncode == 0
