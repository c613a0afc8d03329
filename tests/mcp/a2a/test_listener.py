"""When the port for A2A is open: only while the settings say so, and without a restart."""

import json
import socket
import urllib.request
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.mcp.a2a.clients import CONFIG, a2a_config
from tests.mcp.test_http import WITHOUT_PARTS, answers, free_port
from tests.support.running import RunningConductor, running_conductor, wait_for


@pytest.fixture(scope="module")
def conductor() -> Generator[RunningConductor]:
    with running_conductor(CONFIG, environment=WITHOUT_PARTS) as running:
        yield running


def card_name(port: int) -> str:
    address = f"http://127.0.0.1:{port}/.well-known/agent-card.json"
    with urllib.request.urlopen(address, timeout=20) as answer:
        return json.loads(answer.read())["name"]


def named(name: str) -> str:
    return f"agent_name = '{name}'\n"


def test_it_is_closed_until_it_is_switched_on_and_closes_again(conductor: RunningConductor):
    port, other = free_port(), free_port()
    assert not (conductor.home / "mcp-token").exists()
    conductor.write_config(a2a_config(port, named("Studio pads")))
    wait_for(lambda: answers(port), bool)
    assert card_name(port) == "Studio pads"
    listening = Path("/proc/net/tcp").read_text()
    assert f"0100007F:{port:04X}" in listening
    assert f"00000000:{port:04X}" not in listening
    conductor.write_config(a2a_config(other, named("Stage pads")))
    wait_for(lambda: answers(other) and not answers(port), bool)
    assert card_name(other) == "Stage pads"
    conductor.write_config(CONFIG)
    wait_for(lambda: not answers(other), bool)


def test_a_port_that_is_taken_is_said_and_another_one_is_used(conductor: RunningConductor):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        conductor.write_config(a2a_config(taken.getsockname()[1]))
        conductor.wait_status(
            lambda status: any("llm.a2a.http_port" in notice for notice in status["notices"])
        )
    port = free_port()
    conductor.write_config(a2a_config(port))
    wait_for(lambda: answers(port), bool)


def test_a_token_that_is_too_short_keeps_it_closed_and_says_so():
    port = free_port()
    text = a2a_config(port, "\n[llm.mcp]\nauth_token_env = 'AGENTS'\n")
    with running_conductor(text, environment={**WITHOUT_PARTS, "AGENTS": "short"}) as conductor:
        seen = conductor.wait_status(lambda status: status["notices"])
        assert any("$AGENTS must contain a token" in notice for notice in seen["notices"])
        assert not answers(port)
        assert any("$AGENTS must contain a token" in problem for problem in seen["problems"])


def test_while_agents_are_switched_off_it_is_closed_and_says_where_to_switch_them_on(
    conductor: RunningConductor,
):
    port = free_port()
    conductor.write_config(a2a_config(port, "\n[llm.mcp]\nenabled = false\n"))
    # the test itself would be refused as an agent, but `conductor status` is not
    shown = wait_for(
        lambda: conductor.cli("status").stdout, lambda text: "agents over A2A are not" in text
    )
    assert shown.count("agents over A2A are not served") == 1
    assert "problem   agents over A2A are not served" in shown
    assert "set llm.mcp.enabled to true (Settings > Agents (MCP)" in shown
    assert "agents over A2A are not served" in conductor.cli("doctor").stdout
    assert not answers(port)
    conductor.write_config(a2a_config(port))
    wait_for(lambda: answers(port), bool)
    conductor.wait_status(lambda status: not any("A2A" in one for one in status["problems"]))
