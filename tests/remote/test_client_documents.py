"""Documents about clients: only of the address itself, from the public internet, with safe redirect addresses."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.server.auth.provider import RegistrationError

from conductor.errors import ConductorError, NotAvailable
from conductor.mcp.remote.clients import (
    RemoteClients,
    fetch_client_document,
    parse_client_document,
)
from conductor.storage.database import Database
from conductor.storage.remote_access import RemoteAccessStore

ADDRESS = "https://agent.example/client.json"
FIELDS = {"client_id": ADDRESS, "redirect_uris": ["http://127.0.0.1:9/callback"]}


def parse(address: str = ADDRESS, **fields: Any) -> Any:
    return parse_client_document(address, json.dumps({**FIELDS, **fields}).encode())


def test_a_document_is_read():
    client = parse(client_name="Agent", client_secret="not wanted", scope="everything")
    assert (client.client_name, client.client_secret) == ("Agent", None)
    assert client.token_endpoint_auth_method == "none"


@pytest.mark.parametrize(
    "fields",
    [
        {"client_id": "https://other.example/client.json"},
        {"token_endpoint_auth_method": "private_key_jwt"},
        {"redirect_uris": ["javascript:alert(1)"]},
        {"redirect_uris": []},
        {"redirect_uris": "no list"},
    ],
)
def test_a_document_that_is_wrong_is_refused(fields: dict[str, Any]):
    with pytest.raises((ValueError, RegistrationError)):
        parse(**fields)


@pytest.mark.parametrize("text", [b"", b"[]", b"<html>", b'{"client_id": 1}'])
def test_what_is_no_document_is_refused(text: bytes):
    with pytest.raises(ValueError):  # noqa: PT011 -- its text depends on what is wrong
        parse_client_document(ADDRESS, text)


@pytest.mark.parametrize("address", ["https://agent.example", "https://agent.example/c?x=1"])
def test_the_address_must_have_a_path_and_nothing_else(address: str):
    with pytest.raises(ValueError, match="a path and nothing else"):
        parse(address, client_id=address)


@pytest.mark.parametrize("host", ["127.0.0.1", "169.254.169.254", "192.168.1.1", "[::1]"])
def test_no_address_of_this_network_is_asked(host: str):
    with pytest.raises(ConductorError, match="not an address of the public internet"):
        anyio.run(fetch_client_document, f"https://{host}:8443/client.json")


def test_a_document_that_could_not_be_fetched_is_fetched_again_and_then_not_at_each_request(
    tmp_path: Path,
):
    attempts: list[str] = []

    async def fetch(client_id: str) -> bytes:
        attempts.append(client_id)
        if len(attempts) == 1:
            raise NotAvailable("offline")
        return json.dumps(FIELDS).encode()

    async def run() -> None:
        import_module("conductor.storage.remote_access")  # registers its tables
        database = Database(tmp_path / "conductor.db")
        clients = RemoteClients(RemoteAccessStore(lambda: database), fetch, lambda: 0.0)
        assert await clients.get_client(ADDRESS) is None
        for _ in range(2):
            found = await clients.get_client(ADDRESS)
            assert found is not None
            assert found.client_id == ADDRESS
        assert len(attempts) == 2
        database.close()

    anyio.run(run)
