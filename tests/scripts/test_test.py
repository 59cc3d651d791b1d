"""The count at the end of scripts/test, over stages that pass, fail, skip, break or run nothing."""

import importlib.util
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts/test"


@pytest.fixture
def script(tmp_path, monkeypatch):
    loader = SourceFileLoader("quarry_test_script", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    monkeypatch.setitem(sys.modules, loader.name, module)
    loader.exec_module(module)
    monkeypatch.setattr(module, "TREE", tmp_path)
    monkeypatch.setattr(module, "LOGS", tmp_path / "logs")
    return module


def main(script, monkeypatch, capsys, stages, *arguments):
    monkeypatch.setattr(script, "STAGES", [script.Stage(*stage) for stage in stages])
    monkeypatch.setattr(sys, "argv", ["test", *arguments])
    status = script.main()
    return status, capsys.readouterr().out.splitlines()


def junit(*cases):
    body = "".join(f"<testcase>{case}</testcase>" for case in cases)
    return f"echo '<testsuite>{body}</testsuite>' >$JUNIT"


def test_counts_are_added_up(script, monkeypatch, capsys):
    stages = [
        ("a", junit("", "<skipped/>")),
        ("b", junit("", "<failure/>", "<error/>") + "; exit 1"),
    ]
    status, lines = main(script, monkeypatch, capsys, stages)
    assert (status, lines[-1]) == (1, "2 passed, 2 failed, 1 skipped")


def test_all_is_well(script, monkeypatch, capsys):
    status, lines = main(script, monkeypatch, capsys, [("a", junit("", ""))])
    assert (status, lines[-1]) == (0, "2 passed, 0 failed, 0 skipped")


@pytest.mark.parametrize("command", ["echo why; exit 3", "true", junit()])
def test_a_broken_or_empty_stage_is_a_failure_and_the_next_runs(
    script, monkeypatch, capsys, command
):
    status, lines = main(script, monkeypatch, capsys, [("a", command), ("b", junit(""))])
    assert (status, lines[-1]) == (1, "1 passed, 1 failed, 0 skipped")


def test_a_failure_beside_the_tests_counts(script, monkeypatch, capsys):
    status, lines = main(script, monkeypatch, capsys, [("a", junit("") + "; echo why; exit 1")])
    assert (status, lines[-1]) == (1, "1 passed, 1 failed, 0 skipped")
    assert "    why" in lines


def test_slow_stages_run_with_all_only(script, monkeypatch, capsys):
    stages = [("quick", junit("")), ("slow", junit(""), True)]
    assert main(script, monkeypatch, capsys, stages)[1][-1].startswith("1 passed")
    assert main(script, monkeypatch, capsys, stages, "--all")[1][-1].startswith("2 passed")
