"""MCP servers at an address in a running Conductor: of both eras, and such as want the user to sign in."""

import json
import re
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.cli.at_the_keys import at_the_keys
from tests.mcp.clients import text_of, with_client
from tests.mcp_client.test_sign_in import auth_server, logged_requests, open_store
from tests.support.key_files import PASSPHRASE
from tests.support.page import CommandFailed, Page
from tests.support.running import RunningConductor, running_conductor, wait_for
from tests.tools.terminal import at_terminal

from mcp import Client

CONFIG = '[llm.mcp]\ntoolsets = ["status", "skills"]\n\n[skills.tiers]\nintegration = true\n'
PLAIN = str(Path(__file__).parents[1] / "mcp_client" / "servers" / "plain.py")
ALONE = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": "", **PASSPHRASE}
Both = tuple[RunningConductor, Page]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Generator[Both]:
    environment = {**ALONE, "HOME": str(tmp_path_factory.mktemp("user"))}
    with (
        running_conductor(CONFIG, with_page=True, environment=environment) as conductor,
        Page(conductor.address()) as page,
    ):
        yield conductor, page


@pytest.fixture
def conductor(running: Both) -> RunningConductor:
    return running[0]


@pytest.fixture
def page(running: Both) -> Page:
    page = running[1]
    page.news.clear()
    return page


@contextmanager
def left(page: Page) -> Generator[None]:
    """Remove the servers while they still answer: Conductor warns of a missing one in the log."""
    try:
        yield
    finally:
        for one in page.call("servers.list")["servers"]:
            page.call("servers.remove", name=one["name"])


def added(page: Page, url: str, wanted: str) -> dict[str, Any]:
    """Add a server, agree to what is shown, and wait until it has the wanted state."""
    shown = page.call("servers.add", name="far", entry={"type": "http", "url": f"{url}/mcp"})
    assert (shown["state"], shown["url"]) == ("needs_consent", f"{url}/mcp")
    page.call("servers.consent", name="far", digest=shown["digest"])
    return until(page, "state", wanted)


def until(page: Page, field: str, wanted: str) -> dict[str, Any]:
    def far() -> dict[str, Any]:
        return next(one for one in page.call("servers.list")["servers"] if one["name"] == "far")

    return wait_for(far, lambda one: one[field] == wanted)


def browse(url: str) -> None:
    """Go where a browser would."""
    with httpx2.Client(follow_redirects=True) as browser:
        assert browser.get(url).status_code == 200


@pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])
def test_one_of_each_era_is_added_agreed_to_listed_and_called(
    page: Page, conductor: RunningConductor, era: str
) -> None:
    with subprocess.Popen(
        [sys.executable, PLAIN, era], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        try:
            with left(page):
                view = added(page, f"http://127.0.0.1:{server.stdout.readline().strip()}", "ready")
                assert (view["era"], view["sign_in"]) == (era, "none")
                assert [one["name"] for one in view["tools"]] == ["greet"]
                assert "Hello, you" in called(page, conductor)
        finally:
            server.kill()


def called(page: Page, conductor: RunningConductor) -> str:
    """Make an agent call the tool, allow it once, and make the agent call it again."""
    words: list[str] = []

    async def work(client: Client) -> None:
        words.append(text_of(await client.call_tool("mcp__far__greet", {"name": "you"})))

    page.news.clear()
    with_client(conductor, work, era="2026-07-28")
    waits = page.wait_news("approval", lambda one: one["state"] == "pending")
    page.call("approvals.decide", approval_id=waits["approval_id"], decision="once")
    with_client(conductor, work, era="2026-07-28")
    return words[-1]


def test_the_page_signs_in_and_out(page: Page, conductor: RunningConductor, tmp_path: Path) -> None:
    with auth_server(tmp_path) as url, left(page):
        view = added(page, url, "sign_in")
        assert view["sign_in"] == "needed"
        assert "choose Sign in" in view["problem"]
        shown = page.call("servers.sign_in", name="far")
        assert (shown["host"], shown["within_s"]) == ("127.0.0.1", 300)
        assert until(page, "sign_in", "waiting")["sign_in_address"] == shown["address"]
        assert page.call("servers.cancel_sign_in", name="far")["sign_in"] == "needed"
        browse_fails(shown["address"])
        browse(page.call("servers.sign_in", name="far")["address"])
        until(page, "sign_in", "done")
        assert until(page, "state", "ready")["problem"] is None
        with pytest.raises(CommandFailed, match="already signed in to far"):
            page.call("servers.sign_in", name="far")
        page.call("servers.sign_out", name="far")
        assert until(page, "state", "sign_in")["sign_in"] == "needed"
        assert "s3cret" not in json.dumps(page.news)
        assert not [one for one in conductor.home.rglob("*") if holds(one, b"s3cret")]
        assert holds(conductor.home / "conductor.db", b"servers.sign_in")


def holds(file: Path, words: bytes) -> bool:
    together = (file, *file.parent.glob(f"{file.name}-wal"))
    return any(one.is_file() and words in one.read_bytes() for one in together)


def browse_fails(url: str) -> None:
    with httpx2.Client(follow_redirects=True) as browser, pytest.raises(httpx2.ConnectError):
        browser.get(url)


def test_a_sign_in_goes_with_the_address_and_with_the_server(
    page: Page, conductor: RunningConductor, tmp_path: Path
) -> None:
    with auth_server(tmp_path) as url, left(page):
        added(page, url, "sign_in")
        browse(page.call("servers.sign_in", name="far")["address"])
        until(page, "sign_in", "done")
        entry = {"type": "http", "url": f"{url}/mcp?other"}
        page.call("servers.update", name="far", entry=entry)
        shown = page.call("servers.update", name="far", entry={**entry, "url": f"{url}/mcp"})
        page.call("servers.consent", name="far", digest=shown["digest"])
        assert until(page, "state", "sign_in")["sign_in"] == "needed"
        browse(page.call("servers.sign_in", name="far")["address"])
        until(page, "sign_in", "done")
        assert open_store(conductor.home).load_sign_in("far", f"{url}/mcp") is not None
        page.call("servers.remove", name="far")
        assert open_store(conductor.home).load_sign_in("far", f"{url}/mcp") is None


def test_where_nobody_can_register_a_client_id_is_written_and_agreed_to(
    page: Page, conductor: RunningConductor, tmp_path: Path
) -> None:
    with auth_server(tmp_path, "client_secret_basic") as url, left(page):
        added(page, url, "sign_in")
        with pytest.raises(CommandFailed, match="get a client id from the service"):
            page.call("servers.sign_in", name="far")
        oauth = {"clientId": "from-the-service", "clientSecret": "s3cret/from:the+service"}
        entry = {"type": "http", "url": f"{url}/mcp", "oauth": oauth}
        shown = page.call("servers.update", name="far", entry=entry)
        assert shown["state"] == "needs_consent"
        assert "client id from its entry: from-the-service" in str(shown["advice"])
        page.call("servers.consent", name="far", digest=shown["digest"])
        until(page, "sign_in", "needed")
        browse(page.call("servers.sign_in", name="far")["address"])
        assert until(page, "state", "ready")["sign_in"] == "done"
        assert "s3cret" not in json.dumps(page.news)
        assert not [one for one in conductor.home.rglob("*") if holds(one, b"s3cret")]


def test_at_a_terminal_the_address_is_printed(
    page: Page, conductor: RunningConductor, tmp_path: Path
) -> None:
    with auth_server(tmp_path) as url, left(page):
        added(page, url, "sign_in")
        assert "sign-in far" in conductor.cli("servers", "list").stdout
        with at_the_keys(conductor.environment, "servers", "sign-in", "far") as keys:
            keys.wait_for("for you to sign in")
            keys.press("c")
            assert keys.ends() != 0
        assert until(page, "sign_in", "needed")["problem"].startswith("the sign-in was cancelled")
        with at_the_keys(conductor.environment, "servers", "sign-in", "far") as keys:
            keys.wait_for("for you to sign in")
            found = re.search(r"http://127\.0\.0\.1:\d+/authorize\?\S+", keys.shown)
            assert found is not None, keys.shown
            assert "To sign in to far at 127.0.0.1" in keys.shown
            browse(found.group())
            keys.wait_for("far  ready, 1 tool")
            assert keys.ends() == 0
        done = at_terminal(conductor, "servers", "sign-out", "far").stdout
        assert "Signed out of far" in done
        assert logged_requests(tmp_path)[0] == "registered"
