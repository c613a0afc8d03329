"""Agents on other computers sign in with the MCP library's own client, over TLS, and the user decides."""

import json
import time
from pathlib import Path

import anyio
import pytest
from mcp.client.auth import OAuthFlowError
from tests.mcp.clients import ERAS, Era
from tests.remote.rig import (
    REDIRECT_URI,
    MemoryTokens,
    deny,
    open_remote,
    scopes_of,
    sign_in_client,
)

from conductor.mcp.remote import clients as clients_module
from conductor.mcp.remote import provider as provider_module


@pytest.mark.parametrize("era", ERAS)
def test_an_agent_signs_in_and_calls_a_tool(tmp_path: Path, era: Era):
    async def run() -> None:
        storage = MemoryTokens()
        async with open_remote(tmp_path) as rig, sign_in_client(rig, storage) as connect:
            async with await connect(mode=era) as client:
                await client.call_tool("conductor_get_status", {})
            (name, by) = rig.calls[0]
            assert name == "conductor_get_status"
            assert (by.caller, by.client, by.pid) == ("remote", "Test agent", None)
            assert by.scopes == ("look", "propose")
            assert storage.tokens is not None
            assert scopes_of(storage.tokens.scope) == ["look", "propose"]
            (grant,) = rig.access.list_grants()
            assert (grant.client, grant.redirect_host) == ("Test agent", "127.0.0.1:9")
            assert grant.last_used_at is not None

    anyio.run(run)


def test_an_agent_that_the_user_refuses_gets_no_token(tmp_path: Path):
    async def run() -> None:
        storage = MemoryTokens()
        async with open_remote(tmp_path) as rig, sign_in_client(rig, storage, deny) as connect:
            with pytest.raises((OAuthFlowError, ExceptionGroup)):
                async with await connect() as client:
                    await client.list_tools()
            assert storage.tokens is None
            assert rig.access.list_grants() == []

    anyio.run(run)


def test_an_agent_that_needs_more_asks_again_and_the_user_decides_again(tmp_path: Path):
    async def run() -> None:
        storage = MemoryTokens()
        async with open_remote(tmp_path) as rig, sign_in_client(rig, storage) as connect:
            async with await connect() as client:
                await client.call_tool("conductor_get_status", {})
                assert len(rig.requests) == 2  # pending, allowed
                await client.call_tool("conductor_switch_mode", {})
            pending = [view for view in rig.requests if view.state == "pending"]
            assert [view.scopes for view in pending] == [
                ("look", "propose"),
                ("look", "operate", "propose"),
            ]
            assert pending[1].granted == ("look", "propose")
            assert storage.tokens is not None
            assert scopes_of(storage.tokens.scope) == ["look", "operate", "propose"]
            # the same agent, so a plan that it proposed before is still its own
            assert rig.calls[0][1].program == rig.calls[1][1].program
            assert len(rig.access.list_grants()) == 1

    anyio.run(run)


def test_an_agent_whose_token_has_expired_goes_on_without_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async def run() -> None:
        storage = MemoryTokens()
        async with open_remote(tmp_path) as rig, sign_in_client(rig, storage) as connect:
            async with await connect() as client:
                await client.call_tool("conductor_get_status", {})
            assert storage.tokens is not None
            first = storage.tokens.refresh_token
            later = time.time() + provider_module.ACCESS_TOKEN_TTL_S + 1
            monkeypatch.setattr(time, "time", lambda: later)
            async with await connect() as client:
                await client.call_tool("conductor_get_status", {})
            assert storage.tokens.refresh_token != first
            assert len(rig.requests) == 2

    anyio.run(run)


def test_an_agent_may_be_known_by_the_address_of_a_document_about_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    address = "https://agent.example/client.json"
    document = {
        "client_id": address,
        "client_name": "Documented agent",
        "redirect_uris": [REDIRECT_URI],
        "token_endpoint_auth_method": "none",
    }
    fetched: list[str] = []

    async def fetch(client_id: str) -> bytes:
        fetched.append(client_id)
        return json.dumps(document).encode()

    async def run() -> None:
        storage = MemoryTokens()
        monkeypatch.setattr(clients_module, "fetch_client_document", fetch)
        async with open_remote(tmp_path) as rig:
            async with (
                sign_in_client(rig, storage, document=address) as connect,
                await connect() as client,
            ):
                await client.call_tool("conductor_get_status", {})
            assert fetched == [address]  # not at each request
            assert rig.calls[0][1].client == "Documented agent"
            assert storage.client is not None
            assert storage.client.client_id == address

    anyio.run(run)
