"""Servers over HTTP: real ones, and ones that redirect, never finish, or refuse the client."""

import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.mcp_client.rig import BIN, SCRIPTS, ClientRig, with_client
from tests.support.llm_server import free_port

from conductor.errors import ActionFailed
from conductor.mcp.client import traffic
from conductor.mcp.client.supervisor import SupervisorTimes
from conductor.mcp.client.values import ConsentedServer

HEADERS = {"x-key": "k"}
ONCE = SupervisorTimes(back_off_s=(), settle_s=0.05)


@contextmanager
def web(mode: str, log: Path, elsewhere: str = "") -> Generator[str]:
    with log.open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, str(SCRIPTS / "web.py"), mode, elsewhere],
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


def at(url: str, **more: object) -> ConsentedServer:
    return ConsentedServer("it", "http", url=f"{url}/mcp", headers=HEADERS, **more)  # pyright: ignore


def test_a_server_is_called_with_the_headers_that_the_user_typed(tmp_path: Path):
    async def work(rig: ClientRig):
        with web("needs a token", tmp_path / "log") as url:
            await rig.manager.start(at(url))
            assert rig.view().state == "ready"
            assert await rig.text("look") == "seen"

    with_client(tmp_path, work)


def test_headers_do_not_follow_a_redirect_to_another_host(tmp_path: Path):
    async def work(rig: ClientRig):
        with (
            web("plain", tmp_path / "there") as there,
            web("redirects", tmp_path / "here", there) as url,
        ):
            await rig.manager.start(at(url))
            view = rig.view()
            assert view.state == "failed"
            assert view.problem == "it answered with status 307"
        assert (tmp_path / "there").read_text() == ""

    with_client(tmp_path, work)


def test_a_refusal_says_what_to_look_at(tmp_path: Path):
    async def work(rig: ClientRig):
        with web("refuses", tmp_path / "log") as url:
            await rig.manager.start(at(url))
        assert "check the headers" in (rig.view().problem or "")

    with_client(tmp_path, work)


def test_no_server_and_another_kind_of_server_have_different_errors(tmp_path: Path):
    async def work(rig: ClientRig):
        await rig.manager.start(ConsentedServer("it", "http", url="http://127.0.0.1:9/mcp"))
        assert "cannot connect to its address" in (rig.view().problem or "")
        with web("no protocol", tmp_path / "log") as url:
            await rig.manager.start(at(url))
            assert "Unexpected content type" in (rig.view().problem or "")

    with_client(tmp_path, work, ONCE)


@pytest.mark.parametrize("mode", ["is large", "is packed", "has many parts"])
def test_an_answer_without_end_is_given_up_and_the_next_call_works(tmp_path: Path, mode: str):
    async def work(rig: ClientRig):
        with web(mode, tmp_path / "log") as url:
            await rig.manager.start(at(url))
            with pytest.raises(ActionFailed, match="too large"):
                await rig.manager.call_tool("it", "look", {})
            assert rig.view().state == "ready"

    with_client(tmp_path, work)


@pytest.mark.parametrize(
    "mode", ["drips json", "drips comments", "drips half an event", "drips progress"]
)
def test_an_answer_that_never_ends_is_waited_for_no_longer_than_a_call_may_take(
    tmp_path: Path, mode: str
):
    async def work(rig: ClientRig):
        with web(mode, tmp_path / "log") as url:
            await rig.manager.start(at(url, timeout_s=1.0))
            with pytest.raises(ActionFailed, match="did not answer within 1 s"):
                await rig.manager.call_tool("it", "look", {})
            assert rig.view().state == "ready"

    with_client(tmp_path, work)


@pytest.mark.parametrize("mode", ["long session", "strange session"])
def test_a_session_that_no_request_can_carry_is_no_more_than_a_failed_server(
    tmp_path: Path, mode: str
):
    async def work(rig: ClientRig):
        with web(mode, tmp_path / "log") as url:
            await rig.manager.start(at(url))
            view = rig.view()
            assert view.state in ("ready", "failed")
            assert len(view.problem or "") < 500

    with_client(tmp_path, work)


def test_a_flood_of_events_ends_the_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(traffic, "MAX_EXCESS_MESSAGES", 200)  # as it is: a flood over stdio

    async def work(rig: ClientRig):
        with web("floods", tmp_path / "log") as url:
            await rig.manager.start(at(url))
            with pytest.raises(ActionFailed):
                await rig.manager.call_tool("it", "look", {})
            view = await rig.until(lambda view: view.state == "failed")
            assert "far more messages than it is asked for" in (view.problem or "")

    with_client(tmp_path, work)


def test_a_server_that_never_answers_delete_is_left(tmp_path: Path):
    async def work(rig: ClientRig):
        with web("never ends", tmp_path / "log") as url:
            await rig.manager.start(at(url))
            await rig.manager.stop("it")
            assert rig.view().state == "stopped"

    with_client(tmp_path, work)


def test_a_real_server_at_an_address_is_used_like_one_of_this_machine(tmp_path: Path):
    port = free_port()
    everything = subprocess.Popen(
        [BIN / "mcp-server-everything", "streamableHttp"],
        env={"PORT": str(port), "PATH": os.environ["PATH"]},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert everything.stderr is not None

    async def work(rig: ClientRig):
        for line in everything.stderr or ():
            if "listening" in line:
                break
        await rig.manager.start(ConsentedServer("it", "http", url=f"http://127.0.0.1:{port}/mcp"))
        assert rig.view().problem is None
        assert rig.view().era == "2025-11-25"
        assert await rig.text("echo", "it", message="hi") == "Echo: hi"
        assert any(each.is_template for each in rig.view().resources)

    try:
        with_client(tmp_path, work)
    finally:
        everything.kill()
        everything.wait()
        everything.stderr.close()
