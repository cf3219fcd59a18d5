# SPDX-License-Identifier: GPL-2.0-only
"""What is too old is told in a sentence, before anything is compiled."""

import os
import subprocess
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


def configure(build, *options, **environment):
    command = ["meson", "setup", *options, str(build), str(TOP)]
    return subprocess.run(command, env={**os.environ, **environment}, text=True, capture_output=True, check=False)


def test_old_clang_is_named(tmp_path):
    clang = tmp_path / "clang-14"
    clang.write_text("#!/bin/sh\necho 'Debian clang version 14.0.6'\n")
    clang.chmod(0o755)
    done = configure(tmp_path / "build", f"-Dbpf-clang={clang}")
    assert done.returncode != 0
    assert "donor needs clang 19 or newer for its BPF part, here is 14.0.6" in done.stdout


def test_old_libbpf_is_named(tmp_path):
    (tmp_path / "libbpf.pc").write_text("Name: libbpf\nDescription: old\nVersion: 1.1.2\n")
    done = configure(tmp_path / "build", PKG_CONFIG_PATH=str(tmp_path))
    assert done.returncode != 0
    assert "donor needs libbpf 1.4 or newer, here is 1.1.2" in done.stdout


def test_without_bpf_neither_is_needed(tmp_path):
    (tmp_path / "libbpf.pc").write_text("Name: libbpf\nDescription: old\nVersion: 1.1.2\n")
    done = configure(tmp_path / "build", "-Dbpf=disabled", "-Dbpf-clang=/nonexistent", PKG_CONFIG_PATH=str(tmp_path))
    assert done.returncode == 0, done.stdout
