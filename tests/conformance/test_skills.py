"""The official conformance scenarios for skills over MCP (SEP-2640), played against Conductor's own server."""

import json
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.conformance.served import play, served

SCENARIOS = {"enumeration": 32, "directory": 7, "manifest": 6}
"""Each with its number of checks."""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    with served("tests.conformance.serve_skills", tmp_path_factory.mktemp("skills")) as address:
        yield address


@pytest.mark.timeout(300)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_check_of_a_skills_scenario_is_passed(url: str, scenario: str, tmp_path: Path):
    arguments = ["--url", url, "--scenario", f"sep-2640-skills-{scenario}", "--force"]
    played = play([*arguments, "--spec-version", "2026-07-28"], tmp_path)
    results = list(tmp_path.rglob("checks.json"))
    assert len(results) == 1, played.stdout + played.stderr
    checks = json.loads(results[0].read_text())
    bad = [(one["id"], one.get("errorMessage")) for one in checks if one["status"] != "SUCCESS"]
    assert bad == []
    assert len(checks) == SCENARIOS[scenario]
