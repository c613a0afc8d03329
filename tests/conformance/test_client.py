"""The client part of the official suite, played by Conductor's host in both eras.

Left out, because the host has nothing to do with them: `auth/*` (OAuth: a server at an address gets the
headers that the user typed) and `sep-2640-client-*` (skills over MCP, an extension that the host does not ask for).
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conformance.served import NODE, SUITE
from tests.support.running import REPOSITORY

PASSED = {
    "2025-11-25": {
        "initialize": 1,
        "tools_call": 2,
        "elicitation-sep1034-client-defaults": 5,
        "sse-retry": 3,
        "json-schema-2020-12-preservation": 9,
    },
    "2026-07-28": {
        "tools_call": 2,
        "request-metadata": 6,
        "sep-2322-client-request-state": 5,
        "http-standard-headers": 10,
        "http-custom-headers": 18,
        "http-invalid-tool-headers": 12,
        "json-schema-ref-no-deref": 1,
        "json-schema-2020-12-preservation": 9,
    },
}
"""Checks that each scenario has, all of them passed, as the MCP library's own client does."""


@pytest.mark.parametrize(
    ("version", "scenario", "checks"),
    [
        (version, scenario, checks)
        for version, scenarios in PASSED.items()
        for scenario, checks in scenarios.items()
    ],
)
def test_a_scenario_for_clients_is_passed(version: str, scenario: str, checks: int, tmp_path: Path):
    played = subprocess.run(
        [
            *(NODE if NODE.exists() else "node", SUITE, "client"),
            *("--command", f"{sys.executable} -m tests.conformance.client"),
            *("--scenario", scenario, "--spec-version", version),
            *("--timeout", "50000", "--output-dir", tmp_path),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=55,
        cwd=REPOSITORY,
    )
    assert re.findall(r"Passed: (\d+)/(\d+), (\d+) failed", played.stdout) == [
        (str(checks), str(checks), "0")
    ], played.stdout[-3000:]
