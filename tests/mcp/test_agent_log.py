"""Log messages about calls go only to clients that subscribed, from their level on."""

import json
from collections.abc import Generator
from typing import Any

import pytest
from tests.mcp.clients import CONFIG, WITHOUT_PARTS
from tests.mcp.test_socket_server import Line
from tests.support.running import RunningConductor, running_conductor

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "Probe", "version": "1"},
}
LEVEL = "io.modelcontextprotocol/logLevel"
TASKS = {"extensions": {"io.modelcontextprotocol/tasks": {}}}


@pytest.fixture(scope="module")
def conductor() -> Generator[RunningConductor]:
    with running_conductor(CONFIG, environment=WITHOUT_PARTS) as running:
        yield running


class Agent:
    """A client that collects the log messages before an answer."""

    def __init__(self, line: Line, meta: dict[str, Any] | None) -> None:
        self._line, self._number, self._meta = line, 0, meta
        if meta is None:
            info = {"name": "Probe", "version": "1"}
            hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
            self.hello = self.ask("initialize", hello)[1]["result"]
            line.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')

    def ask(
        self, method: str, params: dict[str, Any]
    ) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        self._number += 1
        whole = params if self._meta is None else {**params, "_meta": self._meta}
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": whole}
        self._line.send(json.dumps(message))
        messages: list[dict[str, Any]] = []
        while "id" not in (answer := self._line.receive()):
            assert answer["method"] == "notifications/message"
            messages.append(answer["params"])
        return messages, answer

    def levels(self, tool: str, **arguments: Any) -> list[str]:
        messages, _ = self.ask("tools/call", {"name": tool, "arguments": arguments})
        return [item["level"] for item in messages]

    def what_it_hears(self) -> list[list[str]]:
        return [
            self.levels("conductor_get_status"),
            self.levels("conductor_get_status"),
            self.levels("conductor_create_mode", name="Keys"),
            self.levels("conductor_switch_mode", mode="Nope"),
        ]


HEARD = {
    None: [[], [], [], []],
    "debug": [["debug"], ["debug"], ["info"], ["warning"]],
    "info": [[], [], ["info"], ["warning"]],
    "warning": [[], [], [], ["warning"]],
    "emergency": [[], [], [], []],
}


@pytest.mark.parametrize("level", HEARD)
@pytest.mark.parametrize("able", [{}, TASKS], ids=["plain", "tasks"])
def test_a_request_names_the_level_that_it_wants(
    conductor: RunningConductor, level: str | None, able: dict[str, Any]
):
    named = {} if level is None else {LEVEL: level}
    meta = {**MODERN, "io.modelcontextprotocol/clientCapabilities": able, **named}
    with Line(conductor.home / "mcp.sock") as line:
        assert Agent(line, meta).what_it_hears() == HEARD[level]


@pytest.mark.parametrize("level", HEARD)
def test_a_client_of_the_handshake_sets_its_level_once(
    conductor: RunningConductor, level: str | None
):
    with Line(conductor.home / "mcp.sock") as line:
        agent = Agent(line, None)
        assert agent.hello["capabilities"]["logging"] == {}
        agent.ask("tools/call", {"name": "conductor_get_status"})
        if level is not None:
            assert agent.ask("logging/setLevel", {"level": level})[1]["result"] == {}
        assert agent.what_it_hears() == HEARD[level]


def test_each_client_has_its_own_log_level(conductor: RunningConductor):
    path = conductor.home / "mcp.sock"
    with Line(path) as first, Line(path) as second:
        loud, quiet = Agent(first, None), Agent(second, None)
        loud.ask("logging/setLevel", {"level": "debug"})
        assert quiet.what_it_hears() == HEARD[None]
        assert loud.what_it_hears() == HEARD["debug"]


def test_a_message_names_the_tool_and_what_went_wrong(conductor: RunningConductor):
    with Line(conductor.home / "mcp.sock") as line:
        agent = Agent(line, None)
        agent.ask("logging/setLevel", {"level": "warning"})
        asked = {"name": "conductor_switch_mode", "arguments": {"mode": "Nope"}}
        (messages,) = agent.ask("tools/call", asked)[0]
        assert messages["logger"] == "conductor"
        assert messages["data"]["tool"] == "conductor_switch_mode"
        assert messages["data"]["kind"] == "mode_not_found"
        refused = agent.ask("logging/setLevel", {"level": "loud"})[1]["error"]
        assert refused["code"] == -32602
