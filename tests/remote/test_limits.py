"""Limits for strangers on the port for other computers: none of them takes what the user is looking at."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import anyio
import httpx2
import pytest
from tests.remote.rig import RawClient, RemoteRig, open_raw_client, open_remote

from conductor.errors import NotAvailable
from conductor.mcp.remote import authorization_requests, middleware
from conductor.mcp.remote.request_limits import (
    ALL_SIGN_INS_BURST,
    SIGN_IN_BURST,
    TOKEN_BURST,
    RequestLimits,
)
from conductor.storage import remote_access
from conductor.storage.database import Database
from conductor.storage.remote_access import RemoteAccessStore

PROXY_HOST = "studio.example"


def test_a_request_that_the_user_is_looking_at_is_not_replaced(tmp_path: Path):
    async def run() -> None:
        async with open_raw_client(tmp_path) as (rig, client):
            await client.register()
            for number in range(3):
                started = await client.web.get(client.build_address(state=str(number)))
                assert started.status_code == 302
            shown = rig.access.requests.list_pending()
            refused = await client.web.get(client.build_address())
            assert refused.status_code == 429
            assert 0 < int(refused.headers["retry-after"]) <= 300
            assert "Too many agents ask for access" in refused.text
            german = {"accept-language": "de-DE"}
            in_german = await client.web.get(client.build_address(), headers=german)
            assert "Zu viele Agenten" in in_german.text
            assert rig.access.requests.list_pending() == shown
            rig.access.requests.deny_request(shown[0].request_id)
            assert (await client.web.get(client.build_address())).status_code == 302

    anyio.run(run)


@asynccontextmanager
async def open_behind_proxy(home: Path) -> AsyncGenerator[tuple[RemoteRig, RawClient]]:
    """Open the port as a program on this computer that encrypts reaches it."""
    address = f"https://{PROXY_HOST}"
    async with (
        open_remote(home, remote_tls=False, remote_address=address) as rig,
        httpx2.AsyncClient(
            base_url=f"http://127.0.0.1:{rig.port}", headers={"host": PROXY_HOST}, timeout=20
        ) as web,
    ):
        yield rig, RawClient(rig, web)


async def ask(client: RawClient, forwarded_for: str) -> int:
    address = client.build_address(resource=None)
    headers = {"x-forwarded-for": forwarded_for}
    return (await client.web.get(address, headers=headers)).status_code


def test_behind_a_proxy_each_address_has_limits_of_its_own(tmp_path: Path):
    async def run() -> None:
        async with open_behind_proxy(tmp_path) as (rig, client):
            await client.register()
            asked = [await ask(client, "203.0.113.5") for _ in range(4)]
            assert asked == [302, 302, 302, 429]
            # the client writes the earlier entries, and the proxy the last one
            assert await ask(client, "198.51.100.9, 203.0.113.5") == 429
            assert await ask(client, "203.0.113.6") == 302
            sources = [view.source for view in rig.access.requests.list_pending()]
            assert sources == ["203.0.113.5"] * 3 + ["203.0.113.6"]

    anyio.run(run)


def test_without_a_proxy_nobody_can_choose_an_address(tmp_path: Path):
    async def run() -> None:
        async with open_raw_client(tmp_path) as (rig, client):
            await client.register()
            asked = [await ask(client, f"203.0.113.{number}") for number in range(4)]
            assert asked == [302, 302, 302, 429]
            assert {view.source for view in rig.access.requests.list_pending()} == {"127.0.0.1"}

    anyio.run(run)


def test_all_addresses_together_can_ask_only_so_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async def run() -> None:
        async with open_behind_proxy(tmp_path) as (_, client):
            monkeypatch.setattr(authorization_requests, "MAX_PENDING_REQUESTS", 2)
            await client.register()
            asked = [await ask(client, f"203.0.113.{number}") for number in range(3)]
            assert asked == [302, 302, 429]

    anyio.run(run)


@pytest.fixture
def _time_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine the requests take so long that more of them are allowed meanwhile."""
    monkeypatch.setattr(middleware, "RequestLimits", partial(RequestLimits, lambda: 0.0))


@pytest.mark.usefixtures("_time_stands_still")
def test_many_registrations_are_slowed_down(tmp_path: Path):
    async def run() -> None:
        async with open_raw_client(tmp_path) as (_, client):
            answers = [await client.register() for _ in range(SIGN_IN_BURST + 1)]
            assert {answer.status_code for answer in answers[:-1]} == {201}
            assert answers[-1].status_code == 429
            assert int(answers[-1].headers["retry-after"]) > 0
            assert "try again in" in answers[-1].json()["error_description"]

    anyio.run(run)


@pytest.mark.usefixtures("_time_stands_still")
def test_many_guesses_of_a_code_are_slowed_down(tmp_path: Path):
    async def run() -> None:
        async with open_raw_client(tmp_path) as (_, client):
            await client.register()
            statuses = [(await client.exchange("guess")).status_code for _ in range(TOKEN_BURST)]
            assert set(statuses) == {400}
            assert (await client.exchange("guess")).status_code == 429

    anyio.run(run)


def test_one_address_does_not_use_up_the_limit_of_all():
    at = [0.0]
    limits = RequestLimits(lambda: at[0])
    waits = [limits.count_request("/register", "stranger") for _ in range(ALL_SIGN_INS_BURST * 2)]
    assert waits.count(0.0) == SIGN_IN_BURST
    assert limits.count_request("/register", "agent") == 0.0
    assert limits.count_request("/token", "stranger") == 0.0
    at[0] += waits[-1]
    assert limits.count_request("/register", "stranger") == 0.0


def test_a_huge_registration_is_refused_before_it_is_read(tmp_path: Path):
    async def run() -> None:
        async with open_raw_client(tmp_path) as (_, client):
            refused = await client.web.post("/register", json={"client_name": "x" * 100_000})
            assert refused.status_code == 413

    anyio.run(run)


def test_a_client_that_the_user_may_be_deciding_on_is_not_deleted_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(remote_access, "MAX_CLIENTS", 2)
    at = [0.0]
    database = Database(tmp_path / "conductor.db")
    store = RemoteAccessStore(lambda: database, lambda: at[0])
    store.save_client("first", "{}")
    store.save_client("second", "{}")
    at[0] = 599.0
    with pytest.raises(NotAvailable, match="try again in ten minutes"):
        store.save_client("third", "{}")
    store.save_client("second", "{}")  # one that is known
    at[0] = 600.0
    store.save_client("third", "{}")
    assert store.load_client("first") is None
    assert store.load_client("third") == "{}"
    database.close()
