"""A pytest plugin for the suites under test: selects tests and writes down what became of each.

Every line is written at once, so that a crash leaves all that went before it:
    {"pid": 1}                                  this process
    {"collected": ["a.py::b", …]}               what will be run, in this order
    {"started": "a.py::b"}
    {"finished": "a.py::b", "outcome": "passed", "seconds": 0.1}
"""

import json
import os
import random
import zlib

import pytest


def pytest_addoption(parser):
    parser.addoption("--outcomes", help="file to write the outcomes into")
    parser.addoption("--only", help="file with the ids of the tests to run, one per line")


def pytest_configure(config):
    path = config.getoption("--outcomes")
    if path:
        config.pluginmanager.register(Outcomes(path, config.getoption("--only")))


class Outcomes:
    def __init__(self, path, only):
        self.file = open(path, "w")  # noqa: SIM115  (until the process ends, however it ends)
        self.only = only
        self.parts = []
        self.seconds = 0.0
        self.write(pid=os.getpid())

    def write(self, **record):
        self.file.write(json.dumps(record) + "\n")
        self.file.flush()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        if self.only:
            with open(self.only) as file:
                wanted = set(file.read().split("\n"))
            deselected = [item for item in items if item.nodeid not in wanted]
            items[:] = [item for item in items if item.nodeid in wanted]
            config.hook.pytest_deselected(items=deselected)
        self.write(collected=[item.nodeid for item in items])

    def pytest_collectreport(self, report):
        # A module that cannot be imported, or skips itself as a whole, has no tests to report it.
        if not report.passed:
            self.write(
                finished=report.nodeid, outcome="collection " + describe(report), seconds=0.0
            )

    def pytest_runtest_logstart(self, nodeid):
        self.parts = []
        self.seconds = 0.0
        self.write(started=nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item):
        seed = zlib.crc32(item.nodeid.encode())
        random.seed(seed)
        try:
            import numpy
        except ImportError:
            return
        numpy.random.seed(seed)

    def pytest_runtest_logreport(self, report):
        self.seconds += report.duration
        if not report.passed or hasattr(report, "wasxfail"):
            self.parts.append(describe(report))
        self.parts += [line for line in report.capstderr.split("\n") if line.startswith("quarry: ")]

    def pytest_runtest_logfinish(self, nodeid):
        outcome = "; ".join(dict.fromkeys(self.parts)) or "passed"
        self.write(finished=nodeid, outcome=outcome, seconds=round(self.seconds, 3))


def describe(report):
    if hasattr(report, "wasxfail"):
        return f"{'xpassed' if report.passed else 'xfailed'}: {report.wasxfail}"
    if report.skipped:
        return f"skipped: {skip_reason(report.longrepr)}"
    word = "failed" if report.when == "call" else f"error in {report.when}"
    return f"{word}: {first_line(report.longrepr)}"


def skip_reason(longrepr):
    return longrepr[2] if isinstance(longrepr, tuple) else str(longrepr)


def first_line(longrepr):
    crash = getattr(longrepr, "reprcrash", None)
    text = crash.message if crash else str(longrepr)
    return text.strip().partition("\n")[0]
