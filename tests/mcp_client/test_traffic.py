"""Flood control: a server may send many unrequested messages now and then, but not all the time."""

import asyncio

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification

from conductor.base import clock
from conductor.mcp.client import traffic
from conductor.mcp.client.traffic import ServerLog, TrafficFilter

DAY_S = 86_400.0


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the limits, so that a test does not wait for seconds."""
    monkeypatch.setattr(traffic, "UNREQUESTED_MESSAGE_BURST", 10)
    monkeypatch.setattr(traffic, "MAX_EXCESS_MESSAGES", 20)


class Days:
    """A clock that a test can advance by days."""

    def __init__(self) -> None:
        self.passed = 0

    def __call__(self) -> float:
        return clock.now() + self.passed * DAY_S


async def logs(seen: TrafficFilter, lines: int) -> None:
    params = {"level": "info", "data": "x"}
    line = JSONRPCNotification(jsonrpc="2.0", method="notifications/message", params=params)
    for _ in range(lines):
        await seen.filter_incoming(SessionMessage(line))


def test_a_daily_burst_is_forgiven():
    async def scenario() -> None:
        days = Days()
        seen = TrafficFilter(ServerLog(), lambda _: None, days)
        for days.passed in range(1, 11):
            await logs(seen, 18)
        assert not seen.flooded.is_set()

    asyncio.run(scenario())


def test_a_continuous_flood_ends_the_connection():
    async def scenario() -> None:
        seen = TrafficFilter(ServerLog(), lambda _: None)
        with pytest.raises(anyio.EndOfStream):
            await logs(seen, 10_000)
        assert seen.flooded.is_set()

    asyncio.run(scenario())
