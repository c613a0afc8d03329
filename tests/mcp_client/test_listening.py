"""Change notifications of a modern server that refuses the subscription, or ends the stream."""

from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.mcp_client.rig import ClientRig, script, with_client

from conductor.mcp.client import connection

AGAIN_S = 0.01
LOGGED = "change notifications unavailable"


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LISTEN_RETRY_S", AGAIN_S)


async def add_tools(rig: ClientRig) -> None:
    """Make the server add two tools, one after the other, and wait until both are listed."""
    for count in (2, 3):
        await rig.text("look")
        await rig.until(lambda view, count=count: len(view.tools) == count)


async def wait_for_subscriptions(rig: ClientRig, often: int) -> list[float]:
    """Wait for the first `often` subscriptions; return their times."""
    await rig.logged("asked at", often)
    return [float(line.split()[-1]) for line in rig.manager.read_server_log("it")][:often]


@pytest.mark.parametrize("how", ["refusing", "ending"])
def test_changes_are_seen_after_subscriptions_have_failed(
    tmp_path: Path, how: str, caplog: pytest.LogCaptureFixture
):
    caplog.set_level("INFO")

    async def work(rig: ClientRig):
        await rig.manager.start(script("growing", how, "3"))
        await wait_for_subscriptions(rig, 4)
        await add_tools(rig)

    with_client(tmp_path, work)
    lines = [record.message for record in caplog.records if LOGGED in record.message]
    reason = {"refusing": "it answered: not now", "ending": "it ended the stream"}[how]
    assert lines == [f"MCP server it: {LOGGED}: {reason}"]


@pytest.mark.parametrize("how", ["refusing", "ending"])
def test_a_server_that_never_keeps_a_stream_open_is_asked_less_and_less_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
):
    monkeypatch.setattr(connection, "clock", SimpleNamespace(now=lambda: 0.0))

    async def work(rig: ClientRig):
        await rig.manager.start(script("growing", how, "100"))
        waits_s = [
            after - before for before, after in pairwise(await wait_for_subscriptions(rig, 6))
        ]
        assert all(wait >= AGAIN_S * 2**n for n, wait in enumerate(waits_s)), waits_s

    with_client(tmp_path, work)
