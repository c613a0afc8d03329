"""Servers that want a sign-in: a real authorization server, and a browser that follows where it is led."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Coroutine, Generator
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from tests.mcp_client import stand
from tests.mcp_client.stand import SCRIPTS, Stand

from conductor.errors import ActionFailed, NotAvailable
from conductor.mcp.client import sign_in as flow
from conductor.mcp.client.values import ClientView, Server
from conductor.storage.keys import Keys
from conductor.storage.sign_ins import SignIns

PASSPHRASE = {"CONDUCTOR_KEYS_PASSPHRASE": "a long enough passphrase"}


def kept_in(folder: Path) -> SignIns:
    """Return the encrypted file of a folder, as another start of Conductor would find it."""
    return SignIns(Keys(folder, environment=PASSPHRASE))


@contextmanager
def signed(folder: Path, *how: str) -> Generator[str]:
    """Run the server; give its address. What it was asked is in `log`."""
    with (folder / "log").open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, str(SCRIPTS / "signed.py"), *how],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


def asked(folder: Path) -> list[str]:
    lines = (folder / "log").read_text().splitlines()
    return [line.removeprefix("asked: ") for line in lines if line.startswith("asked: ")]


def standing(folder: Path, store: SignIns | None = None) -> AbstractAsyncContextManager[Stand]:
    return stand.standing(folder, sign_ins=store or kept_in(folder))


def run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(work())


def at(url: str) -> Server:
    return Server("it", "http", url=f"{url}/mcp")


async def browse(address: str) -> httpx2.Response:
    """Do what a browser does: follow every redirect, to the last page."""
    async with httpx2.AsyncClient(follow_redirects=True) as browser:
        return await browser.get(address)


async def sign_in(here: Stand) -> ClientView:
    assert (await browse(await here.host.sign_in("it"))).status_code == 200
    await here.host.wait_signed_in("it")
    return here.view()


async def needed(here: Stand, url: str) -> None:
    await here.host.start(at(url))
    view = here.view()
    assert (view.state, view.sign_in) == ("sign_in", "needed")
    assert "choose Sign in" in (view.problem or "")


def test_a_server_that_wants_a_sign_in_says_so_and_is_not_asked_again(tmp_path: Path) -> None:
    async def work() -> None:
        with signed(tmp_path) as url:
            async with standing(tmp_path) as here:
                await needed(here, url)
                with pytest.raises(NotAvailable):
                    await here.host.call("it", "greet", {"name": "you"})
        assert asked(tmp_path) == []  # nobody registered, and nobody was sent anywhere

    run(work)


def test_the_user_signs_in_calls_a_tool_and_stays_signed_in(tmp_path: Path) -> None:
    async def work() -> None:
        with signed(tmp_path, "long") as url:
            async with standing(tmp_path) as here:
                await needed(here, url)
                address = await here.host.sign_in("it")
                assert (here.view().sign_in, here.view().sign_in_address) == ("waiting", address)
                query = parse_qs(urlsplit(address).query)
                assert query["code_challenge_method"] == ["S256"]
                assert query["resource"] == [f"{url}/mcp"]
                assert query["redirect_uri"][0].startswith("http://127.0.0.1:")
                page = await browse(address)
                assert (page.status_code, "close this page" in page.text) == (200, True)
                await here.host.wait_signed_in("it")
                view = here.view()
                assert (view.state, view.sign_in, view.problem) == ("ready", "done", None)
                assert await here.text("greet", "it", name="you") == "Hello, you"
            async with standing(tmp_path) as here:  # another start
                await here.host.start(at(url))
                assert (here.view().state, here.view().sign_in) == ("ready", "done")
                assert await here.text("greet", "it", name="me") == "Hello, me"
        assert asked(tmp_path) == ["registered", f"authorize {url}/mcp", "token"]

    run(work)


def test_a_token_that_ended_between_two_starts_is_renewed(tmp_path: Path) -> None:
    async def work() -> None:
        with signed(tmp_path) as url:
            async with standing(tmp_path) as here:
                await needed(here, url)
                assert (await sign_in(here)).state == "ready"
            store = kept_in(tmp_path)
            kept = json.loads(store.load("it", f"{url}/mcp") or "")
            store.save("it", f"{url}/mcp", json.dumps({**kept, "ends_at": 1.0}))
            async with standing(tmp_path) as here:
                await here.host.start(at(url))
                assert (here.view().state, here.view().problem) == ("ready", None)
            async with standing(tmp_path) as here:  # the new one is kept in the place of the old
                await here.host.start(at(url))
                assert await here.text("greet", "it", name="you") == "Hello, you"
        assert asked(tmp_path)[2:] == ["token", "refreshed"]

    run(work)


@pytest.mark.parametrize(("how", "state"), [("busy", "starting"), ("gone", "sign_in")])
def test_a_renewal_that_fails_for_now_does_not_cost_the_sign_in(
    tmp_path: Path, how: str, state: str
) -> None:
    async def work() -> None:
        with signed(tmp_path, how) as url:
            async with standing(tmp_path) as here:
                await needed(here, url)
                await sign_in(here)
                async with httpx2.AsyncClient() as other:
                    await other.post(f"{url}/forget{'' if how == 'busy' else '?all'}")
                with pytest.raises(ActionFailed):
                    await here.host.call("it", "greet", {"name": "you"})
                if how == "gone":
                    await here.until(lambda view: view.state == state)
                else:
                    assert here.view().sign_in == "done"

    run(work)


def test_a_token_that_the_server_ends_early_is_renewed_within_the_call(tmp_path: Path) -> None:
    async def work() -> None:
        with signed(tmp_path) as url:
            async with standing(tmp_path) as here:
                await needed(here, url)
                await sign_in(here)
                async with httpx2.AsyncClient() as other:
                    await other.post(f"{url}/forget")
                assert await here.text("greet", "it", name="you") == "Hello, you"
        assert asked(tmp_path).count("refreshed") == 1

    run(work)


def test_one_whose_sign_in_was_taken_back_asks_for_it_again(tmp_path: Path) -> None:
    async def work() -> None:
        with signed(tmp_path) as url:
            async with standing(tmp_path) as here:
                await needed(here, url)
                await sign_in(here)
                async with httpx2.AsyncClient() as other:
                    await other.post(f"{url}/forget?all")
                with pytest.raises(ActionFailed, match="sign in"):
                    await here.host.call("it", "greet", {"name": "you"})
                await here.until(lambda view: view.state == "sign_in")
                assert (await sign_in(here)).state == "ready"

    run(work)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("mixes up", "iss mismatch"),
        ("denies", "you declined"),
        ("gives no token", "issued no token (400, invalid_grant)"),
    ],
)
def test_what_the_browser_brings_back_may_end_it(tmp_path: Path, how: str, words: str) -> None:
    async def work() -> None:
        with signed(tmp_path, how) as url:
            async with standing(tmp_path) as here:
                await needed(here, url)
                view = await sign_in(here)
                assert (view.state, view.sign_in) == ("sign_in", "needed")
                assert words in (view.problem or "")
                assert "secret" not in (view.problem or "")
        assert "token" not in asked(tmp_path)

    run(work)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("other issuer", "issuer mismatch"),
        ("plain authorize", "other.example without encryption"),
        ("strange authorize", "with a user name"),
        ("no registration", "does not let Conductor register itself"),
    ],
)
def test_a_sign_in_that_leads_astray_never_reaches_the_browser(
    tmp_path: Path, how: str, words: str
) -> None:
    async def work() -> None:
        with signed(tmp_path, how) as url:
            async with standing(tmp_path) as here:
                await needed(here, url)
                with pytest.raises(NotAvailable, match=words):
                    await here.host.sign_in("it")
                assert here.view().sign_in == "needed"

    run(work)


def test_a_code_is_not_sent_without_encryption(tmp_path: Path) -> None:
    async def work() -> None:
        with signed(tmp_path, "plain token") as url:
            async with standing(tmp_path) as here:
                await needed(here, url)
                view = await sign_in(here)
                assert "other.example without encryption" in (view.problem or "")

    run(work)


def test_metadata_that_moves_to_another_host_is_not_followed(tmp_path: Path) -> None:
    async def work() -> None:
        with signed(tmp_path, "moves away") as url:
            async with standing(tmp_path) as here:
                await needed(here, url)
                address = await here.host.sign_in("it")
                assert urlsplit(address).hostname == "127.0.0.1"

    run(work)


def test_only_the_answer_with_the_right_state_counts_and_only_once(tmp_path: Path) -> None:
    async def work() -> None:
        with signed(tmp_path) as url:
            async with standing(tmp_path) as here:
                await needed(here, url)
                address = await here.host.sign_in("it")
                back = parse_qs(urlsplit(address).query)["redirect_uri"][0]
                for wrong in ("?code=x&state=guessed", "?code=x", "?error=access_denied", ""):
                    assert (await browse(back + wrong)).status_code == 400
                other = back.replace("127.0.0.1", "localhost")
                state = parse_qs(urlsplit(address).query)["state"][0]
                assert (await browse(f"{other}?code=x&state={state}")).status_code == 400
                assert here.view().sign_in == "waiting"
                assert (await browse(address)).status_code == 200
                await here.host.wait_signed_in("it")
                with pytest.raises(httpx2.HTTPError):  # nobody listens any more
                    await browse(f"{back}?code=x&state={state}")
                assert here.view().state == "ready"

    run(work)


def test_a_sign_in_is_waited_for_so_long_and_can_be_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flow.SignInFlow.run, "__defaults__", (0.5,))

    async def work() -> None:
        with signed(tmp_path) as url:
            async with standing(tmp_path) as here:
                await needed(here, url)
                await here.host.sign_in("it")
                await here.host.wait_signed_in("it")
                assert "not completed within" in (here.view().problem or "")
                monkeypatch.undo()
                await here.host.sign_in("it")
                await here.host.cancel_sign_in("it")
                assert "cancelled" in (here.view().problem or "")
                assert here.view().sign_in == "needed"

    run(work)


def test_without_a_safe_place_nobody_is_sent_to_sign_in(tmp_path: Path) -> None:
    async def work() -> None:
        with signed(tmp_path) as url:
            async with standing(tmp_path, SignIns(Keys(tmp_path, environment={}))) as here:
                await needed(here, url)
                with pytest.raises(NotAvailable, match="safe place"):
                    await here.host.sign_in("it")
        assert asked(tmp_path) == []

    run(work)


def test_a_sign_in_counts_for_its_name_and_address_alone(tmp_path: Path) -> None:
    store, address = kept_in(tmp_path), "https://a.example/mcp"
    store.save("a", address, "t" * 5_000)
    assert kept_in(tmp_path).load("b", address) is None
    assert kept_in(tmp_path).load("a", address) == "t" * 5_000
    store.save("a", address, "short")
    assert kept_in(tmp_path).load("a", address) == "short"
    assert store.load("a", "https://b.example/mcp") is None
    assert kept_in(tmp_path).load("a", address) is None


def test_tokens_are_in_no_file_that_is_not_encrypted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")

    async def work() -> None:
        with signed(tmp_path) as url:
            async with standing(tmp_path) as here:
                await needed(here, url)
                view = await sign_in(here)
                await here.text("greet", "it", name="you")
                said = (view.model_dump_json(), *here.host.log("it"), caplog.text)
                assert not any("s3cret" in one or "code-" in one for one in said)

    run(work)
    files = [one for one in tmp_path.rglob("*") if one.is_file()]
    assert any(one.name == "keys.enc" for one in files)
    assert not any(b"s3cret" in one.read_bytes() for one in files)
