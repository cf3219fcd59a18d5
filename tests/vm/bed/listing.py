# SPDX-License-Identifier: GPL-2.0-only
"""`vm kernels`: what there is."""

import json

from .kernels import BUILT, Kernel, available, choose, fetch
from .kernel_build import build


def kernels_command(options) -> int:
    if options.fetch:
        print(fetch(choose(options.fetch)).image)
    elif options.build:
        print(build().image)
    elif options.json:
        print(json.dumps([described(kernel) for kernel in listed()], indent=2))
    else:
        for kernel in map(described, listed()):
            marks = [name for name in ("cached", "default", "oldest") if kernel[name]]
            print(f"{kernel['version']:10}{' '.join(marks)}".rstrip())
    return 0


def listed() -> list[Kernel]:
    kernels = available()
    if all(kernel.version != BUILT for kernel in kernels):
        kernels.insert(0, Kernel(BUILT, ""))
    return kernels


def described(kernel: Kernel) -> dict[str, object]:
    return {
        "version": kernel.version,
        "cached": kernel.cached,
        "default": kernel.version == choose("newest").version,
        "oldest": kernel.version == choose("oldest").version,
        "built_here": kernel.version == BUILT,
    }
