"""Connections that misbehave or end early: raw lines over the socket."""

import json
import socket
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.mcp.test_socket_server import Line
from tests.support.running import RunningConductor, running_conductor

SEED_LINE = '{"jsonrpc":"2.0","method":"conductor_get_status","params":{},"id":1}'
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
FLOOD = 40_000
ANSWERED_MEANWHILE = 100
GROWTH_AT_MOST_KIB = 50 * 1024


@pytest.fixture(scope="module")
def conductor() -> Generator[RunningConductor]:
    environment = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}
    with running_conductor(
        "[[modes]]\nname = 'Default'\n", environment=environment, own_process=True
    ) as running:
        yield running


@pytest.fixture
def path(conductor: RunningConductor) -> Path:
    return conductor.home / "mcp.sock"


def request(number: Any, method: str, params: dict[str, Any] | None = None) -> str:
    return json.dumps(
        {
            "jsonrpc": "2.0",
            "id": number,
            "method": method,
            "params": {"_meta": MODERN, **(params or {})},
        }
    )


def call(number: Any, tool: str = "conductor_list_modes") -> str:
    return request(number, "tools/call", {"name": tool, "arguments": {}})


INITIALIZE = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": "start",
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
)
INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}'


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("garbage", -32700),
        ("[]", -32600),
        (f"[{SEED_LINE}]", -32600),
        ('{"id":1,"method":"tools/list"}', -32600),
        ('{"jsonrpc":"1.0","id":1,"method":"tools/list"}', -32600),
        ('{"jsonrpc":"2.0","id":true,"method":"tools/list"}', -32600),
        ('{"jsonrpc":"2.0","id":[1],"method":"tools/list"}', -32600),
        ('{"jsonrpc":"2.0","id":1,"result":{},"error":{}}', -32600),
        ('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[1]}', -32602),
        (request(1, "no/such/method"), -32601),
        (request(1, "tools/call", {"arguments": {}}), -32602),
        (call(1, "conductor_fly"), -32602),
    ],
)
def test_a_bad_line_of_an_agent_gets_its_error_and_the_connection_lives(
    path: Path, line: str, code: int
):
    with Line(path) as connection:
        assert connection.ask(line)["error"]["code"] == code
        assert connection.ask(SEED_LINE)["result"]["daemon_running"] is True
        assert "result" in connection.ask(call(2))


def test_a_bare_line_is_answered_before_within_and_after_a_handshake(path: Path):
    with Line(path) as connection:
        assert connection.ask(SEED_LINE)["id"] == 1
        started = connection.ask(INITIALIZE)
        assert started["result"]["protocolVersion"] == "2025-06-18"
        assert connection.ask(SEED_LINE)["id"] == 1
        connection.send(INITIALIZED)
        tools = connection.ask('{"jsonrpc":"2.0","id":2,"method":"tools/list"}')
        assert tools["id"] == 2
        assert connection.ask(SEED_LINE)["id"] == 1


def test_a_client_that_stops_sending_still_gets_every_answer(path: Path):
    with Line(path) as connection:
        lines = [INITIALIZE, INITIALIZED, *(call(number) for number in range(100)), SEED_LINE]
        for line in lines[:2]:
            connection.send(line)
        for number in range(2, 100):
            connection.send(
                json.dumps(
                    {
                        "jsonrpc": "2.0",
                        "id": number,
                        "method": "tools/call",
                        "params": {"name": "conductor_get_status", "arguments": {}},
                    }
                )
            )
        connection.send(SEED_LINE)
        connection.socket.shutdown(socket.SHUT_WR)
        answered = [connection.receive()["id"] for _ in range(100)]
        assert sorted(answered, key=str) == sorted(["start", 1, *range(2, 100)], key=str)
        assert connection.socket.recv(1) == b""


def test_a_second_request_with_an_id_in_use_is_refused_and_harms_no_other(path: Path):
    with Line(path) as connection:
        for _ in range(30):
            connection.send(call(7, "conductor_get_status"))
        answers = [connection.receive() for _ in range(30)]
        assert any("result" in answer for answer in answers)
        assert {answer["id"] for answer in answers} == {7}


def test_a_cancelled_call_gives_its_slot_back(path: Path):
    with Line(path) as connection:
        for number in range(300):
            connection.send(call(number, "conductor_get_status"))
            cancel = {"requestId": number, "_meta": MODERN}
            connection.send(
                json.dumps(
                    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel}
                )
            )
        connection.send(call("last"))
        while connection.receive()["id"] != "last":
            pass


@pytest.mark.timeout(300)
@pytest.mark.parametrize("line", [call(1), SEED_LINE])
def test_a_client_that_never_reads_costs_little_memory_and_delays_no_other(
    conductor: RunningConductor, path: Path, line: str
):
    with Line(path) as other, Line(path) as flooder:
        assert "result" in other.ask(call(0))
        before = _memory_kib(conductor)
        flooder.socket.settimeout(60)
        flooding = threading.Thread(target=_flood, args=(flooder, line), daemon=True)
        flooding.start()
        highest, answered = before, 0
        while flooding.is_alive():
            assert "result" in other.ask(call(1))
            answered += 1
            highest = max(highest, _memory_kib(conductor))
            if answered >= ANSWERED_MEANWHILE:
                flooding.join(
                    0.01
                )  # calls without a pause would show no more, and take 6 CPU seconds
        assert answered >= ANSWERED_MEANWHILE
        assert highest - before < GROWTH_AT_MOST_KIB


def _flood(connection: Line, line: str) -> None:
    """Send and never read, until all is sent or the connection is cut off."""
    try:
        for number in range(FLOOD):
            connection.send(line.replace('"id": 1,', f'"id": {number},'))
    except OSError:
        pass


def _memory_kib(conductor: RunningConductor) -> int:
    text = Path(f"/proc/{conductor.process.pid}/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0])


@pytest.mark.parametrize("opening", [INITIALIZE, call(1)])
def test_conductor_ends_cleanly_while_agents_are_connected(opening: str):
    environment = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}
    running = running_conductor("", environment=environment)
    with running as conductor, Line(conductor.home / "mcp.sock") as agent:
        assert "result" in agent.ask(SEED_LINE)
        assert "result" in agent.ask(opening)
        if opening != INITIALIZE:
            wanted = {"notifications": {"resourceSubscriptions": ["conductor://config"]}}
            acknowledged = agent.ask(request(2, "subscriptions/listen", wanted))
            assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
        conductor.stop()
        assert agent.socket.recv(1) == b""
