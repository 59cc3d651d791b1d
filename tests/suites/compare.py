"""Compares runs of one suite, test by test. Nothing here knows HDF5 or starts a process."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Outcomes = Mapping[str, str]
ABSENT = "absent"


@dataclass
class Verdict:
    """What is to be said about the tests that did not come out the same in all runs."""

    different: dict[str, str] = field(default_factory=dict)
    unstable_baseline: dict[str, str] = field(default_factory=dict)
    different_once: dict[str, str] = field(default_factory=dict)


def differences(baseline: Outcomes, other: Outcomes) -> list[str]:
    """The tests that came out differently, tests that only one of the two has included."""
    return [
        test
        for test in dict.fromkeys([*baseline, *other])
        if baseline.get(test, ABSENT) != other.get(test, ABSENT)
    ]


def judge(baselines: Sequence[Outcomes], others: Sequence[Outcomes]) -> Verdict:
    """Tells what differs because of the mode from what is unstable by itself.

    Called with one run of each, or after a difference with several. A test that gives the baseline's
    outcome in most runs and another one once is not held against the connector, but named.
    """
    verdict = Verdict()
    for test in dict.fromkeys(test for run in (*baselines, *others) for test in run):
        without = [run.get(test, ABSENT) for run in baselines]
        within = [run.get(test, ABSENT) for run in others]
        if len({*without, *within}) == 1:
            continue
        said = f"without: {_tell(without)}; with: {_tell(within)}"
        deviating = sum(outcome not in without for outcome in within)
        if deviating == len(within):
            verdict.different[test] = said
        elif len(set(without)) > 1:
            verdict.unstable_baseline[test] = said
        elif deviating > 1:
            verdict.different[test] = said
        else:
            verdict.different_once[test] = said
    return verdict


def _tell(outcomes: Sequence[str]) -> str:
    return " | ".join(dict.fromkeys(outcomes))
