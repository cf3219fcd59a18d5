# SPDX-License-Identifier: GPL-2.0-only
"""The CPUs of the guest, grouped by what sysfs says of cores and caches."""

from pathlib import Path

CPUS = Path("/sys/devices/system/cpu")


def numbers(text: str) -> list[int]:
    """0-2,5 as [0, 1, 2, 5]."""
    ranges = [part.split("-") for part in text.strip().split(",") if part]
    return [cpu for ends in ranges for cpu in range(int(ends[0]), int(ends[-1]) + 1)]


def listing(cpus: list[int]) -> str:
    return ",".join(map(str, cpus))


def groups(file: str, root: Path = CPUS) -> list[list[int]]:
    """CPUs that share what this file of each CPU lists."""
    online = numbers((root / "online").read_text())
    found = {cpu: tuple(numbers((root / f"cpu{cpu}" / file).read_text())) for cpu in online}
    return [list(group) for group in dict.fromkeys(found.values())]


class Machine:
    def __init__(self, root: Path = CPUS) -> None:
        self.cores = groups("topology/thread_siblings_list", root)
        self.caches = groups("cache/index3/shared_cpu_list", root)

    @property
    def places(self) -> dict[str, str]:
        """What stands for CPUs in a command: one CPU of each core, the first core whole, and so on."""
        whole = [cpu for core in self.cores for cpu in core]
        return {
            "{cores}": listing([core[0] for core in self.cores]),
            "{siblings}": listing(whole[: len(self.cores)]),
            "{all}": listing(sorted(whole)),
            "{last-core}": listing(self.cores[-1]),
            "{first-cache}": listing(self.caches[0]),
        }

    def describe(self) -> dict:
        return {"cores": self.cores, "caches": self.caches}
