"""HTTP for agents: off by default, on loopback only, and only with the token."""

import http.client
import json
import socket
import stat
from collections.abc import Generator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import mcp_types as types
import pytest
from mcp.client.streamable_http import streamable_http_client
from tests.mcp.clients import ERAS, Era
from tests.support.running import RunningConductor, running_conductor, wait_for
from tests.tools.test_penetration import audited

from mcp import Client

WITHOUT_PARTS = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def conductor(port: int) -> Generator[RunningConductor]:
    text = f"[[modes]]\nname = 'Default'\n\n[llm.mcp]\nhttp_enabled = true\nhttp_port = {port}\n"
    with running_conductor(text, environment=WITHOUT_PARTS) as running:
        wait_for(lambda: answers(port), bool)
        yield running


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def token(conductor: RunningConductor) -> str:
    return (conductor.home / "mcp-token").read_text()


def status(port: int, **headers: str) -> tuple[int, str | None]:
    """Send a request; return its status and its `WWW-Authenticate` header."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    body = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            },
        }
    )
    usual = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    try:
        connection.request("POST", "/mcp", body, {**usual, **headers})
        response = connection.getresponse()
        response.read(1)
        return response.status, response.headers.get("WWW-Authenticate")
    finally:
        connection.close()


def test_the_token_is_in_a_file_that_only_the_owner_can_read(conductor: RunningConductor):
    assert stat.S_IMODE((conductor.home / "mcp-token").stat().st_mode) == 0o600


def test_without_the_token_nothing_is_answered(conductor: RunningConductor, port: int):
    assert status(port) == (401, "Bearer")
    assert status(port, Authorization="Bearer wrong") == (401, "Bearer")
    assert status(port, Authorization="Bearer ") == (401, "Bearer")


def test_a_web_page_cannot_use_it_even_with_the_token(port: int, token: str):
    bearer = {"Authorization": f"Bearer {token}"}
    assert status(port, **bearer)[0] == 200
    assert status(port, **bearer, Host="evil.example")[0] == 421
    assert status(port, **bearer, Origin="https://evil.example")[0] == 403


def test_it_listens_on_this_computer_only(conductor: RunningConductor, port: int):
    listening = Path("/proc/net/tcp").read_text()
    assert f"0100007F:{port:04X}" in listening
    assert f"00000000:{port:04X}" not in listening


@pytest.mark.parametrize("era", ERAS)
def test_an_agent_works_over_http_but_is_never_asked_for_approval(
    conductor: RunningConductor, port: int, token: str, era: Era
):
    async def never(context: Any, params: Any) -> types.ElicitResult:
        raise AssertionError("a form was shown")

    async def run() -> None:
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers) as web:
            way = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=web)
            async with Client(way, mode=era, elicitation_callback=never) as client:
                answer = await client.call_tool("conductor_get_status", {})
                assert answer.structured_content is not None
                assert answer.structured_content["daemon_running"] is True
                plan = await client.call_tool("conductor_create_mode", {"name": "Keys"})
                assert plan.structured_content is not None
                assert plan.structured_content["requested_by"]["caller"] == "http"
                waits = await client.call_tool(
                    "conductor_apply_plan", {"plan_id": plan.structured_content["plan_id"]}
                )
                assert waits.structured_content is not None
                assert waits.structured_content["status"] == "pending"

    with anyio.from_thread.start_blocking_portal() as portal:
        portal.call(run)
    audited(conductor, "conductor_apply_plan", "not_approved")


def test_it_is_closed_unless_the_config_opens_it():
    with running_conductor("", environment=WITHOUT_PARTS) as conductor:
        assert not (conductor.home / "mcp-token").exists()


def test_a_token_that_is_too_short_keeps_it_closed_and_says_so():
    port = free_port()
    text = f"[llm.mcp]\nhttp_enabled = true\nhttp_port = {port}\nauth_token_env = 'AGENTS'\n"
    with running_conductor(text, environment={**WITHOUT_PARTS, "AGENTS": "short"}) as conductor:
        seen = conductor.wait_status(lambda status: status["notices"])
        assert any("$AGENTS must hold a token" in notice for notice in seen["notices"])
        assert not answers(port)


def test_a_port_that_is_taken_keeps_it_closed_and_says_so():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        text = f"[llm.mcp]\nhttp_enabled = true\nhttp_port = {port}\n"
        with running_conductor(text, environment=WITHOUT_PARTS) as conductor:
            seen = conductor.wait_status(lambda status: status["notices"])
            assert any("llm.mcp.http_port" in notice for notice in seen["notices"])
