"""The client part of the official suite, played by Conductor's host in both eras.

The suite plays all scenarios of a revision at once, in one process; each has a test of its own here.

Left out: `sep-2640-client-*` (skills over MCP, an extension that the host does not ask for), and of `auth/*`
what Conductor does not have: a public address that says who it is (`basic-cimd`, a warning), and sign-ins without
a user (`client-credentials-*`, `enterprise-managed-authorization`, `dpop*`, `wif-jwt-bearer`: extensions).
"""

import re
import subprocess
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from tests.conformance.client import playing_scenarios
from tests.conformance.served import NODE, SUITE
from tests.support.running import REPOSITORY, short_home

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


SIGNED_IN = (
    "metadata-default", "metadata-var1", "metadata-var2", "metadata-var3", "scope-from-www-authenticate",
    "scope-from-scopes-supported", "scope-omitted-when-undefined", "scope-step-up", "scope-retry-limit",
    "token-endpoint-auth-basic", "token-endpoint-auth-post", "token-endpoint-auth-none",
    "pre-registration",
)  # fmt: skip
SIGNED_IN_SINCE_2026 = (
    "resource-mismatch", "offline-access-scope", "offline-access-not-supported", "authorization-server-migration",
    "iss-supported", "iss-not-advertised", "iss-supported-missing", "iss-wrong-issuer", "iss-unexpected",
    "iss-normalized", "metadata-issuer-mismatch",
)  # fmt: skip
SIGN_INS = {
    "2025-03-26": ("2025-03-26-oauth-metadata-backcompat", "2025-03-26-oauth-endpoint-fallback"),
    "2025-11-25": SIGNED_IN,
    "2026-07-28": (*SIGNED_IN, *SIGNED_IN_SINCE_2026),
}
SUITES = {"2025-03-26": "backcompat"}
LINE = re.compile(r"^[✓✗] (\S+): (.*)$", re.MULTILINE)


@dataclass
class Totals:
    """What the suite printed about a revision."""

    shown: str
    totals: dict[str, str]
    """How many checks of each scenario passed and failed, with the warnings if there were any."""

    def of(self, scenario: str) -> str:
        return self.totals.get(scenario) or f"{scenario} was not played: {self.shown[-3000:]}"


@pytest.fixture(scope="module")
def client() -> Generator[str]:
    """Return the command that plays a scenario."""
    with short_home() as folder, playing_scenarios(folder) as command:
        yield command


@pytest.fixture(scope="module")
def totals(client: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Totals]:
    """Return a function that plays a revision once and returns the totals of its scenarios."""

    @cache
    def play(version: str) -> Totals:
        shown = played(client, version, tmp_path_factory.mktemp(version))
        return Totals(shown, dict(LINE.findall(shown)))

    return play


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("version", "scenario", "checks"),
    [
        (version, scenario, checks)
        for version, scenarios in PASSED.items()
        for scenario, checks in scenarios.items()
    ],
)
def test_a_scenario_for_clients_is_passed(
    totals: Callable[[str], Totals], version: str, scenario: str, checks: int
):
    assert totals(version).of(scenario) == f"{checks} passed, 0 failed"


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("version", "scenario"),
    [(version, scenario) for version, scenarios in SIGN_INS.items() for scenario in scenarios],
)
def test_a_scenario_of_a_sign_in_is_passed(
    totals: Callable[[str], Totals], version: str, scenario: str
):
    found = totals(version).of(f"auth/{scenario}")
    assert re.fullmatch(r"[1-9]\d* passed, 0 failed", found), found


def played(client: str, version: str, folder: Path) -> str:
    """Run all scenarios of a revision with a command for the client; return the suite's output."""
    return subprocess.run(
        [
            *(NODE if NODE.exists() else "node", SUITE, "client"),
            *("--command", client),
            *("--suite", SUITES.get(version, "all"), "--spec-version", version),
            *("--timeout", "90000", "--output-dir", folder),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=170,
        cwd=REPOSITORY,
    ).stdout
