"""What a program may tell Quarry about itself. Without Quarry nothing here has any effect."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["step"]

_VARIABLE = "QUARRY_TASK"


@contextmanager
def step(name: str) -> Iterator[None]:
    """Inside the `with` block, what the program does belongs to the step of this name."""
    before = os.environ.get(_VARIABLE)
    os.environ[_VARIABLE] = name
    try:
        yield
    finally:
        if before is None:
            del os.environ[_VARIABLE]
        else:
            os.environ[_VARIABLE] = before
