# SPDX-License-Identifier: GPL-2.0-only
"""Run a command inside the tree: the tree below, a throw-away layer above, the checkout in place."""

import os
import shutil
from pathlib import Path

from .cache import CHECKOUT, cache_dir
from .errors import BedError
from .spaces import mount, run_in_spaces
from .tree import ensure_tree, in_user_namespace

SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def inside() -> bool:
    return "DONOR_TREE" in os.environ


def enter(argv: list[str], extra_binds: list[Path]) -> int:
    """Run argv in the tree with the same working directory; its exit status."""
    if inside():
        os.execvp(argv[0], argv)
    tree, cwd, cache = ensure_tree(), Path.cwd(), cache_dir()
    binds = [CHECKOUT, cache, *project_of(cwd, tree), *extra_binds]

    def prepare() -> None:
        root = mount_layers(tree, cache)
        bind_host(root, binds)
        os.chroot(root)
        os.chdir(cwd if cwd.is_dir() else "/")
        set_environment(tree, cache)

    return run_in_spaces(prepare, argv)


def project_of(cwd: Path, tree: Path) -> list[Path]:
    """The other directory that must be visible because the caller stands in it, if any."""
    if cwd.is_relative_to(CHECKOUT) or (tree / cwd.relative_to("/")).exists():
        return []
    return [next((path for path in (cwd, *cwd.parents) if (path / ".git").exists()), cwd)]


def mount_layers(tree: Path, cache: Path) -> Path:
    """The tree under a writable layer in memory, which goes away with the mount namespace."""
    base = cache / "layers"
    base.mkdir(exist_ok=True)
    mount("-t", "tmpfs", "-o", "mode=755,size=75%", "donor", base)
    for name in ("upper", "work", "root"):
        (base / name).mkdir()
    options = f"lowerdir={tree},upperdir={base}/upper,workdir={base}/work"
    if in_user_namespace():
        options += ",userxattr"
    mount("-t", "overlay", "-o", options, "donor", base / "root")
    return base / "root"


def bind_host(root: Path, binds: list[Path]) -> None:
    """What the kernel offers, and the directories of the host that are shared; /tmp and /run are
    the command's own."""
    mount_proc(root)
    for name in ("dev", "sys"):
        mount("--rbind", f"/{name}", root / name)
    for name, mode in (("run", "755"), ("tmp", "1777")):
        mount("-t", "tmpfs", "-o", f"mode={mode}", "donor", root / name)
    for path in binds:
        if not path.is_dir():
            raise BedError(f"{path} is not a directory")
        target = root / path.relative_to("/")
        target.mkdir(parents=True, exist_ok=True)
        mount("--bind", path, target)
    for name in ("etc/resolv.conf", "etc/hosts"):
        if Path("/", name).exists():
            (root / name).unlink(missing_ok=True)
            shutil.copyfile(f"/{name}", root / name)


def mount_proc(root: Path) -> None:
    """A fresh /proc for the new process table; in some containers only the old one is allowed."""
    try:
        mount("-t", "proc", "proc", root / "proc")
    except BedError:
        mount("--rbind", "/proc", root / "proc")


def set_environment(tree: Path, cache: Path) -> None:
    for name in ("TMPDIR", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"):
        os.environ.pop(name, None)
    os.environ.update(
        DONOR_TREE=str(tree), DONOR_CACHE=str(cache), HOME="/root", PATH=SEARCH_PATH,
        LC_ALL="C.UTF-8", PYTHONDONTWRITEBYTECODE="1",
    )  # fmt: skip
