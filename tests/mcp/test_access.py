"""`llm.mcp.enabled = false`: outside agents are refused over every transport; the user's commands still work."""

import json
import socket
from collections.abc import Generator
from typing import Any

import anyio
import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client
from tests.mcp.clients import CONFIG, ERAS, WAYS, WITHOUT_PARTS, Era, Way, text_of, with_client
from tests.mcp.test_http import answers, free_port
from tests.mcp.test_socket_server import SEED_LINE, Line
from tests.support.running import RunningConductor, running_conductor, wait_for

from mcp import Client, MCPError

SETTING = "`llm.mcp.enabled` is false"
NOT_ALLOWED = -32007


class Access:
    """A running Conductor whose config file enables and disables agents."""

    def __init__(self, conductor: RunningConductor, port: int) -> None:
        self.conductor = conductor
        self.port = port

    def set(self, *, enabled: bool) -> None:
        """Save the config, and wait until it takes effect."""
        self.conductor.write_config(text(self.port, enabled=enabled))
        wait_for(self.ask_bare, lambda answer: ("result" in answer) is enabled)

    def ask_bare(self, line: str = SEED_LINE) -> dict[str, Any]:
        with Line(self.conductor.home / "mcp.sock") as connection:
            return connection.ask(line)


def text(port: int, *, enabled: bool) -> str:
    return (
        f"{CONFIG}\n[llm.mcp]\nenabled = {str(enabled).lower()}\n"
        f"http_enabled = true\nhttp_port = {port}\n"
    )


@pytest.fixture(scope="module")
def access() -> Generator[Access]:
    port = free_port()
    with running_conductor(text(port, enabled=True), environment=WITHOUT_PARTS) as conductor:
        wait_for(lambda: answers(port), bool)
        yield Access(conductor, port)


@pytest.fixture
def closed(access: Access) -> Generator[Access]:
    access.set(enabled=False)
    yield access
    access.set(enabled=True)


def test_a_bare_line_of_another_program_is_refused_and_audited(closed: Access):
    error = closed.ask_bare()["error"]
    assert error["code"] == NOT_ALLOWED
    assert SETTING in error["message"]

    def rows() -> list[tuple[str, str]]:
        found = json.loads(closed.conductor.cli("audit", "--json", "--limit", "20").stdout)
        return [(row["tool"], row["outcome"]) for row in found]

    wait_for(rows, lambda seen: ("conductor_get_status", "not_allowed") in seen)


def test_the_users_own_commands_still_work(closed: Access):
    status = closed.conductor.cli("status", "--json")
    assert status.returncode == 0, status.stderr
    assert json.loads(status.stdout)["daemon_running"] is True
    switched = closed.conductor.cli("mode", "Drums")
    assert switched.returncode == 0, switched.stderr
    called = closed.conductor.cli("tools", "call", "conductor_list_modes")
    assert called.returncode == 0, called.stderr


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("era", ERAS)
def test_an_agent_that_connects_is_refused(closed: Access, era: Era, way: Way):
    async def work(client: Client) -> None:
        await client.list_tools()

    with pytest.raises(BaseException) as refused:  # noqa: PT011 -- a group around it, of the library's
        with_client(closed.conductor, work, era=era, way=way)
    assert SETTING in str(_innermost(refused.value))


@pytest.mark.parametrize("era", ERAS)
def test_a_connected_agent_is_refused_after_one_reload_and_served_after_another(
    access: Access, era: Era
):
    async def work(client: Client) -> None:
        assert not (await client.call_tool("conductor_list_modes", {})).is_error
        access.set(enabled=False)
        refused = await client.call_tool("conductor_list_modes", {})
        assert refused.is_error
        assert SETTING in text_of(refused)
        for asked in (client.read_resource("conductor://config"), client.list_tools()):
            with pytest.raises(MCPError) as no:
                await asked
            assert no.value.code == NOT_ALLOWED
            assert SETTING in no.value.message
        access.set(enabled=True)
        assert not (await client.call_tool("conductor_list_modes", {})).is_error

    try:
        with_client(access.conductor, work, era=era)
    finally:
        access.set(enabled=True)


@pytest.mark.parametrize("era", ERAS)
def test_an_agent_over_http_is_refused(closed: Access, era: Era):
    token = (closed.conductor.home / "mcp-token").read_text()

    async def connect() -> None:
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers) as http:
            target = streamable_http_client(f"http://127.0.0.1:{closed.port}/mcp", http_client=http)
            async with Client(target, mode=era) as client:
                await client.list_tools()

    with pytest.raises(BaseException) as refused:  # noqa: PT011 -- a group around it, of the library's
        anyio.run(connect)
    assert SETTING in str(_innermost(refused.value))


def test_a_watcher_of_another_program_is_cut_off(access: Access):
    watch = '{"jsonrpc":"2.0","id":1,"method":"conductor_monitor"}'
    with Line(access.conductor.home / "mcp.sock") as watcher:
        assert "result" in watcher.ask(watch)
        try:
            access.set(enabled=False)
            assert SETTING in access.ask_bare(watch)["error"]["message"]
            while _read(watcher.socket):
                pass
        finally:
            access.set(enabled=True)


def _read(connection: socket.socket) -> bytes:
    return connection.recv(65_536)


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
