# SPDX-License-Identifier: GPL-2.0-only
"""Other schedulers' programs: taken from this machine with the libraries that they need."""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from bed.closure import LIBRARY, is_elf
from runner.inside import CHECKOUT

from .contestants import OWN, Contestant

GATHERED = "DONOR_BENCH_PEERS"  # in the environment: the folder, once they are there
FOLDER = CHECKOUT / "build/bench-peers"
IN_GUEST = Path("/in/bench-peers")


def peer(text: str) -> tuple[str, list[str]]:
    """An argument of --peer."""
    match = re.fullmatch(r"([a-z0-9][a-z0-9_-]*)=(.+)", text)
    words = shlex.split(match[2]) if match else []
    if not words or match[1] in [one.name for one in OWN]:
        raise argparse.ArgumentTypeError(f"{text} is not NAME=COMMAND, with a name of small letters that no other contestant has")
    if GATHERED not in os.environ and not shutil.which(words[0]):
        raise argparse.ArgumentTypeError(f"there is no program {words[0]}; give the path of the scheduler's binary")
    return match[1], words


def libraries(program: Path) -> list[Path]:
    output = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False).stdout
    missing = re.findall(r"(\S+) => not found", output)
    if missing:
        raise argparse.ArgumentTypeError(f"{program} needs {missing[0]}, which is not there")
    return [Path(path) for path in LIBRARY.findall(output)]


def take(name: str, words: list[str]) -> list[str]:
    """Copy one, and all files that its command names; the command as the guest runs it."""
    folder, there = FOLDER / name, IN_GUEST / name
    folder.mkdir(parents=True)
    program = Path(shutil.which(words[0])).absolute()
    needed = libraries(program) if is_elf(program.resolve()) else []
    named = [Path(word) for word in words[1:] if Path(word).is_file()]
    for path in [program, *needed, *named]:
        shutil.copy(path, folder)
    command = [str(there / program.name)]
    command += [str(there / Path(word).name) if Path(word) in named else word for word in words[1:]]
    loader = next((path for path in needed if path.name.startswith("ld-")), None)
    return [str(there / loader.name), "--library-path", str(there), *command] if loader else command


def gather(peers: list[tuple[str, list[str]]]) -> None:
    """Before we go where this machine's files are out of sight."""
    if GATHERED in os.environ:
        return
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    commands = {name: take(name, words) for name, words in peers}
    (FOLDER / "commands.json").write_text(json.dumps(commands))
    os.environ[GATHERED] = str(FOLDER)


def contestants() -> list[Contestant]:
    commands = json.loads((FOLDER / "commands.json").read_text())
    return [Contestant(name, "program", None, command=tuple(command)) for name, command in commands.items()]
