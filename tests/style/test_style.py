# SPDX-License-Identifier: GPL-2.0-only
"""What a reader counts on everywhere: licence lines, layers, headers that stand alone, layout."""

import re
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
FOLDERS = ["bpf", "client", "dbus", "docs", "packaging", "service", "systemd", "tests"]
SKIPPED_NAMES = {"COPYING", ".git", ".gitignore"}
INPUTS_OF_THE_FUZZER = TOP / "tests/sim/corpus"


def files():
    found = [path for path in TOP.iterdir() if path.is_file() and path.name not in SKIPPED_NAMES]
    for folder in FOLDERS:
        found += [path for path in (TOP / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return [path for path in found if path.parent != INPUTS_OF_THE_FUZZER]


def sources(*suffixes):
    return sorted(path for path in files() if path.name.endswith(suffixes))


def name(path):
    return str(path.relative_to(TOP))


def run(*command, text_in=None):
    return subprocess.run(
        command, cwd=TOP, input=text_in, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )


# Errors that tests make on purpose.
MISSPELT = "atached,enque,prety,stauts"


def test_every_file_says_its_licence():
    missing = [name(path) for path in files() if "SPDX-License-Identifier: GPL-2.0-only" not in path.read_text()[:400]]
    assert not missing


# Who may include what: files, what they may include, what nothing else overrides.
LAYERS = [
    (r"bpf/abi\.h", r"<linux/types\.h>|<stdbool\.h>|\"(knobs|counters)\.def\""),
    (r"bpf/policy/.*|bpf/env\.h", r"<stddef\.h>|\"bpf/(abi|env)\.h\"|\"bpf/policy/[a-z-]+\.h\""),
    (r"bpf/.*\.bpf\.[ch]", r"\"bpf/.*\"|<bpf/.*>"),
    (r"dbus/names\.h", r"(?!)"),
    (r"service/scheduler(-btf)?\.[ch]", r"(?!.*systemd/).*"),
    (r"service/bus-.*|service/donord\.c|service/manager\.[ch]|service/watch\.[ch]", r"(?!<bpf/|<hwloc|<libeconf).*"),
    (r"service/.*", r"(?!<bpf/|<systemd/sd-bus).*"),
    (r"client/.*", r"(?!\"(service/(?!(cleanup|duration)\.h)|bpf/(?!counters\.def|knobs\.def))|<bpf/).*"),
]


@pytest.mark.parametrize("path", sources(".c", ".h"), ids=name)
def test_includes_keep_to_their_layer(path):
    allowed = next((rule for files, rule in LAYERS if re.fullmatch(files, name(path))), None)
    if allowed is None:
        assert name(path).startswith("tests/"), "a file that no layer owns"
        return
    included = re.findall(r"^\s*#\s*include\s+([<\"][^>\"]+[>\"])", path.read_text(), re.MULTILINE)
    wrong = [what for what in included if not re.fullmatch(allowed, what)]
    assert not wrong


@pytest.mark.parametrize("path", sources(".h"), ids=name)
def test_header_compiles_alone(path):
    first = ""
    compiler = ["gcc"]
    if ".bpf." in path.name:
        compiler = ["clang-19", "--target=bpf", "-mcpu=v3", "-g", "-O2"]
        first = '#include "bpf/kernel.bpf.h"\n'  # BPF's own headers want its types before them
    elif name(path).startswith("bpf/policy/") or name(path) == "bpf/env.h":
        first = '#include "tests/unit/env-table.h"\n'  # policy needs somebody who answers
    flags = ["-D_GNU_SOURCE", "-D__TARGET_ARCH_x86", "-w", "-I.", "-fsyntax-only", "-x", "c", "-"]
    done = run(*compiler, *flags, text_in=f'{first}#include "{name(path)}"\n')
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", sources(".c", ".h"), ids=name)
def test_layout(path):
    done = run("clang-format-19", "--dry-run", "--Werror", name(path))
    assert done.returncode == 0, done.stdout


def test_spelling():
    done = run("codespell", "--skip=*.pyc,*/sim/corpus/*", f"--ignore-words-list={MISSPELT}", *[folder for folder in FOLDERS if (TOP / folder).exists()], "README.md")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", [path for path in files() if path.read_bytes()[:2] == b"#!"], ids=name)
def test_script_is_executable_and_parses(path):
    assert path.stat().st_mode & 0o111
    shell = b"sh" in path.read_bytes().split(b"\n", 1)[0]
    text = path.read_text()
    if shell:
        assert run("sh", "-n", name(path)).returncode == 0
    else:
        compile(text, name(path), "exec")


@pytest.mark.parametrize("path", sources(".c", ".h", ".py"), ids=name)
def test_file_is_short_enough_to_read(path):
    assert len(path.read_text().splitlines()) <= 420
