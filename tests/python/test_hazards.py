"""Every hazard of HDF5 that the connector meets so far has a test that fails without its handling."""

import ast
from pathlib import Path

# Numbers as in the notes on HDF5 that all tests refer to.
COVERED_HERE = {
    1: "two HDF5 libraries in one process",
    2: "is-accessible and delete come without an object",
    3: "HDF5 probes plugins that nobody has selected",
    4: "the handshake after an open, optional operations",
    5: "deprecated calls look at the terminal connector",
    6: "the driver, errno and messages that h5py maps",
    7: "vector and selection callbacks switch HDF5 to another way of reading",
    8: "files are closed after main has ended",
    9: "external links and virtual datasets are opened below the object layer",
    11: "the plugin path is appended to, never replaced",
    12: "fork",
    20: "object times differ from run to run",
}
COVERED_ELSEWHERE = {
    10: "tests/connector and src/model: the connector string",
    14: "test_exit.py counts threads: there are none to call HDF5 from",
    15: "bench: instructions per open, read and close",
    17: "test_cli_doctor.py, test_cli_run.py, tests/faults: HDF5 that cannot be bound",
}
OF_LATER_PARTS = {
    13: "filter masks: reading chunks without HDF5",
    16: "metadata of unknown kind: tracing",
    18: "redirected names: carving",
    19: "sparse mappings: tracing",
    21: "wrong data: caching",
}


def marked_hazards() -> set[int]:
    found = set()
    for file in Path(__file__).parent.glob("test_*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "hazard":
                found |= {argument.value for argument in node.args}
    return found


def test_every_hazard_has_its_test():
    assert marked_hazards() == set(COVERED_HERE)


def test_no_hazard_is_forgotten():
    assert sorted(COVERED_HERE | COVERED_ELSEWHERE | OF_LATER_PARTS) == list(range(1, 22))
