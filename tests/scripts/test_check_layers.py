"""Plants violations of the layering in a tree and sees that each is found, and nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).parents[2] / "scripts/check-layers"


def check(tree, path, text):
    file = tree / path
    file.parent.mkdir(parents=True)
    file.write_text(text)
    done = subprocess.run(
        [sys.executable, CHECK, tree], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("src/base/file.cpp", '#include "model/plan.hpp"'),
        ("src/model/plan.hpp", '#include "hdf5/api.hpp"'),
        ("src/trace/writer.cpp", '#include "storage/file/read.hpp"'),
        ("src/engine/fetch.cpp", '#include "carve/plan.hpp"'),
        ("src/carve/apply.cpp", '#include "optimize/plan.hpp"'),
        ("src/carve/apply.cpp", '#include "../optimize/plan.hpp"'),
        ("src/launch/run.cpp", '  #  include "connector/library.hpp"'),
        ("src/report/html.cpp", '#include "base/text.hpp"'),
        ("cli/run.cpp", '#include "launch/exec.hpp"'),
        ("python/module.cpp", '#include "model/plan.hpp"'),
        ("include/quarry/run.hpp", '#include "model/plan.hpp"'),
        ("src/model/plan.cpp", "auto id = H5Fopen(name, 0, 0);"),
        ("cli/doctor.cpp", "#include <hdf5.h>"),
        ("include/quarry/run.hpp", "H5VL_class_t* connector();"),
        ("src/base/text.cpp", 'auto s = R"x(// ")x"; H5open();'),
        ("src/base/text.cpp", "int n = 1'000; H5open(); int m = 2'000;"),
    ],
)
def test_violation_is_found(tmp_path, path, line):
    status, output = check(tmp_path, path, f"\n{line}\n")
    assert status == 1
    assert output.startswith(f"{path}:2: ")
    assert len(output.splitlines()) == 1


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("src/base/file.cpp", '#include "base/file.hpp"'),
        ("src/base/file.cpp", "#include <quarry/result.hpp>"),
        ("src/engine/fetch.cpp", '#include "storage/file/read.hpp"'),
        ("src/launch/run.cpp", '#include "hdf5/probe.hpp"'),
        ("src/report/html.cpp", '#include "model/graph.hpp"'),
        ("src/hdf5/api.cpp", "H5open();"),
        ("connector/plugin.cpp", "H5VL_class_t c;  // any layer\n#include <engine/fetch.hpp>"),
        ("cli/run.cpp", "#include <quarry/launch.hpp>\n#include <CLI/CLI.hpp>"),
        ("src/model/plan.cpp", '// H5Fopen\n/* H5Fopen\nH5Fopen */ auto s = "H5Fopen";'),
        ("src/model/plan.cpp", 'auto s = R"x(\nH5Fopen " \n)x";'),
    ],
)
def test_what_is_allowed_is_not_reported(tmp_path, path, line):
    assert check(tmp_path, path, line)[0] == 0


def test_folder_without_a_layer(tmp_path):
    status, output = check(tmp_path, "src/novel/x.cpp", "")
    assert status == 1
    assert "src/novel: no layer is known" in output
