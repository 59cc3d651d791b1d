"""Starts the runs of all suites, a few side by side, and hands them out as they are needed."""

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Self

import runs
from modes import Mode
from suites import Suite

REPETITIONS = 3  # of each side, when the first two runs differ


class Schedule:
    def __init__(self, suites: list[Suite], settings: runs.Settings, jobs: int):
        self.settings = settings
        self.pool = ThreadPoolExecutor(jobs)
        self.futures: dict[tuple[str, Mode, int], Future] = {}
        for suite in suites:
            for mode in Mode:
                self._start(suite, mode, 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.shutdown(wait=False, cancel_futures=True)
        runs.stop_all()
        self.pool.shutdown()

    def _start(self, suite: Suite, mode: Mode, number: int) -> Future:
        key = (suite.name, mode, number)
        if key not in self.futures:
            self.futures[key] = self.pool.submit(runs.run, suite, mode, number, self.settings)
        return self.futures[key]

    def first(self, suite: Suite, mode: Mode) -> runs.Run:
        return self._start(suite, mode, 1).result()

    def repeated(self, suite: Suite, mode: Mode) -> list[runs.Run]:
        """All runs of a suite in a mode: the same tests in the same order again, because a difference
        may come from the tests before it."""
        started = [self._start(suite, mode, number) for number in range(1, REPETITIONS + 1)]
        return [future.result() for future in started]
