"""Revoking access and closing the port take effect at once, also for requests that are open."""

import socket
from pathlib import Path

import anyio
import httpx2
import pytest
from tests.remote.rig import RawClient, open_raw_client, open_remote

from conductor.domain.plan import Requester
from conductor.errors import UnknownApproval
from conductor.mcp.remote import provider as provider_module

WITHIN_S = 20


async def read_to_end(response: httpx2.Response) -> None:
    try:
        async for _ in response.aiter_bytes():
            pass
    except httpx2.HTTPError:
        pass  # the connection was closed


def test_the_tokens_and_the_calls_of_a_revoked_agent_are_refused(tmp_path: Path):
    async def run() -> None:
        async with open_raw_client(tmp_path) as (rig, client):
            tokens = await client.sign_in()
            await client.call_tool(tokens["access_token"], "conductor_get_status")
            (_, by) = rig.calls[0]
            assert not rig.access.is_revoked(by)
            (grant,) = rig.access.list_grants()
            assert rig.access.revoke_grant(grant.grant_id).client == "Raw agent"
            assert (await client.call(tokens["access_token"])).status_code == 401
            assert (await client.refresh(tokens["refresh_token"])).status_code == 400
            assert rig.access.is_revoked(by)
            assert not rig.access.is_revoked(Requester(caller="mcp", program=by.program))
            with pytest.raises(UnknownApproval, match="conductor remote grants"):
                rig.access.revoke_grant(grant.grant_id)

    anyio.run(run)


def test_a_code_that_was_not_redeemed_gives_no_access_after_it_was_revoked(tmp_path: Path):
    async def run() -> None:
        async with open_raw_client(tmp_path) as (rig, client):
            await client.sign_in()
            code = await client.get_code()
            (grant,) = rig.access.list_grants()
            rig.access.revoke_grant(grant.grant_id)
            assert (await client.exchange(code)).status_code == 400
            assert rig.access.list_grants() == []

    anyio.run(run)


def test_a_call_in_progress_ends_when_the_access_is_revoked(tmp_path: Path):
    async def run() -> None:
        async with open_raw_client(tmp_path) as (rig, client):
            token = (await client.sign_in())["access_token"]
            rig.hold = anyio.Event()
            statuses: list[int] = []

            async def call() -> None:
                statuses.append((await client.call_tool(token, "conductor_get_status")).status_code)

            with anyio.fail_after(WITHIN_S):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(call)
                    while not rig.calls:
                        await anyio.lowlevel.checkpoint()
                    (grant,) = rig.access.list_grants()
                    await anyio.to_thread.run_sync(rig.access.revoke_grant, grant.grant_id)
            assert statuses == [401]

    anyio.run(run)


async def open_stream(client: RawClient, token: str) -> httpx2.Response:
    """Open the stream of a session on which notifications arrive."""
    headers = {
        "accept": "application/json, text/event-stream",
        "authorization": f"Bearer {token}",
    }
    params = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    opened = await client.web.post("/mcp", json=body, headers=headers)
    session = {**headers, "mcp-session-id": opened.headers["mcp-session-id"]}
    request = client.web.build_request("GET", "/mcp", headers=session)
    return await client.web.send(request, stream=True)


def test_an_open_stream_ends_when_the_access_is_revoked_and_others_stay(tmp_path: Path):
    async def run() -> None:
        async with open_raw_client(tmp_path) as (rig, client):
            other = RawClient(rig, client.web)
            stream = await open_stream(client, (await client.sign_in())["access_token"])
            kept_token = (await other.sign_in())["access_token"]
            kept = await open_stream(other, kept_token)
            assert (stream.status_code, kept.status_code) == (200, 200)
            mine = next(one for one in rig.access.list_grants()[::-1])
            rig.access.revoke_grant(mine.grant_id)
            with anyio.fail_after(WITHIN_S):
                await read_to_end(stream)
            assert (await other.call(kept_token)).status_code == 200
            with anyio.move_on_after(0.2) as still_open:
                await read_to_end(kept)
            assert still_open.cancelled_caught
            await kept.aclose()

    anyio.run(run)


def test_an_open_stream_ends_when_its_token_expires(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async def run() -> None:
        monkeypatch.setattr(provider_module, "ACCESS_TOKEN_TTL_S", 2.0)
        async with open_raw_client(tmp_path) as (_, client):
            stream = await open_stream(client, (await client.sign_in())["access_token"])
            with anyio.fail_after(WITHIN_S):
                await read_to_end(stream)

    anyio.run(run)


def test_an_agent_can_give_its_access_back(tmp_path: Path):
    async def run() -> None:
        async with open_raw_client(tmp_path) as (rig, client):
            tokens = await client.sign_in()
            form = {"token": tokens["refresh_token"], "client_id": client.client_id}
            assert (await client.web.post("/revoke", data=form)).status_code == 200
            assert rig.access.list_grants() == []

    anyio.run(run)


def test_switching_it_off_closes_the_port_at_once(tmp_path: Path):
    async def run() -> None:
        async with open_raw_client(tmp_path) as (rig, client):
            stream = await open_stream(client, (await client.sign_in())["access_token"])
            assert rig.access.get_status().address == rig.resource
            rig.settings = rig.settings.model_copy(update={"remote_enabled": False})
            await rig.access.apply_settings()
            with anyio.fail_after(WITHIN_S):
                await read_to_end(stream)
            with pytest.raises(httpx2.ConnectError):
                async with rig.browser() as browser:
                    await browser.get("/mcp")
            assert rig.access.get_status().address is None
            assert rig.problems[-1] is None

    anyio.run(run)


def test_it_is_closed_unless_the_settings_open_it(tmp_path: Path):
    async def run() -> None:
        async with open_remote(tmp_path, remote_enabled=False) as rig:
            status = rig.access.get_status()
            assert (status.enabled, status.address, status.problem) == (False, None, None)
            assert not (tmp_path / "remote-key.pem").exists()

    anyio.run(run)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (
            {"remote_tls": False, "remote_host": "0.0.0.0"},
            "0.0.0.0 can be reached without encryption: set llm.mcp.remote_tls to true",
        ),
        (
            {"remote_certificate": "own.pem"},
            "set llm.mcp.remote_certificate_key too",
        ),
        (
            {"remote_host": "192.0.2.1"},
            "set llm.mcp.remote_host to an address of this computer",
        ),
    ],
)
def test_a_port_that_cannot_be_opened_says_what_to_do(
    tmp_path: Path, settings: dict[str, object], says: str
):
    async def run() -> None:
        async with open_remote(tmp_path, **settings) as rig:
            problem = rig.access.get_status().problem
            assert problem is not None
            assert says in problem
            assert rig.problems == [problem]

    anyio.run(run)


def test_behind_a_program_that_encrypts_it_listens_on_this_computer_without_tls(tmp_path: Path):
    async def run() -> None:
        async with (
            open_remote(tmp_path, remote_tls=False, remote_address="https://studio.example") as rig,
            httpx2.AsyncClient(base_url=f"http://127.0.0.1:{rig.port}") as proxy,
        ):
            path = "/.well-known/oauth-protected-resource/mcp"
            passed_on = await proxy.get(path, headers={"host": "studio.example"})
            assert passed_on.json()["resource"] == "https://studio.example/mcp"
            assert (await proxy.get(path)).status_code == 421
            assert rig.access.get_status().fingerprint is None

    anyio.run(run)


def test_while_agents_are_switched_off_it_says_where_to_switch_them_on(tmp_path: Path):
    async def run() -> None:
        async with open_remote(tmp_path, enabled=False) as rig:
            status = rig.access.get_status()
            assert (status.enabled, status.address) == (True, None)
            assert status.problem is not None
            assert "set llm.mcp.enabled to true (Settings > Agents (MCP)" in status.problem
            rig.settings = rig.settings.model_copy(update={"enabled": True})
            await rig.access.apply_settings()
            assert rig.access.get_status().problem is None
            assert rig.access.get_status().address == rig.resource

    anyio.run(run)


def test_a_port_that_was_taken_is_opened_once_it_is_free(tmp_path: Path):
    async def run() -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            async with open_remote(tmp_path, remote_port=port) as rig:
                assert "set llm.mcp.remote_host" in (rig.access.get_status().problem or "")
                taken.close()
                await rig.access.apply_settings()  # as it does every few seconds
                assert rig.access.get_status().problem is None
                assert rig.problems[-1] is None

    anyio.run(run)
