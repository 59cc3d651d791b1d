"""A fresh Debian 13 with its own h5py, in a folder to change root into."""

import os
import shutil
import subprocess
from pathlib import Path

from suites import REPOSITORY
from workspace import ENTER

PACKAGES = ("python3-h5py", "python3-pytest", "python3-pytest-timeout")
HERE = REPOSITORY / "build/suites"


def obstacle() -> str:
    """What stands against having such a root on this machine, or nothing."""
    if os.geteuid() != 0:
        return "changing root needs to be root"
    if not os.environ.get("QUARRY_DEBIAN13_ROOT") and not shutil.which("debootstrap"):
        return "needs debootstrap, or in QUARRY_DEBIAN13_ROOT a folder with a fresh Debian 13"
    return ""


def prepared_root() -> Path:
    """The root with h5py installed; made once."""
    root = HERE / "debian13"
    if not root.exists():
        fresh = _fresh_root()
        _in_root(fresh, "apt-get", "update")
        _in_root(fresh, "apt-get", "install", "--yes", "--no-install-recommends", *PACKAGES)
        fresh.rename(root)
    return root


def _fresh_root() -> Path:
    if pristine := os.environ.get("QUARRY_DEBIAN13_ROOT"):
        copy = HERE / "debian13.unfinished"
        _run("rm", "-rf", str(copy))
        _run("cp", "-a", pristine, str(copy))
        return copy
    # It makes a root to run a make target in; here the root is what is wanted.
    _run(
        str(REPOSITORY / "scripts/fresh-root"),
        "--worktree",
        "--roots",
        str(HERE / "roots"),
        "13",
        "help",
    )
    return HERE / "roots/work-d13"


def _in_root(root: Path, *command: str) -> None:
    clean = ("/usr/bin/env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8")
    _run("unshare", "--mount", "sh", "-c", ENTER, str(root), *clean, *command)


def _run(*command: str) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
