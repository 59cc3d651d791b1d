"""Six applications give the same on carved data as they gave on all of it."""

import json
import os
import sys
from pathlib import Path

import pytest
from running import clean_environment

from cli import QUARRY, REPOSITORY

sys.path.insert(0, str(REPOSITORY / "examples/carving"))
from applications import APPLICATIONS, Application

# Of the original, at the size for tests; what is below 64 KiB is kept unread.
AT_MOST = {
    "particle_filter": 0.6,
    "feature_database": 0.45,
    "kriging_omi": 0.15,
    "kriging_viirs": 0.3,
    "tree_mortality": 0.8,
    "kelp_forest": 0.65,
}


@pytest.fixture(params=APPLICATIONS)
def application(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Application:
    for name in os.environ.keys() - clean_environment().keys():
        monkeypatch.delenv(name)
    return Application(request.param, tmp_path / request.param, "tiny", QUARRY)


def test_an_application_does_the_same_on_carved_data(application: Application) -> None:
    plain, traced = application.run(), application.traced()
    assert (traced.output, traced.result) == (plain.output, plain.result)
    assert not [
        file for file in json.loads(application.carve("--json"))["files"] if file["why_whole"]
    ]
    before, after = application.bytes_before_and_after()
    assert after < AT_MOST[application.name] * before
    again = application.on_carved()
    assert (again.output, again.result) == (plain.output, plain.result)
