"""Servers that require a sign-in: a real authorization server, and a browser that follows redirects."""

import asyncio
import atexit
import json
from collections.abc import Callable, Coroutine, Generator
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from tests.mcp_client import rig
from tests.mcp_client.rig import SCRIPTS, ClientRig
from tests.support.fork_server import ForkServer
from tests.support.key_files import keys_in_file

from conductor.errors import ActionFailed, NotAvailable
from conductor.mcp.client import sign_in as flow
from conductor.mcp.client.values import ClientView, ConsentedServer
from conductor.storage.keys import Keys
from conductor.storage.sign_ins import SignIns


def open_store(folder: Path) -> SignIns:
    """Return the store of the encrypted file in a folder, as after a restart."""
    return SignIns(keys_in_file(folder))


@cache
def fork_server() -> ForkServer:
    """Return the process that becomes authorization servers; it ends with the tests' process."""
    server = ForkServer("uvicorn", "mcp.server.mcpserver", "mcp.server.auth.settings")
    atexit.register(server.close)
    return server


@contextmanager
def auth_server(folder: Path, *how: str) -> Generator[str]:
    """Run the server; yield its address. It writes the requests that it gets to `log`."""
    with (
        (folder / "log").open("w") as errors,
        fork_server().run(SCRIPTS / "auth.py", *how, stderr=errors) as process,
    ):
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"


def logged_requests(folder: Path) -> list[str]:
    lines = (folder / "log").read_text().splitlines()
    return [line.removeprefix("asked: ") for line in lines if line.startswith("asked: ")]


def open_rig(folder: Path, store: SignIns | None = None) -> AbstractAsyncContextManager[ClientRig]:
    return rig.open_rig(folder, sign_ins=store or open_store(folder))


def run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(work())


def at(url: str) -> ConsentedServer:
    return ConsentedServer("it", "http", url=f"{url}/mcp")


async def browse(address: str) -> httpx2.Response:
    """Follow every redirect to the last page, as a browser does."""
    async with httpx2.AsyncClient(follow_redirects=True, verify=False) as browser:
        return await browser.get(address)


async def sign_in(here: ClientRig) -> ClientView:
    assert (await browse(await here.manager.sign_in("it"))).status_code == 200
    await here.manager.wait_until_signed_in("it")
    return here.view()


async def start_refused(here: ClientRig, url: str) -> None:
    await here.manager.start(at(url))
    view = here.view()
    assert (view.state, view.sign_in) == ("sign_in", "needed")
    assert "choose Sign in" in (view.problem or "")


def test_a_server_that_wants_a_sign_in_says_so_and_is_not_asked_again(tmp_path: Path) -> None:
    async def work() -> None:
        with auth_server(tmp_path) as url:
            async with open_rig(tmp_path) as here:
                await start_refused(here, url)
                with pytest.raises(NotAvailable):
                    await here.manager.call_tool("it", "greet", {"name": "you"})
        assert logged_requests(tmp_path) == []  # nobody registered, and nobody was sent anywhere

    run(work)


def test_the_user_signs_in_calls_a_tool_and_stays_signed_in(tmp_path: Path) -> None:
    async def work() -> None:
        with auth_server(tmp_path, "long") as url:
            async with open_rig(tmp_path) as here:
                await start_refused(here, url)
                address = await here.manager.sign_in("it")
                assert (here.view().sign_in, here.view().sign_in_address) == ("waiting", address)
                query = parse_qs(urlsplit(address).query)
                assert query["code_challenge_method"] == ["S256"]
                assert query["resource"] == [f"{url}/mcp"]
                assert query["redirect_uri"][0].startswith("http://127.0.0.1:")
                page = await browse(address)
                assert (page.status_code, "close this page" in page.text) == (200, True)
                await here.manager.wait_until_signed_in("it")
                view = here.view()
                assert (view.state, view.sign_in, view.problem) == ("ready", "done", None)
                assert await here.text("greet", "it", name="you") == "Hello, you"
            async with open_rig(tmp_path) as here:  # another start
                await here.manager.start(at(url))
                assert (here.view().state, here.view().sign_in) == ("ready", "done")
                assert await here.text("greet", "it", name="me") == "Hello, me"
        assert logged_requests(tmp_path) == ["registered", f"authorize {url}/mcp", "token"]

    run(work)


def test_a_token_that_ended_between_two_starts_is_renewed(tmp_path: Path) -> None:
    async def work() -> None:
        with auth_server(tmp_path) as url:
            async with open_rig(tmp_path) as here:
                await start_refused(here, url)
                assert (await sign_in(here)).state == "ready"
            store = open_store(tmp_path)
            kept = json.loads(store.load_sign_in("it", f"{url}/mcp") or "")
            store.save_sign_in("it", f"{url}/mcp", json.dumps({**kept, "ends_at": 1.0}))
            async with open_rig(tmp_path) as here:
                await here.manager.start(at(url))
                assert (here.view().state, here.view().problem) == ("ready", None)
            async with open_rig(tmp_path) as here:  # the new one is kept in the place of the old
                await here.manager.start(at(url))
                assert await here.text("greet", "it", name="you") == "Hello, you"
        assert logged_requests(tmp_path)[2:] == ["token", "refreshed"]

    run(work)


@pytest.mark.parametrize(("how", "state"), [("busy", "starting"), ("gone", "sign_in")])
def test_a_renewal_that_fails_for_now_does_not_cost_the_sign_in(
    tmp_path: Path, how: str, state: str
) -> None:
    async def work() -> None:
        with auth_server(tmp_path, how) as url:
            async with open_rig(tmp_path) as here:
                await start_refused(here, url)
                await sign_in(here)
                async with httpx2.AsyncClient(verify=False) as other:
                    await other.post(f"{url}/forget{'' if how == 'busy' else '?all'}")
                with pytest.raises(ActionFailed):
                    await here.manager.call_tool("it", "greet", {"name": "you"})
                if how == "gone":
                    await here.until(lambda view: view.state == state)
                else:
                    assert here.view().sign_in == "done"

    run(work)


def test_a_token_that_the_server_ends_early_is_renewed_within_the_call(tmp_path: Path) -> None:
    async def work() -> None:
        with auth_server(tmp_path) as url:
            async with open_rig(tmp_path) as here:
                await start_refused(here, url)
                await sign_in(here)
                async with httpx2.AsyncClient(verify=False) as other:
                    await other.post(f"{url}/forget")
                assert await here.text("greet", "it", name="you") == "Hello, you"
        assert logged_requests(tmp_path).count("refreshed") == 1

    run(work)


def test_a_server_that_revokes_the_sign_in_asks_for_it_again(tmp_path: Path) -> None:
    async def work() -> None:
        with auth_server(tmp_path) as url:
            async with open_rig(tmp_path) as here:
                await start_refused(here, url)
                await sign_in(here)
                async with httpx2.AsyncClient(verify=False) as other:
                    await other.post(f"{url}/forget?all")
                with pytest.raises(ActionFailed, match="sign in"):
                    await here.manager.call_tool("it", "greet", {"name": "you"})
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
def test_a_redirect_with_an_error_ends_the_sign_in(tmp_path: Path, how: str, words: str) -> None:
    async def work() -> None:
        with auth_server(tmp_path, how) as url:
            async with open_rig(tmp_path) as here:
                await start_refused(here, url)
                view = await sign_in(here)
                assert (view.state, view.sign_in) == ("sign_in", "needed")
                assert words in (view.problem or "")
                assert "secret" not in (view.problem or "")
        assert "token" not in logged_requests(tmp_path)

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
def test_a_sign_in_with_a_wrong_address_never_reaches_the_browser(
    tmp_path: Path, how: str, words: str
) -> None:
    async def work() -> None:
        with auth_server(tmp_path, how) as url:
            async with open_rig(tmp_path) as here:
                await start_refused(here, url)
                with pytest.raises(NotAvailable, match=words):
                    await here.manager.sign_in("it")
                assert here.view().sign_in == "needed"

    run(work)


def test_a_code_is_not_sent_without_encryption(tmp_path: Path) -> None:
    async def work() -> None:
        with auth_server(tmp_path, "plain token") as url:
            async with open_rig(tmp_path) as here:
                await start_refused(here, url)
                view = await sign_in(here)
                assert "other.example without encryption" in (view.problem or "")

    run(work)


def test_metadata_that_moves_to_another_host_is_not_followed(tmp_path: Path) -> None:
    async def work() -> None:
        with auth_server(tmp_path, "moves away") as url:
            async with open_rig(tmp_path) as here:
                await start_refused(here, url)
                address = await here.manager.sign_in("it")
                assert urlsplit(address).hostname == "127.0.0.1"

    run(work)


def test_only_the_answer_with_the_right_state_counts_and_only_once(tmp_path: Path) -> None:
    async def work() -> None:
        with auth_server(tmp_path) as url:
            async with open_rig(tmp_path) as here:
                await start_refused(here, url)
                address = await here.manager.sign_in("it")
                back = parse_qs(urlsplit(address).query)["redirect_uri"][0]
                for wrong in ("?code=x&state=guessed", "?code=x", "?error=access_denied", ""):
                    assert (await browse(back + wrong)).status_code == 400
                other = back.replace("127.0.0.1", "localhost")
                state = parse_qs(urlsplit(address).query)["state"][0]
                assert (await browse(f"{other}?code=x&state={state}")).status_code == 400
                assert here.view().sign_in == "waiting"
                assert (await browse(address)).status_code == 200
                await here.manager.wait_until_signed_in("it")
                with pytest.raises(httpx2.HTTPError):  # nobody listens any more
                    await browse(f"{back}?code=x&state={state}")
                assert here.view().state == "ready"

    run(work)


def test_a_sign_in_times_out_and_can_be_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flow.SignInFlow.run, "__defaults__", (0.5,))

    async def work() -> None:
        with auth_server(tmp_path) as url:
            async with open_rig(tmp_path) as here:
                await start_refused(here, url)
                with suppress(
                    NotAvailable
                ):  # on a busy computer it times out before it has an address
                    await here.manager.sign_in("it")
                await here.manager.wait_until_signed_in("it")
                assert "not completed within" in (here.view().problem or "")
                monkeypatch.undo()
                await here.manager.sign_in("it")
                await here.manager.cancel_sign_in("it")
                assert "cancelled" in (here.view().problem or "")
                assert here.view().sign_in == "needed"

    run(work)


def test_without_secure_storage_no_sign_in_starts(tmp_path: Path) -> None:
    async def work() -> None:
        with auth_server(tmp_path) as url:
            async with open_rig(tmp_path, SignIns(Keys(tmp_path, environment={}))) as here:
                await start_refused(here, url)
                with pytest.raises(NotAvailable, match="safe place"):
                    await here.manager.sign_in("it")
        assert logged_requests(tmp_path) == []

    run(work)


def test_a_sign_in_counts_for_its_name_and_address_alone(tmp_path: Path) -> None:
    store, address = open_store(tmp_path), "https://a.example/mcp"
    store.save_sign_in("a", address, "t" * 5_000)
    assert open_store(tmp_path).load_sign_in("b", address) is None
    assert open_store(tmp_path).load_sign_in("a", address) == "t" * 5_000
    store.save_sign_in("a", address, "short")
    assert open_store(tmp_path).load_sign_in("a", address) == "short"
    assert store.load_sign_in("a", "https://b.example/mcp") is None
    assert open_store(tmp_path).load_sign_in("a", address) is None


def test_tokens_are_in_no_file_that_is_not_encrypted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")

    async def work() -> None:
        with auth_server(tmp_path) as url:
            async with open_rig(tmp_path) as here:
                await start_refused(here, url)
                view = await sign_in(here)
                await here.text("greet", "it", name="you")
                texts = (view.model_dump_json(), *here.manager.read_server_log("it"), caplog.text)
                assert not any("s3cret" in text or "code-" in text for text in texts)

    run(work)
    files = [item for item in tmp_path.rglob("*") if item.is_file()]
    assert any(each.name == "keys.enc" for each in files)
    assert not any(b"s3cret" in item.read_bytes() for item in files)
