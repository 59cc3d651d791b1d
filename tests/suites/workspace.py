"""The folders of one run, each run its own, so that runs side by side cannot disturb each other."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Self

INSIDE = Path(__file__).resolve().parent / "inside"
# What a change of root lacks; all of it vanishes with the mount namespace.
ENTER = 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"'


class Workspace:
    def __init__(self, root: Path = Path("/")):
        self.root = root  # what the processes of the run see as `/`
        self.folder = Path(tempfile.mkdtemp(prefix="quarry-suites-", dir=root / "tmp"))
        for name in ("cwd", "tmp", "home", "witness", "processes"):
            (self.folder / name).mkdir()
        shutil.copytree(INSIDE, self.folder / "inside")
        self.outcomes = self.folder / "outcomes.jsonl"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def seen(self, path: Path) -> Path:
        """The name that the processes of the run have for a path."""
        return Path("/") / path.relative_to(self.root)

    def bring(self, path: Path) -> Path:
        """A folder of this machine, as the processes of the run can see it."""
        if self.root == Path("/"):
            return path
        return self.seen(Path(shutil.copytree(path, self.folder / path.name)))

    def environment(self) -> dict[str, str]:
        """A user's environment without traces of HDF5 or of the pytest that runs us."""
        prefixes = ("HDF5_", "PYTEST_", "QUARRY_")
        environment = {k: v for k, v in os.environ.items() if not k.startswith(prefixes)}
        return environment | {
            "HOME": str(self.seen(self.folder / "home")),
            "TMPDIR": str(self.seen(self.folder / "tmp")),
            "PYTHONPATH": str(self.seen(self.folder / "inside")),
            "PYTHONHASHSEED": "0",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "QUARRY_SUITES_PROCESSES": str(self.seen(self.folder / "processes")),
        }

    def enter(self, command: list[str]) -> list[str]:
        """The command that runs `command` in the working folder, under the run's root."""
        if self.root == Path("/"):
            return command
        cwd = str(self.seen(self.folder / "cwd"))
        change_directory = ["/usr/bin/env", "-C", cwd]
        return [
            "unshare",
            "--mount",
            "sh",
            "-c",
            ENTER,
            str(self.root),
            *change_directory,
            *command,
        ]
