"""Repeated reads are answered without the MCP library, exactly as with it."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.mcp.test_socket_server import Line
from tests.support.running import RunningConductor, running_conductor, wait_for

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "Probe", "version": "1"},
}
VERSIONS = ("2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28")


@pytest.fixture(scope="module")
def conductor() -> Generator[RunningConductor]:
    environment = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}
    with running_conductor("[[modes]]\nname = 'Default'\n", environment=environment) as running:
        running.wait_for_device("virtual", "virtual")  # the list of devices is compared with itself
        yield running


@pytest.fixture
def path(conductor: RunningConductor) -> Path:
    return conductor.home / "mcp.sock"


def line(method: str, number: Any, params: dict[str, Any]) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


class Agent:
    def __init__(self, connection: Line, version: str) -> None:
        self.connection = connection
        self.meta = {"_meta": MODERN} if version == "2026-07-28" else {}
        if not self.meta:
            client = {"name": "Probe", "version": "1"}
            hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
            connection.ask(line("initialize", "hello", hello))
            connection.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')

    def call(self, number: Any, tool: str, **arguments: Any) -> dict[str, Any]:
        params = {"name": tool, "arguments": arguments, **self.meta}
        return self.connection.ask(line("tools/call", number, params))


@pytest.mark.parametrize("version", VERSIONS)
def test_the_second_answer_is_that_of_the_first_in_every_version(path: Path, version: str):
    with Line(path) as connection:
        agent = Agent(connection, version)
        first = agent.call(1, "conductor_list_devices")
        assert agent.call("two", "conductor_list_devices") == {**first, "id": "two"}
        assert first["result"]["content"]


@pytest.mark.parametrize("version", VERSIONS)
def test_an_error_is_the_same_before_and_after_a_good_answer(path: Path, version: str):
    with Line(path) as connection:
        agent = Agent(connection, version)
        first = agent.call(1, "conductor_explain_event", sequence="x")
        assert first["result"]["isError"] is True
        agent.call(2, "conductor_list_modes")
        assert agent.call(3, "conductor_explain_event", sequence="x") == {**first, "id": 3}


def test_invalid_requests_are_refused_after_a_good_answer_too(path: Path):
    with Line(path) as connection:
        agent = Agent(connection, "2026-07-28")
        refused = [
            {"name": "conductor_list_modes", "arguments": {}},
            {"name": "conductor_list_modes", "arguments": [1], "_meta": MODERN},
            {"name": "conductor_fly", "arguments": {}, "_meta": MODERN},
        ]
        before = [connection.ask(line("tools/call", 9, params)) for params in refused[1:]]
        agent.call(1, "conductor_list_modes")
        after = [connection.ask(line("tools/call", 9, params)) for params in refused]
        assert after[1:] == before
        assert all(item["error"]["code"] == -32602 for item in after)


def test_a_client_that_gives_another_name_is_known_by_it(conductor: RunningConductor, path: Path):
    with Line(path) as connection:
        agent = Agent(connection, "2026-07-28")
        for name in ("First", "First", "Second", "First"):
            client = {"io.modelcontextprotocol/clientInfo": {"name": name, "version": "1"}}
            agent.meta = {"_meta": {**MODERN, **client}}
            assert agent.call(1, "conductor_list_modes")["result"]["isError"] is False
    expected = ["First", "Second", "First", "First"]

    def clients() -> list[str]:
        rows = json.loads(conductor.cli("audit", "--json").stdout)
        return [row["client"] for row in rows if row["client"] in expected]

    wait_for(clients, lambda found: found == expected)
