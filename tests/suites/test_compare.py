"""The comparison itself, with planted differences."""

from compare import ABSENT, Verdict, differences, judge

GOOD = {"a": "passed", "b": "skipped: no network", "c": "failed: OSError: x"}


def test_equal_runs_give_nothing():
    assert differences(GOOD, dict(GOOD)) == []
    assert judge([GOOD], [dict(GOOD)]) == Verdict()


def test_each_kind_of_difference_is_named():
    other = {"a": "failed: OSError: y", "b": "skipped: no HDF5", "d": "passed"}
    assert differences(GOOD, other) == ["a", "b", "c", "d"]
    assert judge([GOOD], [other]).different == {
        "a": "without: passed; with: failed: OSError: y",
        "b": "without: skipped: no network; with: skipped: no HDF5",
        "c": f"without: failed: OSError: x; with: {ABSENT}",
        "d": f"without: {ABSENT}; with: passed",
    }


def test_an_unstable_baseline_is_not_the_connectors_fault():
    verdict = judge(
        [{"a": "passed"}, {"a": "failed: 1"}, {"a": "passed"}],
        [{"a": "failed: 1"}, {"a": "passed"}],
    )
    assert verdict == Verdict(
        unstable_baseline={"a": "without: passed | failed: 1; with: failed: 1 | passed"}
    )


def test_an_unstable_baseline_does_not_hide_an_outcome_that_it_never_has():
    verdict = judge([{"a": "passed"}, {"a": "failed: 1"}], [{"a": "failed: 2"}, {"a": "failed: 2"}])
    assert list(verdict.different) == ["a"]


def test_once_in_three_runs_is_reported_apart():
    baselines = [{"a": "passed"}] * 3
    assert list(judge(baselines, [{"a": "failed: 1"}, *baselines[1:]]).different_once) == ["a"]
    assert list(
        judge(baselines, [{"a": "failed: 1"}, {"a": "failed: 2"}, baselines[2]]).different
    ) == ["a"]
