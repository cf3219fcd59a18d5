# SPDX-License-Identifier: GPL-2.0-only
"""What is in the tree, and how it is unpacked. Any change here makes a new tree."""

SUITE = "trixie"

# A system as a user has it: donord runs in it over the real bus, with the real policy kit.
SYSTEM = """
dbus dbus-daemon iproute2 kmod libpam-systemd polkitd power-profiles-daemon procps systemd systemd-sysv udev
upower util-linux
"""

BUILD = """
clang-19 clang-format-19 gcc libbpf-dev libc6-dev libcap-dev libclang-rt-19-dev libcmocka-dev libeconf-dev
libhwloc-dev libjson-c-dev libsmartcols-dev libsystemd-dev llvm-19 meson ninja-build pkgconf scdoc
"""

TEST = """
codespell fish hwloc-nox libxml2-utils python3 python3-dbusmock python3-prometheus-client python3-pytest stress-ng
umockdev zsh
"""

BENCH = """
gnuplot-nox primesieve-bin rt-app rt-tests
"""

# makepkg and rpm check what other distributions build from.
PACKAGING = """
build-essential debhelper dpkg-dev fakeroot lintian makepkg rpm
"""

# ca-certificates: an archive may be reached by https. xz-utils: kernel sources.
VM = """
busybox-static ca-certificates cpio qemu-system-x86 virtiofsd xz-utils zstd
"""

PACKAGES = sorted((SYSTEM + BUILD + TEST + BENCH + PACKAGING + VM).split())

# Nobody reads manuals in the tree, and a third of the files are manuals.
DPKG_OPTIONS = [
    "force-unsafe-io",
    "path-exclude=/usr/share/doc/*",
    "path-exclude=/usr/share/info/*",
    "path-exclude=/usr/share/locale/*",
    "path-exclude=/usr/share/man/*",
]

APT_OPTIONS = [
    'Acquire::Languages "none"',
    'APT::Install-Recommends "false"',
]
