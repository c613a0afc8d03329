"""The official conformance suite, played against a running Conductor with its own tools.

What it cannot pass is what the suite tests with tools, prompts and resources that only its own server has. The
same checks pass on our HTTP server with the suite's server behind it (`test_suite.py`).
"""

import json
import re
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.conformance.served import play
from tests.conformance.test_suite import totals
from tests.conformance.token_proxy import token_proxy
from tests.mcp.test_http import answers, free_port
from tests.support.running import running_conductor, wait_for

WITHOUT_PARTS = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}
IN_BOTH_ERAS = (
    "json-schema-2020-12-tool-found",
    "prompts-get-embedded-resource",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-with-image",
    "resources-read-binary",
    "resources-read-text",
    "resources-templates-read",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-error",
    "tools-call-image",
    "tools-call-mixed-content",
    "tools-call-simple-text",
    "tools-call-with-progress",
)
"""Each calls a tool `test_...`, or reads a prompt or resource, of the suite's server."""
OF_THE_HANDSHAKE = (
    "elicitation-sep1034-general",
    "elicitation-sep1330-general",
    "tools-call-elicitation",
    "tools-call-sampling",
    "tools-call-with-logging",
)
"""Each calls a tool of the suite's server that asks the client something while it runs."""
MODERN = (
    "sep-2243-server-decode-base64",
    "sep-2243-server-no-xmcp-tool",
    "sep-2243-server-reject-invalid-param-chars",
    "sep-2243-server-reject-param-mismatch",
    "sep-2243-server-validate-param-match",
    "sep-2322-elicitation-incomplete",
    "sep-2322-list-roots-incomplete",
    "sep-2322-multi-round-r1",
    "sep-2322-multiple-inputs-incomplete",
    "sep-2322-non-tool-incomplete",
    "sep-2322-reject-tampered-state",
    "sep-2322-request-state-incomplete",
    "sep-2322-respect-client-capabilities",
    "sep-2322-result-type-included",
    "sep-2322-sampling-incomplete",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-missing-capability-http-400",
    "sep-2575-server-no-log-without-loglevel",
    "sep-2575-server-rejects-undeclared-capability",
)
"""Each needs a tool of the suite's server: one that asks by its result, has header annotations, or logs."""
PASSED = {"2025-11-25": 47, "2026-07-28": 96}
NOT_THERE = re.compile(
    r"Unknown (tool|prompt): test_|Resource not found: test://|Tool 'json_schema_2020_12_tool' not found"
    r"|^Not testable: server (does not list the diagnostic tool|exposes no tool with x-mcp-header)"
    r"|^Prerequisite failed: could not get initial|^Expected InputRequiredResult with inputRequests"
)
"""Why each of them fails; the last two name no tool, but follow from its absence."""


@pytest.fixture(scope="module")
def url() -> Generator[str]:
    port = free_port()
    text = f"[[modes]]\nname = 'Default'\n\n[llm.mcp]\nhttp_enabled = true\nhttp_port = {port}\n"
    with running_conductor(text, environment=WITHOUT_PARTS) as running:
        wait_for(lambda: answers(port), bool)
        with token_proxy(port, (running.home / "mcp-token").read_text()) as proxy:
            yield f"http://127.0.0.1:{proxy}/mcp"


@pytest.mark.timeout(180)
@pytest.mark.parametrize(
    ("version", "needs_the_suites_server"),
    [("2025-11-25", OF_THE_HANDSHAKE), ("2026-07-28", MODERN)],
)
def test_conductor_passes_all_that_does_not_need_the_suites_own_server(
    url: str, version: str, needs_the_suites_server: tuple[str, ...], tmp_path: Path
):
    played = play(["--url", url, "--suite", "all", "--spec-version", version], tmp_path)

    results = sorted(tmp_path.rglob("checks.json"))
    checks = [check for result in results for check in json.loads(result.read_text())]
    failed = {
        check["id"]: check.get("errorMessage", "")
        for check in checks
        if check["status"] == "FAILURE"
    }
    assert failed.keys() == {*IN_BOTH_ERAS, *needs_the_suites_server}
    assert {name: why for name, why in failed.items() if not NOT_THERE.search(why)} == {}
    assert totals(played) == (PASSED[version], len(failed))
