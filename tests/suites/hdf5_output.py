"""Reads what HDF5's own h5_api_test prints: a map from test to outcome."""

import re

SECTION = re.compile(r"^\* +(API .*? Tests) +\*$")
TEST = re.compile(r"^(  )?Testing (.*)$")
OUTCOME = re.compile(r"^(.*?)( PASSED|\*FAILED\*| -SKIP-)$")
WORDS = {" PASSED": "passed", "*FAILED*": "failed", " -SKIP-": "skipped"}


class Ids:
    """Gives a name that occurs again a number, so that no outcome hides another."""

    def __init__(self):
        self.outcomes: dict[str, str] = {}

    def add(self, name: str, outcome: str) -> str:
        unique, number = name, 2
        while unique in self.outcomes:
            unique, number = f"{name} #{number}", number + 1
        self.outcomes[unique] = outcome
        return unique


def read_outcomes(text: str) -> dict[str, str]:
    """From lines `Testing X … PASSED`, with the parts of a test indented below its title."""
    ids = Ids()
    section = test = current = ""
    open_end = False  # the current test has not said how it went
    explained = ""  # a test that failed or was skipped: the next line may say why
    for line in text.splitlines():
        if explained and line.startswith("    ") and line.strip():
            ids.outcomes[explained] += ": " + line.strip()
        explained = ""
        if heading := SECTION.match(line):
            section = current = heading[1]
            continue
        outcome = OUTCOME.match(line)
        if started := TEST.match(outcome[1] if outcome else line):
            is_part, name = started[1], started[2].strip()
            test = test if is_part else f"{section}: {name}"
            current = f"{test} / {name}" if is_part else test
            open_end = True
        if outcome:
            unique = ids.add(current, WORDS[outcome[2]])
            explained = "" if outcome[2] == " PASSED" else unique
            open_end = False
    # A test in parts has no outcome of its own, so an open end means something only at the very end.
    if open_end:
        ids.add(current, "no outcome")
    return ids.outcomes
