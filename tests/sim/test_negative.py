# SPDX-License-Identifier: GPL-2.0-only
"""Negative controls: donor or the model is spoilt in a copy, and a scenario must find it."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mutations import MUTATIONS, SEED

TOP = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ["DONOR_BUILD"]).resolve()
COMPILE = ["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-O1", "-w", "-I.", '-DDONOR_VERSION="spoilt"']
ARCHIVES = ["tests/sim/libsim_front.a", "tests/sim/libdonor_sim_judge.a", "tests/sim/libdonor_sim_core.a", "service/libdonor_service.a"]
DONOR = "tests/sim/policy-donor.c"  # and with it all of bpf/policy
TOOL = "tests/sim/donor-sim.p/"  # where the build puts the program's own objects


def run(*command, cwd=TOP, **environment):
    return subprocess.run(
        [str(word) for word in command], cwd=cwd, env={**os.environ, **environment},
        text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False,
    )


def compile_here(tree, source, target):
    done = run(*COMPILE, "-c", source, "-o", target, cwd=tree)
    assert done.returncode == 0, f"{source} does not compile:\n{done.stdout}"
    return target


def sources_of_tool():
    """As the build has them: a list of our own would fall behind."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    return [str((BUILD / command["file"]).resolve().relative_to(TOP)) for command in commands if command["output"].startswith(TOOL)]


def sources_of(program):
    if program == SEED:
        return [DONOR, *sources_of_tool()]
    return [DONOR, f"tests/sim/test-scenario-{program}.c", "tests/sim/scenario.c", "tests/sim/scenario-tasks.c"]


@pytest.fixture(scope="session")
def objects(tmp_path_factory):
    """The objects of a program, compiled when they are first asked for."""
    folder = tmp_path_factory.mktemp("objects")

    def give(program, without=None):
        found = []
        for source in sources_of(program):
            if source == without:
                continue
            target = folder / source.replace("/", "-").replace(".c", ".o")
            found.append(target if target.exists() else compile_here(TOP, source, target))
        return found

    return give


def link(folder, objects):
    """What comes first wins over the member of an archive."""
    (folder / "workloads").symlink_to(BUILD / "tests/sim/workloads")
    program = folder / "program"
    libraries = run("pkg-config", "--libs", "cmocka", "hwloc", "json-c", "smartcols").stdout.split()
    done = run("gcc", "-o", program, *objects, *[BUILD / archive for archive in ARCHIVES], *libraries, "-lm")
    assert done.returncode == 0, done.stdout
    return program


def source_of(mutation):
    return DONOR if mutation.file.startswith("bpf/") else mutation.file


def spoil(mutation, tree):
    """A copy of the sources with the fault in it; the object that has it."""
    for folder in ("bpf", "tests/sim", "service"):
        shutil.copytree(TOP / folder, tree / folder)
    path = tree / mutation.file
    text = path.read_text()
    nr = text.count(mutation.old)
    assert nr == 1, f"'{mutation.name}': its text is in {mutation.file} {nr} times; bring mutations.py up to date:\n{mutation.old}"
    path.write_text(text.replace(mutation.old, mutation.new))
    return compile_here(tree, source_of(mutation), tree / "spoilt.o")


def judge(program, mutation):
    if mutation.program == SEED:
        return run("/usr/bin/python3", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", TOP / "tests/sim/test_seed.py", "-k", mutation.test, DONOR_SIM=str(program))
    return run(program, SCENARIO=mutation.test, CMOCKA_MESSAGE_OUTPUT="STDOUT")


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name.replace(" ", "-"))
def test_a_fault_is_found(mutation, objects, tmp_path):
    program = link(tmp_path, [spoil(mutation, tmp_path), *objects(mutation.program, without=source_of(mutation))])
    found = judge(program, mutation)
    assert found.returncode != 0, f"{mutation.program}: {mutation.test} does not find it"
    assert re.search(mutation.says, found.stdout), found.stdout


ASKED = {(mutation.program, mutation.test): mutation for mutation in MUTATIONS}


@pytest.mark.parametrize("mutation", ASKED.values(), ids=lambda mutation: f"{mutation.program}-{mutation.test}")
def test_without_a_fault_the_same_test_passes(mutation, objects, tmp_path):
    found = judge(link(tmp_path, objects(mutation.program)), mutation)
    assert found.returncode == 0, found.stdout
    assert re.search(r"PASSED.* 1 test|\d passed", found.stdout), f"no test was run:\n{found.stdout}"
