"""How a server of the newer kind is listened to that refuses, or ends what it tells."""

from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.mcp_client.stand import Stand, script, with_host

from conductor.mcp.client import connection

AGAIN_S = 0.01
LOGGED = "change notifications unavailable"


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LISTEN_RETRY_S", AGAIN_S)


async def grows(stand: Stand) -> None:
    """Have the server get a tool twice, and wait until both are seen."""
    for count in (2, 3):
        await stand.text("look")
        await stand.until(lambda view, count=count: len(view.tools) == count)


async def asked(stand: Stand, often: int) -> list[float]:
    """Wait until it was asked so often, and give when."""
    await stand.logged("asked at", often)
    return [float(line.split()[-1]) for line in stand.host.log("it")][:often]


@pytest.mark.parametrize("how", ["refusing", "ending"])
def test_what_changes_is_seen_also_after_listening_has_failed(
    tmp_path: Path, how: str, caplog: pytest.LogCaptureFixture
):
    caplog.set_level("INFO")

    async def work(stand: Stand):
        await stand.host.start(script("growing", how, "3"))
        await asked(stand, 4)
        await grows(stand)

    with_host(tmp_path, work)
    told = [one.message for one in caplog.records if LOGGED in one.message]
    reason = {"refusing": "it answered: not now", "ending": "it ended the stream"}[how]
    assert told == [f"MCP server it: {LOGGED}: {reason}"]


@pytest.mark.parametrize("how", ["refusing", "ending"])
def test_a_server_that_never_tells_for_long_is_asked_ever_more_rarely(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
):
    monkeypatch.setattr(connection, "clock", SimpleNamespace(now=lambda: 0.0))

    async def work(stand: Stand):
        await stand.host.start(script("growing", how, "100"))
        waits_s = [after - before for before, after in pairwise(await asked(stand, 6))]
        assert all(wait >= AGAIN_S * 2**n for n, wait in enumerate(waits_s)), waits_s

    with_host(tmp_path, work)
