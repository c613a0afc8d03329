"""The official conformance suite, played against our HTTP door with the suite's own tools behind it."""

import re
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.conformance.served import play, served

PASSED_BY_THE_LIBRARY = {"2025-11-25": 84, "2026-07-28": 152}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    with served("tests.conformance.serve", tmp_path_factory.mktemp("suite")) as address:
        yield address


@pytest.mark.timeout(180)
@pytest.mark.parametrize("version", PASSED_BY_THE_LIBRARY)
def test_every_scenario_that_the_library_passes_is_passed_on_our_door(
    url: str, version: str, tmp_path: Path
):
    arguments = ["--url", url, "--suite", "all", "--spec-version", version]
    played = play(arguments, tmp_path)
    wrong = [line for line in played.stdout.splitlines() if "✗" in line]
    assert played.returncode == 0, "\n".join([*wrong, played.stderr[-2000:]])
    totals = re.search(r"Total: (\d+) passed, (\d+) failed", played.stdout)
    assert totals is not None
    assert totals.groups() == (str(PASSED_BY_THE_LIBRARY[version]), "0")
