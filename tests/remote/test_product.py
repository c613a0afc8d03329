"""A running Conductor: an agent on another computer signs in, proposes, and is managed at the terminal."""

import json
import ssl
from collections.abc import Awaitable, Callable, Generator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import anyio
import httpx2
import pytest
from tests.mcp.test_http import free_port
from tests.remote.rig import RawClient, RemoteRig, read_code, read_redirect
from tests.support.running import RunningConductor, running_conductor, wait_for
from tests.tools.terminal import at_terminal
from tests.tools.test_penetration import audited

from conductor.errors import ConductorError

WITHOUT_PARTS = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}
PORT = free_port()
CONFIG = f"""
[[modes]]
name = "Default"

[llm.mcp]
remote_enabled = true
remote_host = "127.0.0.1"
remote_port = {PORT}
remote_address = "https://localhost:{PORT}"
"""


@pytest.fixture(scope="module")
def conductor() -> Generator[RunningConductor]:
    with running_conductor(CONFIG, environment=WITHOUT_PARTS) as running:
        wait_for((running.home / "remote-certificate.pem").exists, bool)
        wait_for(lambda: status(running)["address"], bool)
        yield running


def status(conductor: RunningConductor) -> dict[str, Any]:
    return json.loads(at_terminal(conductor, "remote", "status", "--json").stdout)


def as_agent(home: Path, work: Callable[[RawClient], Awaitable[None]]) -> None:
    async def run() -> None:
        trust = ssl.create_default_context(cafile=str(home / "remote-certificate.pem"))
        issuer = f"https://localhost:{PORT}"
        rig = cast(RemoteRig, SimpleNamespace(issuer=issuer, resource=f"{issuer}/mcp"))
        async with httpx2.AsyncClient(verify=trust, base_url=issuer, timeout=30) as web:
            client = RawClient(rig, web)
            await client.register()
            await work(client)

    anyio.run(run)


async def sign_in_at_terminal(conductor: RunningConductor, client: RawClient, scope: str) -> str:
    """Return the access token after the user has allowed the agent with `conductor remote allow`."""
    waiting = (await client.web.get(client.build_address(scope=scope))).headers["location"]
    code = read_code((await client.web.get(waiting)).text)
    allow = ("remote", "allow", code, "--yes")
    done = await anyio.to_thread.run_sync(lambda: at_terminal(conductor, *allow))
    assert "Raw agent now has access: look" in done.stdout, done.stdout
    answer = read_redirect((await client.web.get(waiting)).headers["location"])
    return (await client.exchange(answer["code"])).json()["access_token"]


def read_result(answer: httpx2.Response) -> dict[str, Any]:
    lines = [line[5:] for line in answer.text.splitlines() if line.startswith("data:")]
    return json.loads(lines[-1] if lines else answer.text)["result"]


def test_the_terminal_shows_the_address_and_the_fingerprint(conductor: RunningConductor):
    shown = at_terminal(conductor, "remote", "status").stdout
    assert f"https://localhost:{PORT}/mcp" in shown
    assert status(conductor)["fingerprint"] in shown
    assert "Agents must be given its file" in shown


def test_an_agent_proposes_and_only_the_user_applies_and_revokes(conductor: RunningConductor):
    async def work(client: RawClient) -> None:
        token = await sign_in_at_terminal(conductor, client, "look propose")
        arguments = {"name": "conductor_create_mode", "arguments": {"name": "Remote"}}
        plan = read_result(await client.call(token, "tools/call", arguments))["structuredContent"]
        assert plan["requested_by"]["caller"] == "remote"
        assert plan["requested_by"]["client"] == "Raw agent"
        apply = {"name": "conductor_apply_plan", "arguments": {"plan_id": plan["plan_id"]}}
        waits = read_result(await client.call(token, "tools/call", apply))
        assert waits["structuredContent"]["status"] == "pending"
        assert "Remote" not in conductor.config_path.read_text()

        grants = at_terminal(conductor, "remote", "grants").stdout
        grant_id = grants.split()[0]
        assert "Raw agent (127.0.0.1:9): look, propose" in grants
        revoked = at_terminal(conductor, "remote", "revoke", grant_id)
        assert "Raw agent no longer has access" in revoked.stdout
        assert (await client.call(token)).status_code == 401
        assert "No agent" in at_terminal(conductor, "remote", "grants").stdout

    as_agent(conductor.home, work)
    audited(conductor, "terminal.remote.allow", "ok")
    audited(conductor, "terminal.remote.revoke", "ok")


def test_a_tool_beyond_what_the_user_granted_is_refused(conductor: RunningConductor):
    async def work(client: RawClient) -> None:
        token = await sign_in_at_terminal(conductor, client, "look")
        refused = await client.call_tool(token, "conductor_create_mode")
        assert refused.status_code == 403
        assert (await client.call_tool(token, "conductor_get_status")).status_code == 200

    as_agent(conductor.home, work)


def test_the_user_grants_less_at_the_terminal_than_the_agent_asks_for(
    conductor: RunningConductor,
):
    async def work(client: RawClient) -> None:
        wanted = "look operate propose"
        waiting = (await client.web.get(client.build_address(scope=wanted))).headers["location"]
        code = read_code((await client.web.get(waiting)).text)
        allow = ("remote", "allow", code, "--yes", "--scope")
        unknown = await anyio.to_thread.run_sync(lambda: at_terminal(conductor, *allow, "all"))
        assert "there is no scope 'all'; --scope is one of look, operate" in unknown.stdout
        beyond = await anyio.to_thread.run_sync(lambda: at_terminal(conductor, *allow, "skills"))
        assert "the agent has not requested skills" in beyond.stdout
        done = await anyio.to_thread.run_sync(lambda: at_terminal(conductor, *allow, "propose"))
        assert "Raw agent now has access: look, propose" in done.stdout
        answer = read_redirect((await client.web.get(waiting)).headers["location"])
        assert (await client.exchange(answer["code"])).json()["scope"] == "look propose"

    as_agent(conductor.home, work)


def test_what_only_reads_needs_no_terminal(conductor: RunningConductor):
    assert json.loads(conductor.cli("remote", "status", "--json").stdout)["address"]
    assert isinstance(json.loads(conductor.cli("remote", "requests", "--json").stdout), list)
    assert isinstance(json.loads(conductor.cli("remote", "grants", "--json").stdout), list)
    assert "fingerprint" in conductor.cli("remote", "status").stdout


def test_without_a_request_there_is_no_question(conductor: RunningConductor):
    shown = at_terminal(conductor, "remote", "allow", "123456").stdout
    assert "[y/N]" not in shown
    assert "no agent is asking for access" in shown


def test_an_agent_waits_until_the_user_has_decided(conductor: RunningConductor):
    async def work(client: RawClient) -> None:
        waiting = (await client.web.get(client.build_address())).headers["location"]
        page = await client.web.get(waiting)
        notices = conductor.status()["notices"]
        assert any("Raw agent on another computer (127.0.0.1) asks" in one for one in notices)
        listed = json.loads(at_terminal(conductor, "remote", "requests", "--json").stdout)
        wrong = at_terminal(conductor, "remote", "allow", "000000", "--yes")
        assert "not the code" in wrong.stdout
        assert read_code(page.text) not in json.dumps(listed)
        at_terminal(conductor, "remote", "deny", listed[0]["request_id"])
        done = read_redirect((await client.web.get(waiting)).headers["location"])
        assert done["error"] == "access_denied"
        assert not any("asks for access" in one for one in conductor.status()["notices"])

    as_agent(conductor.home, work)


def test_a_program_without_a_terminal_cannot_allow_an_agent(conductor: RunningConductor):
    async def work(client: RawClient) -> None:
        waiting = (await client.web.get(client.build_address())).headers["location"]
        code = read_code((await client.web.get(waiting)).text)
        refused = conductor.cli("remote", "allow", code, "--yes")
        assert refused.returncode != 0
        assert "needs you at a terminal" in refused.stderr
        for verb in ("allow", "grants", "revoke"):
            with pytest.raises(ConductorError, match="for the user: run `conductor remote`"):
                conductor.call(f"terminal.remote.{verb}", code=code)
        assert (await client.web.get(waiting)).status_code == 200

    as_agent(conductor.home, work)
