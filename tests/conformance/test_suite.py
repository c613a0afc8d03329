"""The official conformance suite, played against our HTTP server with the suite's own tools behind it."""

import re
import subprocess
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.conformance.served import play, served

PASSED_BY_THE_LIBRARY = {"2025-11-25": 84, "2026-07-28": 152}
REQUIRED_AND_EXTENSIONS = 196
"""Checks of `--requirements 2026-07-28`, those of the tasks extension among them."""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    with served("tests.conformance.serve", tmp_path_factory.mktemp("suite")) as address:
        yield address


@pytest.mark.timeout(300)
@pytest.mark.parametrize("version", PASSED_BY_THE_LIBRARY)
def test_every_scenario_that_the_library_passes_is_passed_by_our_server(
    url: str, version: str, tmp_path: Path
):
    arguments = ["--url", url, "--suite", "all", "--spec-version", version]
    played = play(arguments, tmp_path)
    wrong = [line for line in played.stdout.splitlines() if "✗" in line]
    assert played.returncode == 0, "\n".join([*wrong, played.stderr[-2000:]])
    assert totals(played) == (PASSED_BY_THE_LIBRARY[version], 0)


@pytest.mark.timeout(300)
def test_all_that_the_newest_revision_requires_is_passed_and_so_are_its_extensions(
    url: str, tmp_path: Path
):
    played = play(["--url", url, "--requirements", "2026-07-28"], tmp_path)
    assert [line for line in played.stdout.splitlines() if "✗" in line] == []
    assert "13 scenario(s) run, 0 failing" in played.stdout
    assert totals(played) == (REQUIRED_AND_EXTENSIONS, 0)


def totals(played: "subprocess.CompletedProcess[str]") -> tuple[int, int]:
    found = re.search(r"Total: (\d+) passed, (\d+) failed", played.stdout)
    assert found is not None, played.stdout + played.stderr
    return int(found[1]), int(found[2])
