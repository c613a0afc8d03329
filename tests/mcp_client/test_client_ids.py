"""Servers without client registration: sign-in with a client id that the user got from the service."""

import json
import socket
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.mcp_client.test_sign_in import (
    at,
    auth_server,
    browse,
    logged_requests,
    open_rig,
    open_store,
    run,
    sign_in,
    start_refused,
)

from conductor.errors import NotAvailable
from conductor.mcp.client.oauth_client import OAuthClient
from conductor.mcp.client.values import ConsentedServer

ID, SECRET = "from-the-service", "s3cret/from:the+service"


def known(url: str, secret: str = "", **more: object) -> ConsentedServer:
    return replace(at(url), oauth=OAuthClient(ID, secret, **more))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("how", ["none", "client_secret_basic", "client_secret_post"])
def test_the_user_signs_in_with_the_client_id_and_stays_signed_in(tmp_path: Path, how: str) -> None:
    async def work() -> None:
        with auth_server(tmp_path, how) as url:
            server = known(url, "" if how == "none" else SECRET)
            async with open_rig(tmp_path) as here:
                await here.manager.start(server)
                assert (await sign_in(here)).state == "ready"
                assert await here.text("greet", "it", name="you") == "Hello, you"
            store = open_store(tmp_path)
            kept = json.loads(store.load_sign_in("it", f"{url}/mcp") or "")
            store.save_sign_in("it", f"{url}/mcp", json.dumps({**kept, "ends_at": 1.0}))
            async with open_rig(tmp_path) as here:  # its token has ended, and is renewed
                await here.manager.start(server)
                assert (here.view().state, here.view().problem) == ("ready", None)
        back = "back to 127.0.0.1/signed-in"
        assert logged_requests(tmp_path) == [back, f"authorize {url}/mcp", "token", "refreshed"]

    run(work)


def test_without_a_client_id_the_error_says_how_to_get_one(tmp_path: Path) -> None:
    async def work() -> None:
        with auth_server(tmp_path, "none") as url:
            async with open_rig(tmp_path) as here:
                await start_refused(here, url)
                words = "get a client id from the service and write it as `oauth.clientId`"
                with pytest.raises(NotAvailable, match=words):
                    await here.manager.sign_in("it")
                assert words in (here.view().problem or "")

    run(work)


@pytest.mark.parametrize("secret", ["", "s3cret-of-another"])
def test_a_missing_or_wrong_secret_is_reported_and_not_shown(tmp_path: Path, secret: str) -> None:
    async def work() -> None:
        with auth_server(tmp_path, "client_secret_basic") as url:
            async with open_rig(tmp_path) as here:
                await here.manager.start(known(url, secret))
                view = await sign_in(here)
                assert (view.state, view.sign_in) == ("sign_in", "needed")
                assert "check `oauth.clientId` and `oauth.clientSecret`" in (view.problem or "")
                assert "s3cret" not in view.model_dump_json() + str(
                    here.manager.read_server_log("it")
                )
        assert "token" not in logged_requests(tmp_path)

    run(work)


def test_scopes_and_port_come_from_the_entry(tmp_path: Path) -> None:
    async def work() -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        with auth_server(tmp_path, "none") as url:
            async with open_rig(tmp_path) as here:
                await here.manager.start(known(url, scopes=("use", "more"), port=port))
                address = await here.manager.sign_in("it")
                query = parse_qs(urlsplit(address).query)
                assert query["scope"] == ["use more"]
                assert query["redirect_uri"] == [f"http://127.0.0.1:{port}/signed-in"]
                assert (await browse(address)).status_code == 200
                await here.manager.wait_until_signed_in("it")
                assert here.view().state == "ready"

    run(work)


def test_a_taken_port_is_reported_and_no_other_is_used(tmp_path: Path) -> None:
    async def work() -> None:
        with socket.socket() as taken, auth_server(tmp_path, "none") as url:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            async with open_rig(tmp_path) as here:
                await here.manager.start(known(url, port=taken.getsockname()[1]))
                with pytest.raises(NotAvailable, match=r"is taken.*oauth\.callbackPort"):
                    await here.manager.sign_in("it")

    run(work)


def test_another_client_id_is_another_sign_in(tmp_path: Path) -> None:
    async def work() -> None:
        with auth_server(tmp_path, "none") as url:
            async with open_rig(tmp_path) as here:
                await here.manager.start(known(url))
                assert (await sign_in(here)).state == "ready"
            async with open_rig(tmp_path) as here:
                await here.manager.start(replace(at(url), oauth=OAuthClient("another")))
                assert (here.view().state, here.view().sign_in) == ("sign_in", "needed")
            async with open_rig(tmp_path) as here:
                await here.manager.start(known(url))
                assert (here.view().state, here.view().sign_in) == ("ready", "done")

    run(work)
