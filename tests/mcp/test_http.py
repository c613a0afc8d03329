"""HTTP for agents: off by default, on loopback only, and only with the token."""

import http.client
import json
import socket
import stat
import subprocess
import sys
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
from tests.tools.terminal import at_terminal
from tests.tools.test_penetration import audited

from conductor.domain.settings import LlmMcp
from conductor.mcp.server.http import HttpToken
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
        async with httpx2.AsyncClient(headers=headers, timeout=30) as web:
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


OTHER = """
import http.client, json, sys
port, token, era = int(sys.argv[1]), sys.argv[2], sys.argv[3]
web = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
info = {"name": "mcp", "version": "1"}
session = {}

def ask(method, params, name=None):
    headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json",
               "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": era,
               "Mcp-Method": method, **session, **({"Mcp-Name": name} if name else {})}
    if era == "2026-07-28":
        key = "io.modelcontextprotocol/"
        able = {"extensions": {key + "tasks": {}}}
        params = {**params, "_meta": {key + "protocolVersion": era, key + "clientInfo": info,
                                      key + "clientCapabilities": able}}
    body = {"jsonrpc": "2.0", "method": method, "params": params}
    if not method.startswith("notifications/"):
        body["id"] = 1
    web.request("POST", "/mcp", json.dumps(body), headers)
    answer = web.getresponse()
    if answer.getheader("mcp-session-id"):
        session["Mcp-Session-Id"] = answer.getheader("mcp-session-id")
    text = answer.read().decode()
    lines = [line[5:] for line in text.splitlines() if line.startswith("data:") and line[5:].strip()]
    return json.loads((lines or [text or "null"])[-1])

if era != "2026-07-28":
    ask("initialize", {"protocolVersion": era, "capabilities": {}, "clientInfo": info})
    ask("notifications/initialized", {})
for line in sys.stdin:
    method, params, name = json.loads(line)
    print(json.dumps(ask(method, params, name)), flush=True)
"""
"""A client in a process of its own: it reads requests from standard input, and writes the answers."""


class OtherProcess:
    """A client in another process that gives the same name as every other."""

    def __init__(self, folder: Path, port: int, token: str, era: str) -> None:
        script = folder / "other.py"
        script.write_text(OTHER)
        self._process = subprocess.Popen(
            [sys.executable, str(script), str(port), token, era],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> "OtherProcess":
        return self

    def __exit__(self, *_: object) -> None:
        with self._process:
            assert self._process.stdin is not None
            self._process.stdin.close()

    def ask(self, method: str, params: dict[str, Any], name: str | None = None) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([method, params, name]), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.ask("tools/call", {"name": tool, "arguments": arguments}, tool)["result"]


@pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])
def test_another_process_that_gives_the_same_name_over_http_has_no_part_in_a_plan(
    conductor: RunningConductor, port: int, token: str, era: str, tmp_path: Path
):
    (tmp_path / "second").mkdir()
    with (
        OtherProcess(tmp_path, port, token, era) as agent,
        OtherProcess(tmp_path / "second", port, token, era) as other,
    ):
        plan = agent.call("conductor_create_mode", name=f"Keys {era}")["structuredContent"]
        assert plan["requested_by"]["client"] == "mcp"
        plan_id = plan["plan_id"]
        for tool in ("conductor_get_plan", "conductor_apply_plan"):
            refused = other.call(tool, plan_id=plan_id)
            assert "proposed by another program" in refused["content"][0]["text"]
        assert other.call("conductor_list_plans")["structuredContent"]["plans"] == []
        assert len(agent.call("conductor_list_plans")["structuredContent"]["plans"]) == 1
        at_terminal(conductor, "plans", "approve", plan_id, "--yes")
        applied = agent.call("conductor_apply_plan", plan_id=plan_id)
        assert applied["structuredContent"]["status"] == "applied"


def test_another_process_that_gives_the_same_name_over_http_does_not_see_a_task(
    conductor: RunningConductor, port: int, token: str, tmp_path: Path
):
    (tmp_path / "second").mkdir()
    with (
        OtherProcess(tmp_path, port, token, "2026-07-28") as agent,
        OtherProcess(tmp_path / "second", port, token, "2026-07-28") as other,
    ):
        plan = agent.call("conductor_create_mode", name="Later")["structuredContent"]
        task_id = agent.call("conductor_apply_plan", plan_id=plan["plan_id"])["taskId"]
        refused = other.ask("tasks/get", {"taskId": task_id}, task_id)
        assert "Task not found" in refused["error"]["message"]
        assert agent.ask("tasks/get", {"taskId": task_id}, task_id)["result"]["status"] == "working"


def test_it_is_open_only_while_the_config_says_so():
    port, other = free_port(), free_port()
    text = "[llm.mcp]\nhttp_enabled = true\nhttp_port = {}\n"
    with running_conductor("", environment=WITHOUT_PARTS) as conductor:
        assert not (conductor.home / "mcp-token").exists()
        conductor.write_config(text.format(port))
        wait_for(lambda: answers(port), bool)
        token = (conductor.home / "mcp-token").read_text()
        assert status(port, Authorization=f"Bearer {token}") == (200, None)
        conductor.write_config(text.format(other))
        wait_for(lambda: answers(other) and not answers(port), bool)
        conductor.write_config("[[modes]]\nname = 'Default'\n")
        wait_for(lambda: not answers(other), bool)


def test_another_variable_for_the_token_applies_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("FIRST", "first-token-of-agents")
    monkeypatch.setenv("SECOND", "second-token-of-agents")
    settings = LlmMcp(auth_token_env="FIRST")
    token = HttpToken(lambda: settings, tmp_path)
    assert token.is_sent_in(b"Bearer first-token-of-agents")
    settings = LlmMcp(auth_token_env="SECOND")
    assert token.is_sent_in(b"Bearer second-token-of-agents")
    assert not token.is_sent_in(b"Bearer first-token-of-agents")
    settings = LlmMcp()
    assert not token.is_sent_in(b"Bearer second-token-of-agents")
    assert token.is_sent_in(f"Bearer {(tmp_path / 'mcp-token').read_text()}".encode())


def test_a_token_that_is_too_short_keeps_it_closed_and_says_so():
    port = free_port()
    text = f"[llm.mcp]\nhttp_enabled = true\nhttp_port = {port}\nauth_token_env = 'AGENTS'\n"
    with running_conductor(text, environment={**WITHOUT_PARTS, "AGENTS": "short"}) as conductor:
        seen = conductor.wait_status(lambda status: status["notices"])
        assert any("$AGENTS must contain a token" in notice for notice in seen["notices"])
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
            assert any("llm.mcp.http_port" in problem for problem in seen["problems"])
            taken.close()
            conductor.write_config(f"{text}# saved again\n")
            wait_for(lambda: answers(port), bool)
