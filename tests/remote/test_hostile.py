"""Attacks on the port for other computers: stolen codes and tokens, other addresses, other hosts, no user."""

import logging
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.remote.rig import (
    REDIRECT_URI,
    RawClient,
    RemoteRig,
    allow,
    open_raw_client,
    read_code,
    read_redirect,
    visit,
)

from conductor.errors import NotAllowed
from conductor.mcp.remote import provider as provider_module

Work = Callable[[RemoteRig, RawClient], Awaitable[None]]


def attack(home: Path, work: Work, **settings: Any) -> None:
    async def run() -> None:
        async with open_raw_client(home, **settings) as (rig, client):
            await work(rig, client)

    anyio.run(run)


def error_of(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]


def test_a_code_that_is_used_again_revokes_the_access(tmp_path: Path):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        await client.register()
        code = await client.get_code()
        tokens = (await client.exchange(code)).json()
        assert (await client.call(tokens["access_token"])).status_code == 200
        assert error_of(await client.exchange(code)) == (400, "invalid_grant")
        assert (await client.call(tokens["access_token"])).status_code == 401
        assert error_of(await client.refresh(tokens["refresh_token"])) == (400, "invalid_grant")
        assert rig.access.list_grants() == []
        assert "used twice" in rig.notices[0]

    attack(tmp_path, work)


def test_a_code_is_worth_nothing_without_its_verifier(tmp_path: Path):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        await client.register()
        code = await client.get_code()
        wrong = await client.exchange(code, code_verifier="w" * 43)
        assert error_of(wrong) == (400, "invalid_grant")
        assert rig.access.list_grants() == []

    attack(tmp_path, work)


def test_a_code_of_another_client_does_not_exist(tmp_path: Path):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        await client.register()
        code = await client.get_code()
        other = RawClient(rig, client.web)
        await other.register()
        assert error_of(await other.exchange(code)) == (400, "invalid_grant")
        assert rig.access.list_grants() == []

    attack(tmp_path, work)


def test_a_code_expires_within_a_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        await client.register()
        monkeypatch.setattr(provider_module, "CODE_TTL_S", -1.0)
        assert error_of(await client.exchange(await client.get_code())) == (400, "invalid_grant")

    assert provider_module.CODE_TTL_S <= 60
    attack(tmp_path, work)


@pytest.mark.parametrize("method", [{"code_challenge_method": "plain"}, {"code_challenge": None}])
def test_a_sign_in_without_a_hashed_verifier_is_refused(tmp_path: Path, method: dict[str, Any]):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        await client.register()
        answer = await visit(rig, client.build_address(**method))
        assert answer["error"] == "invalid_request"
        assert answer["iss"] == rig.issuer
        assert answer["state"] == "the state"
        assert rig.requests == []

    attack(tmp_path, work)


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:9/other",
        "http://127.0.0.1:10/callback",
        "http://127.0.0.1:9/callback?next=x",
        "https://evil.example/callback",
    ],
)
def test_no_code_is_sent_to_an_address_that_was_not_registered(tmp_path: Path, address: str):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        await client.register()
        answer = await client.web.get(client.build_address(redirect_uri=address))
        assert answer.status_code == 400
        assert "not registered" in answer.json()["error_description"]
        assert rig.requests == []

    attack(tmp_path, work)


def test_a_code_is_exchanged_only_with_the_address_it_was_sent_to(tmp_path: Path):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        other = "http://127.0.0.1:9/other"
        await client.register(redirect_uris=[REDIRECT_URI, other])
        answer = await client.exchange(await client.get_code(), redirect_uri=other)
        assert answer.status_code == 400
        assert rig.access.list_grants() == []

    attack(tmp_path, work)


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "http://evil.example/callback",
        "https://user:secret@agent.example/callback",
        "https://agent.example/callback#part",
    ],
)
def test_a_client_cannot_register_a_dangerous_address(tmp_path: Path, address: str):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        answer = await client.register(redirect_uris=[address])
        assert error_of(answer) == (400, "invalid_redirect_uri")

    attack(tmp_path, work)


@pytest.mark.parametrize(
    "address", ["cursor://anysphere.cursor-mcp/oauth/callback", "https://claude.ai/api/mcp/cb"]
)
def test_a_client_can_register_its_own_scheme_or_site(tmp_path: Path, address: str):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        assert (await client.register(redirect_uris=[address])).status_code == 201

    attack(tmp_path, work)


def test_a_stolen_refresh_token_ends_the_access_of_thief_and_agent(tmp_path: Path):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        stolen = (await client.sign_in())["refresh_token"]
        renewed = await client.refresh(stolen)
        assert renewed.status_code == 200
        tokens = renewed.json()
        assert tokens["refresh_token"] != stolen
        assert (await client.call(tokens["access_token"])).status_code == 200
        assert error_of(await client.refresh(stolen)) == (400, "invalid_grant")
        assert (await client.call(tokens["access_token"])).status_code == 401
        assert error_of(await client.refresh(tokens["refresh_token"])) == (400, "invalid_grant")
        assert "Raw agent was revoked" in rig.notices[0]

    attack(tmp_path, work)


def test_two_exchanges_of_one_refresh_token_at_the_same_moment_do_not_both_work(tmp_path: Path):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        token = (await client.sign_in())["refresh_token"]
        answers: list[int] = []

        async def renew() -> None:
            answers.append((await client.refresh(token)).status_code)

        async with anyio.create_task_group() as tasks:
            for _ in range(5):
                tasks.start_soon(renew)
        assert answers.count(200) <= 1
        assert rig.access.list_grants() == []

    attack(tmp_path, work)


def test_a_refresh_token_gives_no_more_than_was_granted(tmp_path: Path):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        token = (await client.sign_in("look propose"))["refresh_token"]
        more = await client.refresh(token, scope="look operate")
        assert error_of(more) == (400, "invalid_scope")
        less = (await client.refresh(token, scope="look")).json()
        assert less["scope"] == "look"
        refused = await client.call_tool(less["access_token"], "conductor_create_mode")
        assert refused.status_code == 403

    attack(tmp_path, work)


@pytest.mark.parametrize("field", ["authorize", "token"])
def test_no_token_is_issued_for_another_resource(tmp_path: Path, field: str):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        await client.register()
        other = "https://other.example/mcp"
        if field == "authorize":
            answer = await visit(rig, client.build_address(resource=other))
            assert answer["error"] == "invalid_target"
            assert rig.requests == []
        else:
            code = await client.get_code()
            assert error_of(await client.exchange(code, resource=other)) == (400, "invalid_target")

    attack(tmp_path, work)


def test_a_token_of_an_earlier_address_is_worth_nothing(tmp_path: Path):
    tokens: dict[str, Any] = {}

    async def before(rig: RemoteRig, client: RawClient) -> None:
        tokens.update(await client.sign_in(), client_id=client.client_id)

    async def after(rig: RemoteRig, client: RawClient) -> None:
        client.client_id = tokens["client_id"]
        assert (await client.call(tokens["access_token"])).status_code == 401
        assert error_of(await client.refresh(tokens["refresh_token"])) == (400, "invalid_grant")

    attack(tmp_path, before)
    attack(tmp_path, after)  # on another port


def test_a_token_survives_a_restart_but_is_not_in_the_database(tmp_path: Path):
    async def run() -> None:
        async with open_raw_client(tmp_path) as (rig, client):
            await client.register()
            code = await client.get_code()
            tokens = (await client.exchange(code)).json()
            await rig.access.stop()
            rig.access.start()
            await rig.access.apply_settings()
            assert (await client.call(tokens["access_token"])).status_code == 200
        secrets.extend((code, tokens["access_token"], tokens["refresh_token"]))

    secrets: list[str] = []
    anyio.run(run)
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("conductor.db*"))
    assert b"Raw agent" in stored
    assert not any(secret.encode() in stored for secret in secrets)


def test_an_access_token_expires_within_minutes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        with monkeypatch.context() as short:
            short.setattr(provider_module, "ACCESS_TOKEN_TTL_S", -1.0)
            tokens = await client.sign_in()
        expired = await client.call(tokens["access_token"])
        assert error_of(expired) == (401, "invalid_token")
        assert 'error="invalid_token"' in expired.headers["www-authenticate"]
        renewed = (await client.refresh(tokens["refresh_token"])).json()
        assert (await client.call(renewed["access_token"])).status_code == 200

    assert provider_module.ACCESS_TOKEN_TTL_S <= 900
    attack(tmp_path, work)


def test_a_refresh_token_expires(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        monkeypatch.setattr(provider_module, "REFRESH_TOKEN_TTL_S", -1.0)
        token = (await client.sign_in())["refresh_token"]
        assert error_of(await client.refresh(token)) == (400, "invalid_grant")

    attack(tmp_path, work)


@pytest.mark.parametrize("token", [None, "wrong", "refresh"])
def test_without_an_access_token_nothing_is_answered(tmp_path: Path, token: str | None):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        tokens = await client.sign_in()
        given = tokens["refresh_token"] if token == "refresh" else token
        refused = await client.call(given)
        assert refused.status_code == 401
        challenge = refused.headers["www-authenticate"]
        assert 'scope="look propose"' in challenge
        assert (
            f'resource_metadata="{rig.issuer}/.well-known/oauth-protected-resource/mcp"'
            in challenge
        )
        assert ("error=" in challenge) == (token is not None)
        assert rig.calls == []

    attack(tmp_path, work)


def test_a_tool_beyond_the_granted_scopes_is_refused_with_what_it_needs(tmp_path: Path):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        token = (await client.sign_in())["access_token"]
        assert (await client.call_tool(token, "conductor_get_status")).status_code == 200
        refused = await client.call_tool(token, "conductor_switch_mode")
        assert error_of(refused) == (403, "insufficient_scope")
        challenge = refused.headers["www-authenticate"]
        assert 'error="insufficient_scope"' in challenge
        assert 'scope="look operate"' in challenge
        assert [name for name, _ in rig.calls] == ["conductor_get_status"]

    attack(tmp_path, work)


def test_the_user_can_grant_less_than_was_requested_and_never_more(tmp_path: Path):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        await client.register()
        code = await client.get_code(
            lambda access, code: access.requests.allow_request(code, ["propose"]),
            scope="look operate propose",
        )
        assert (await client.exchange(code)).json()["scope"] == "look propose"

    attack(tmp_path, work)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost", ""])
def test_a_page_that_rebinds_its_name_reaches_nothing(tmp_path: Path, host: str):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        token = (await client.sign_in())["access_token"]
        assert (await client.call(token, host=host)).status_code in (400, 421)
        for path in ("/.well-known/oauth-authorization-server", client.build_address()):
            answer = await client.web.get(path, headers={"host": host})
            assert answer.status_code in (400, 421)

    attack(tmp_path, work)


def test_a_web_page_cannot_use_the_port(tmp_path: Path):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        token = (await client.sign_in())["access_token"]
        page = {"origin": "https://evil.example"}
        assert (await client.call(token, **page)).status_code == 403
        for path in ("/register", "/token"):
            answer = await client.web.post(path, headers=page)
            assert answer.status_code == 403
            assert "access-control-allow-origin" not in answer.headers
        assert (await client.call(token, origin=rig.issuer)).status_code == 200

    attack(tmp_path, work)


def test_plain_http_gets_no_answer(tmp_path: Path):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        def ask() -> bytes:
            with socket.create_connection(("127.0.0.1", rig.port), timeout=20) as plain:
                plain.sendall(b"GET /.well-known/oauth-authorization-server HTTP/1.1\r\n\r\n")
                got = b""
                while piece := plain.recv(4096):
                    got += piece
                return got

        assert b"HTTP" not in await anyio.to_thread.run_sync(ask)

    attack(tmp_path, work)


def test_the_agent_alone_gets_no_decision(tmp_path: Path):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        await client.register()
        waiting = (await client.web.get(client.build_address())).headers["location"]
        page = await client.web.get(waiting)
        assert (await client.web.get(waiting)).text == page.text
        assert (
            await client.web.post(waiting, data={"code": read_code(page.text)})
        ).status_code == 405
        assert "<form" not in page.text
        assert "<script" not in page.text
        assert "form-action 'none'" in page.headers["content-security-policy"]
        guessed = await client.web.get("/consent/" + "x" * 43)
        assert guessed.status_code == 404
        assert rig.access.requests.list_pending()[0].state == "pending"

    attack(tmp_path, work)


def test_the_code_of_another_browser_allows_only_that_browser(tmp_path: Path):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        await client.register()
        mine = (await client.web.get(client.build_address(state="mine"))).headers["location"]
        theirs = (await client.web.get(client.build_address(state="theirs"))).headers["location"]
        allow(rig.access, read_code((await client.web.get(mine)).text))
        assert (await client.web.get(theirs)).status_code == 200
        done = await client.web.get(mine)
        assert read_redirect(done.headers["location"])["state"] == "mine"
        # the result is given out once
        assert (await client.web.get(mine)).status_code == 404

    attack(tmp_path, work)


def test_guessing_the_code_is_stopped(tmp_path: Path):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        await client.register()
        waiting = (await client.web.get(client.build_address())).headers["location"]
        code = read_code((await client.web.get(waiting)).text)
        wrong = "000000" if code != "000000" else "000001"
        for _ in range(3):
            with pytest.raises(NotAllowed, match="not the code"):
                rig.access.requests.allow_request(wrong)
        with pytest.raises(NotAllowed, match="no agent is asking"):
            rig.access.requests.allow_request(code)
        done = await client.web.get(waiting)
        assert read_redirect(done.headers["location"])["error"] == "access_denied"

    attack(tmp_path, work)


def test_a_name_cannot_hide_or_fake_text(tmp_path: Path):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        await client.register(client_name="Cla\u202eude\n<b>\u200b" + "x" * 500)
        waiting = (await client.web.get(client.build_address())).headers["location"]
        page = (await client.web.get(waiting)).text
        assert "<b>" not in page
        view = rig.requests[0]
        assert view.client.startswith("Claude <b>x")
        assert len(view.client) <= 80

    attack(tmp_path, work)


def test_a_session_of_one_grant_is_closed_to_another(tmp_path: Path):
    async def work(rig: RemoteRig, client: RawClient) -> None:
        token = (await client.sign_in())["access_token"]
        headers = {"accept": "application/json, text/event-stream"}
        params = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "x", "version": "1"},
        }
        opened = await client.web.post(
            "/mcp",
            json={"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params},
            headers={**headers, "authorization": f"Bearer {token}"},
        )
        session = {"mcp-session-id": opened.headers["mcp-session-id"]}
        other = RawClient(rig, client.web)
        stranger = (await other.sign_in())["access_token"]
        body = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
        for given, expected in ((token, (200,)), (stranger, (401, 403, 404))):
            answer = await client.web.post(
                "/mcp",
                json=body,
                headers={**headers, **session, "authorization": f"Bearer {given}"},
            )
            assert answer.status_code in expected

    attack(tmp_path, work)


def test_nothing_secret_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    secrets: list[str] = []

    async def work(rig: RemoteRig, client: RawClient) -> None:
        await client.register()
        waiting = (await client.web.get(client.build_address())).headers["location"]
        user_code = read_code((await client.web.get(waiting)).text)
        allow(rig.access, user_code)
        code = read_redirect((await client.web.get(waiting)).headers["location"])["code"]
        tokens = (await client.exchange(code)).json()
        await client.call(tokens["access_token"])
        await client.refresh(tokens["refresh_token"])
        await client.refresh(tokens["refresh_token"])  # revoked
        await client.exchange(code)
        secrets.extend((waiting.rsplit("/", 1)[1], user_code, code, client.verifier))
        secrets.extend((tokens["access_token"], tokens["refresh_token"]))

    with caplog.at_level(logging.DEBUG):
        attack(tmp_path, work)
    own = ("conductor", "mcp", "uvicorn", "starlette", "asyncio", "sqlalchemy")
    logged = [record.getMessage() for record in caplog.records if record.name.startswith(own)]
    assert logged
    assert not any(secret in text for text in logged for secret in secrets)
