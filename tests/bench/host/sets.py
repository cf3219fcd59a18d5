# SPDX-License-Identifier: GPL-2.0-only
"""The sets: which programs run, and what is beside them as the reference."""

from dataclasses import dataclass, field, replace

QUEUE = "/in/bank-queue"
FULL = 1024

# Tasks that compute half of the time, are born and die, and wake each other.
STRESS = "stress-ng --quiet --cpu 3 --cpu-load 50 --fork 1 --switch 1 --switch-freq 1000 --timeout 3"


@dataclass(frozen=True)
class Measurement:
    """A program, as it is measured and as it runs when pinned by hand."""

    name: str
    share: float  # speed beside a busy sibling: what tests/sim/workloads has for this program
    chunks: int
    chunk_us: int
    workers: int = 4
    jitter_pct: int = 0
    born: str = ""  # where workers are forked: a place of guest/machine.py
    chain: bool = False  # beside a browser that draws
    pin: str = "{cores}"

    def quick(self) -> "Measurement":
        """A quarter of the work, by fewer chunks if each worker has several."""
        if self.chunks > self.workers:
            return replace(self, chunks=self.chunks // 4)
        return replace(self, chunk_us=self.chunk_us // 4)

    def words(self) -> list[str]:
        options = {"workers": self.workers, "chunks": self.chunks, "chunk-us": self.chunk_us, "jitter-pct": self.jitter_pct}
        return [QUEUE, *(f"--{name}={value}" for name, value in options.items())]

    def in_plan(self, quick: bool) -> dict:
        words = self.quick().words() if quick else self.words()
        command = [*words, f"--born={self.born}"] if self.born else words
        pinned = [*words, f"--pin={self.pin}"]
        if self.chain:
            command, pinned = ["/in/frame-chain", *command], ["/in/frame-chain", "--pin={last-core}", *pinned]
        return {"name": self.name, "share": round(self.share * FULL), "command": command, "pinned": pinned}


@dataclass(frozen=True)
class Load:
    """A program that ends by itself: it is watched, and there is nothing to pair it with."""

    name: str
    command: str

    def in_plan(self, quick: bool) -> dict:
        return {"name": self.name, "share": FULL, "command": self.command.split(), "pinned": []}


@dataclass(frozen=True)
class Real:
    """A program that computes: only in a machine that is throttled do siblings slow it down."""

    name: str
    command: str

    def in_plan(self, quick: bool) -> dict:
        command = ["/in/count", *self.command.split()]
        return {"name": self.name, "share": FULL, "command": command, "pinned": ["taskset", "--cpu-list", "{cores}", *command]}


@dataclass(frozen=True)
class Set:
    title: str
    topology: str
    measurements: list[Measurement | Load]
    when_throttled: list[Real] = field(default_factory=list)

    def throttled(self) -> "Set":
        return replace(self, measurements=[*self.measurements, *self.when_throttled])

    @property
    def names(self) -> list[str]:
        return [measurement.name for measurement in self.measurements]

    @property
    def watched(self) -> list[str]:
        return [measurement.name for measurement in self.measurements if isinstance(measurement, Load)]


SETS = {
    "spread": Set(
        "workers that never sleep, all born in the first of two caches",
        "2x2x2",
        [
            Measurement("hogs", share=0.625, chunks=4, chunk_us=1_600_000, born="{first-cache}"),
            Measurement("beside-frames", share=0.625, chunks=3, chunk_us=1_600_000, workers=3, born="{first-cache}", chain=True),
        ],
    ),
    "seed": Set(
        "the programs that donation was made for: workers that ask a manager for chunks",
        "2x2x2",
        [
            Measurement("algorithm3", share=0.55, chunks=400, chunk_us=20_000, jitter_pct=5),
            Measurement("primesieve", share=0.72, chunks=80, chunk_us=100_000, jitter_pct=5),
        ],
        [Real("primesieve-itself", "primesieve --quiet --threads=4 1e9")],
    ),
    "conserve": Set(
        "is a CPU idle beside a task that waits, or a core shared beside one that is idle",
        "2x2x2",
        [
            Measurement("half", share=0.625, chunks=200, chunk_us=20_000, jitter_pct=5, born="{first-cache}"),
            Measurement("full", share=0.625, chunks=300, chunk_us=20_000, workers=8, jitter_pct=5, born="{first-cache}", pin="{all}"),
            Measurement("crowd", share=0.625, chunks=300, chunk_us=20_000, workers=12, jitter_pct=5, born="{first-cache}", pin="{all}"),
            Load("mixed", STRESS),
        ],
    ),
}

# On cores of their own and on siblings, in one chunk each: what the tracer itself is checked by.
MODEL_CHECK = Measurement("model", share=0.55, chunks=4, chunk_us=400_000)


def model_check() -> dict:
    words = MODEL_CHECK.words()
    places = {place: [*words, f"--pin={{{place}}}"] for place in ("cores", "siblings")}
    return {"share": round(MODEL_CHECK.share * FULL), **places}
