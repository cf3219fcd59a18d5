# SPDX-License-Identifier: GPL-2.0-only
"""A hundred thousand random calls of all that the running service has to offer, by four users at once."""

import json
import os
import random
import re
import subprocess
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from fake_polkit import FakePolkit

from harness import IFACE, NAME, until
from interface import GUARDED, XML

SEED = int(os.environ.get("DONOR_FUZZ_SEED", "1"))
CALLS = 25_000  # of each user
WITHOUT_PRIVILEGE = [2, 3, 4, 65534]
MIXED = [0, 2, 3, 65534]
DEADLINE = 240.0
GROWTH_KB = 1024  # 20 bytes a call
PEAK_KB = 96 * 1024
SANITIZED = b"__asan_init" in Path(os.environ["DONORD_FAKE"]).read_bytes()  # needs memory of its own


def walk(donord, path="/"):
    """All objects of the service, and what they say of themselves."""
    reply = donord.client.call_sync(NAME, path, "org.freedesktop.DBus.Introspectable", "Introspect", None, None, 0, 5000,
                                    None)
    node = ElementTree.fromstring(reply.unpack()[0])
    yield path, node
    for child in node.findall("node"):
        yield from walk(donord, path.rstrip("/") + "/" + child.get("name"))


def members(donord) -> list[str]:
    """Lines for fuzz-client."""
    guarded = {(method.interface, method.name) for method in GUARDED}
    lines = []
    for path, node in walk(donord):
        for interface in node.findall("interface"):
            for child in interface:
                name = interface.get("name"), child.get("name")
                if child.tag == "method":
                    signature = "".join(a.get("type") for a in child.findall("arg") if a.get("direction") == "in")
                    lines.append(("method", path, *name, signature or "-", str(int(name in guarded))))
                elif child.tag == "property":
                    lines.append(("property", path, *name, child.get("type"), "1"))
    if len(Path("/etc/machine-id").read_text().strip()) != 32:
        # As in a chroot. The bus library cannot answer and closes the connection, whatever the service.
        lines = [line for line in lines if line[3] != "GetMachineId"]
    assert {line[3] for line in lines} >= {"SetMode", "Mode", "GetSnapshot", "Ping"}
    return [" ".join(line) for line in lines]


def strings(value) -> set[str]:
    if isinstance(value, dict):
        return strings([*value, *value.values()])
    if isinstance(value, (list, tuple)):
        return set().union(*map(strings, value))
    return {value} if isinstance(value, str) and re.fullmatch(r"\S{1,32}", value) else set()


def words(donord) -> list[str]:
    """The vocabulary of the interface: options, hooks, names; half of all are words that it shows, such as modes."""
    known = sorted(set(re.findall(r"[A-Za-z][A-Za-z-]{2,}", XML.read_text())))
    shown = sorted(strings([mode["Name"] for mode in donord.get("Modes")]) | strings(donord.get("DonationEffective")))
    return [f"word {word}" for word in known + shown * (len(known) // len(shown))]


def memory_kb(donord, key: str) -> int:
    return int(re.search(rf"{key}:\s+(\d+) kB", Path(f"/proc/{donord.process.pid}/status").read_text())[1])


def fuzz(donord, polkit, users: list[int], calls: int, lines: list[str]) -> int:
    """Lets the users loose; returns how many calls were answered with something else than an error."""
    started = []
    for number, uid in enumerate(users):
        file = tempfile.TemporaryFile("w+")
        file.write("\n".join(lines) + "\n")
        file.seek(0)
        started.append(subprocess.Popen(
            [Path(os.environ["DONORD_FAKE"]).parent / "fuzz-client", donord.bus.address, str(uid),
             str(SEED * 100 + number), str(calls)], stdin=file, stdout=subprocess.PIPE, text=True, cwd="/"))
    end = time.monotonic() + DEADLINE
    try:
        while any(process.poll() is None for process in started):
            assert time.monotonic() < end, "the calls take too long"
            assert donord.process.poll() is None, donord.logged()
            time.sleep(0.02)
            polkit.release("no")
        said = [process.stdout.read() for process in started]
    finally:
        for process in started:
            process.kill()
            process.wait()
            process.stdout.close()
    for process, text in zip(started, said):
        made, silent, answered, refused = map(int, re.search(
            r"made (\d+) silent (\d+) answered (\d+) refused (\d+)", text).groups())
        assert process.returncode == 0 and made == calls and answered == made - silent, text[:2000]
    return sum(int(text.split()[-3]) - int(text.split()[-1]) for text in said)


@pytest.fixture
def polkit(bus):
    dice = random.Random(SEED)
    polkit = FakePolkit(bus, lambda question: dice.choices(["no", "challenge", "error", "hang"], [5, 3, 1, 1])[0])
    yield polkit
    polkit.stop()


def test_fuzz(donord, polkit, capsys):
    started = time.monotonic()
    with capsys.disabled():
        print(f"\nbus fuzz: DONOR_FUZZ_SEED={SEED}", end="", flush=True)
    donord.environment |= {"ASAN_OPTIONS": "quarantine_size_mb=16", "MALLOC_MMAP_THRESHOLD_": "32768",
                           "MALLOC_TRIM_THRESHOLD_": "65536"}  # what is freed is to be seen
    donord.start()
    lines = members(donord) + words(donord)
    state = donord.properties(), donord.params(), donord.attaches()
    donord.forget()

    # Nobody may do anything: nothing happens, and memory is what it was after a few calls.
    fuzz(donord, polkit, WITHOUT_PRIVILEGE, CALLS // 10, lines)
    resident = memory_kb(donord, "VmRSS")
    fuzz(donord, polkit, WITHOUT_PRIVILEGE, CALLS // 2, lines)
    grown = memory_kb(donord, "VmRSS") - resident
    assert donord.heard() == donord.changes() == []
    assert (donord.properties(), donord.params(), donord.attaches()) == state
    assert len(polkit.asked) > CALLS // 100, "what is asked gets as far as polkit"

    # root may do all, and polkit lets the others do some: nothing breaks.
    dice = random.Random(SEED)
    polkit.answer = lambda question: dice.choice(["yes", "no", "challenge", "hang"])
    fuzz(donord, polkit, MIXED, CALLS * 4 // 10, [re.sub("^(method .*)1$", r"\g<1>0", line) for line in lines])
    assert {"ModeChanged", "DonationChanged", "Attached", "Exited"} <= {s[0] for s in donord.heard()}

    # It answers, and what it says is in itself right.
    polkit.answer = "no"
    donord.attach()
    assert donord.set_mode("power") == "power" and donord.params()["mode"] == "power"
    assert json.loads(donord.call("Describe"))["mode"] == donord.get("Mode") == "power"
    until(lambda: donord.snapshot(), "statistics")
    assert grown < GROWTH_KB or SANITIZED
    assert memory_kb(donord, "VmHWM") < PEAK_KB or SANITIZED
    with capsys.disabled():
        print(f", {len(polkit.asked)} questions to polkit, {grown} kB more, peak {memory_kb(donord, 'VmHWM')} kB,"
              f" {time.monotonic() - started:.0f} s")
