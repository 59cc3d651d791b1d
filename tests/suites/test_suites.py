"""Every suite gives the same results with the connector selected, and with its plugin lying about."""

import json

import pytest
from compare import differences, judge
from modes import Mode
from proof import lacking_proof, unwanted
from runs import EXIT

NAMED = 200  # a crash early in a run would name thousands


@pytest.mark.parametrize(
    "mode", [Mode.CONNECTOR, Mode.RECORDING, Mode.LYING], ids=lambda mode: mode.value
)
def test_same_outcomes(suite, mode, schedule, summaries):
    baseline, other = schedule.first(suite, Mode.BASELINE), schedule.first(suite, mode)
    if differences(baseline.outcomes, other.outcomes):
        without, within = schedule.repeated(suite, Mode.BASELINE), schedule.repeated(suite, mode)
    else:
        without, within = [baseline], [other]
    verdict = judge([run.outcomes for run in without], [run.outcomes for run in within])
    record = schedule.settings.results / f"{suite.name}-{mode.value}-verdict.json"
    record.write_text(json.dumps(vars(verdict), indent=1))

    tests = len(baseline.outcomes.keys() - {EXIT})
    state = f"{len(verdict.different)} DIFFERENT" if verdict.different else "identical"
    summaries.append(f"{suite.name}: {tests} tests, {state} ({mode.value})")
    for test, said in verdict.unstable_baseline.items():
        summaries.append(f"  unstable without the connector: {test}: {said}")
    for test, said in verdict.different_once.items():
        summaries.append(f"  different in one run of several: {test}: {said}")
    _expect_none([f"{test}: {said}" for test, said in verdict.different.items()], f"see {record}:")


def test_baseline_is_sound(suite, schedule):
    """Two runs that both break down at once are alike and prove nothing."""
    outcomes = schedule.first(suite, Mode.BASELINE).outcomes
    assert outcomes[EXIT] in ("exit status 0", "exit status 1")
    broken = ("not run", "collection error", "the run ended", "no outcome")
    _expect_none(
        [f"{t}: {o}" for t, o in outcomes.items() if o.startswith(broken)], "broken baseline:"
    )
    assert "passed" in outcomes.values()
    listed = [] if schedule.settings.whole else suite.listed()
    gone = [test for test in listed if test not in outcomes]
    _expect_none(gone, "listed, but not there (choose.py makes a new list):")


@pytest.mark.parametrize("mode", [Mode.CONNECTOR, Mode.RECORDING], ids=lambda mode: mode.value)
def test_connector_in_every_process(suite, mode, schedule):
    run = schedule.first(suite, mode)
    problems = lacking_proof(run.processes, run.witnesses, run.main, suite.beyond_reach)
    _expect_none(problems, "the connector was not everywhere:")


@pytest.mark.parametrize("mode", [Mode.BASELINE, Mode.LYING], ids=lambda mode: mode.value)
def test_connector_in_no_process(suite, mode, schedule):
    run = schedule.first(suite, mode)
    problems = unwanted(run.processes, run.witnesses, plugin_on_path=mode is Mode.LYING)
    _expect_none(problems, "the connector was where it should not be:")
    if mode is Mode.LYING and suite.probes_plugins:
        assert any(process.connector for process in run.processes), "nobody tried the lying plugin"


def test_trace_is_whole(suite, schedule, summaries):
    trace = schedule.first(suite, Mode.RECORDING).trace
    _expect_none(trace["problems"], "the trace is not whole:")
    assert trace["records"] > 0
    assert trace["uncredited"] <= trace["bytes"] / 100
    summaries.append(
        f"{suite.name}: {trace['records']} records, {trace['bytes']} bytes moved, of which "
        f"{trace['uncredited']} are not credited to an object"
    )


def _expect_none(lines, title):
    if lines:
        rest = [f"… and {len(lines) - NAMED} more"] if len(lines) > NAMED else []
        pytest.fail("\n".join([title, *lines[:NAMED], *rest]), pytrace=False)
