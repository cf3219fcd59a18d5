# SPDX-License-Identifier: GPL-2.0-only
"""The QEMU command line. Runs inside the tree."""

import re
import subprocess
from argparse import Namespace
from dataclasses import dataclass, field
from pathlib import Path

from .errors import BedError
from .options import Topology, is_deterministic

QEMU = "qemu-system-x86_64"

# Before 8.1 the translator may read guest code while the kernel patches it, as attaching a
# scheduler does: the guest dies of a false "Oops: int3".
OLDEST_QEMU = (8, 1)

# Ends on a panic; no alarms that come only of slow emulation; RCU does not wait for slow CPUs, it
# interrupts them: else each grace period takes a tenth of a second; no time spent on measuring clocks,
# which fails on a busy host; the same addresses on every boot.
QUIET = (
    "console=ttyS0,115200 panic=-1 oops=panic nowatchdog rcupdate.rcu_cpu_stall_suppress=1 rcupdate.rcu_expedited=1 "
    "workqueue.watchdog_thresh=0 tsc=reliable mitigations=off nokaslr printk.time=1 loglevel=6 "
    "lpj=4000000"
)
# Where CPUs take turns, each gets its part of the time until the next timer, and hears only then that it
# was woken. A timer that does nothing ends their turns so often.
TURNS_US = 500
DETERMINISTIC = "norandmaps random.trust_cpu=off random.trust_bootloader=off"


@dataclass
class Machine:
    options: Namespace
    kernel: Path
    ports: dict[str, int]  # name of a guest port: our end's peer, handed to QEMU
    console: Path
    qmp: int
    initrd: Path | None = None
    file_server: Path | None = None
    extra: list[str] = field(default_factory=list)

    def command(self) -> list[str]:
        command = [QEMU, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]
        command += clock(self.options)
        command += processors(self.options.topology, self.options.icount)
        command += self.memory() + self.channels()
        command += ["-kernel", str(self.kernel), "-append", self.kernel_parameters()]
        if self.initrd:
            command += ["-initrd", str(self.initrd)]
        return command

    def memory(self) -> list[str]:
        size = f"{self.options.memory}M"
        if not self.file_server:
            return ["-m", size]
        return [
            "-m", size, "-object", f"memory-backend-memfd,id=memory,size={size},share=on",
            "-machine", "memory-backend=memory",
            "-chardev", f"socket,id=files,path={self.file_server}",
            "-device", "vhost-user-fs-pci,chardev=files,tag=donor-root,queue-size=1024",
        ]  # fmt: skip

    def channels(self) -> list[str]:
        """The console goes to a file; each port has a socket of its own to us."""
        command = ["-chardev", f"file,id=console,path={self.console}", "-serial", "chardev:console"]
        command += ["-chardev", f"socket,id=qmp,fd={self.qmp}", "-mon", "chardev=qmp,mode=control"]
        # Handled by another thread, the guest's writes would take effect at any later time.
        eventfd = ",ioeventfd=off" if self.options.icount else ""
        command += ["-device", f"virtio-serial-pci,max_ports=8{eventfd}"]
        for name, fd in self.ports.items():
            command += ["-chardev", f"socket,id={name},fd={fd}", "-device", port_device(name)]
        return command

    def kernel_parameters(self) -> str:
        parameters = [QUIET]
        if self.options.icount:
            parameters.append(DETERMINISTIC)
        if self.file_server:
            parameters.append("root=donor-root rootfstype=virtiofs rw systemd.unit=donor-vm.target")
        parameters.append(self.options.cmdline)
        return " ".join(parameters).strip()


def port_device(name: str) -> str:
    kind = "virtconsole" if name == "terminal" else "virtserialport"
    return f"{kind},chardev={name},name=donor.{name}"


def clock(options: Namespace) -> list[str]:
    if not options.icount:
        return ["-M", "q35", "-accel", "tcg,thread=multi"]
    # If nothing comes from outside, what is idle need not be waited for.
    sleep = "off" if is_deterministic(options) else "on"
    return [
        "-M", "q35,hpet=off", "-accel", "tcg,thread=single", "-icount", f"shift=0,sleep={sleep}",
        "-rtc", "base=2026-01-01,clock=vm", "-seed", "1", *(turns() if options.turns else []),
    ]  # fmt: skip


def turns() -> list[str]:
    return ["-netdev", "hubport,id=nobody,hubid=0", "-object", f"filter-buffer,id=turns,netdev=nobody,interval={TURNS_US}"]


def processors(topology: Topology, icount: bool) -> list[str]:
    # Of QEMU's vendors only Intel gets one L3 per die, and only without CPUID leaf 0x1f.
    model = "max,vendor=GenuineIntel,level=0x1e"
    if icount:
        model += ",-rdrand,-rdseed"
    smp = f"{topology.cpus},sockets=1,dies={topology.llcs},cores={topology.cores},threads={topology.threads}"
    return ["-cpu", model, "-smp", smp]


def check_qemu() -> None:
    output = subprocess.run([QEMU, "--version"], capture_output=True, text=True, check=True).stdout
    match = re.search(r"version (\d+)\.(\d+)", output)
    if not match or (int(match[1]), int(match[2])) < OLDEST_QEMU:
        raise BedError("QEMU 8.1 or newer is needed: older ones crash guests falsely when a scheduler attaches")
