"""Idle connections: forgotten ones are closed, those in use are not."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from tests.mcp.test_connections import INITIALIZE
from tests.support.running import short_home

from conductor.domain.settings import LlmMcp
from conductor.mcp.server.agents import AgentSessions
from conductor.mcp.server.connection import MONITOR_METHOD
from conductor.mcp.server.deps import ServerDeps
from conductor.mcp.server.idle import (
    IDLE_CONNECTION_TIMEOUT_S,
    MAX_IDLE_CONNECTIONS,
    IdleConnections,
)
from conductor.mcp.server.socket_server import SocketServer
from conductor.mcp.server.socket_watchers import SocketWatchers
from conductor.skills.library import SkillLibrary

End = tuple[asyncio.StreamReader, asyncio.StreamWriter]
SLOW = "conductor_slow"
WITHIN_S = 30.0


class Clock:
    """A clock that a test advances."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class Place:
    """A server with a clock of its own; a slow call is answered when `go_on` is set."""

    def __init__(self, path: Path) -> None:
        self.clock = Clock()
        self.idle = IdleConnections(self.clock)
        self._writers: list[asyncio.StreamWriter] = []
        self.began, self.go_on = asyncio.Event(), asyncio.Event()
        deps: Any = _deps(path.parent)
        self.watchers = SocketWatchers(lambda _on: None)
        self.server = SocketServer(
            path, self._answer, self.watchers, AgentSessions(deps), idle=self.idle
        )

    async def _answer(self, name: str, _params: dict[str, Any], _peer: Any) -> dict[str, str]:
        if name == SLOW:
            self.began.set()
            await self.go_on.wait()
        return {"name": name}

    def pass_time(self, seconds: float) -> None:
        self.clock.now += seconds
        self.idle.close_expired()

    async def connect(self) -> End:
        end = await asyncio.open_unix_connection(self.server.path)
        self._writers.append(end[1])
        return end

    async def close(self) -> None:
        await self.server.stop()
        for writer in self._writers:
            writer.close()
        await asyncio.gather(*(w.wait_closed() for w in self._writers), return_exceptions=True)


def _deps(home: Path) -> ServerDeps:
    class NoTools:
        def list_agent_tools(self) -> tuple[()]:
            return ()

    nothing: Any = NoTools()
    skills = lambda: SkillLibrary(home)  # noqa: E731
    return ServerDeps(nothing, nothing, LlmMcp, "1", home, lambda _text: None, skills)


def with_place(work: Callable[[Place], Awaitable[None]]) -> None:
    async def run(home: Path) -> None:
        place = Place(home / "mcp.sock")
        await place.server.start()
        try:
            async with asyncio.timeout(WITHIN_S):
                await work(place)
        finally:
            await place.close()

    with short_home() as home:
        asyncio.run(run(home))


async def ask(end: End, method: str) -> dict[str, Any]:
    await send(end, method)
    return json.loads(await end[0].readline())


async def send(end: End, method: str) -> None:
    line = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}
    end[1].write(json.dumps(line).encode() + b"\n")
    await end[1].drain()


def test_a_connection_that_was_forgotten_is_closed():
    async def work(place: Place) -> None:
        silent, asked = await place.connect(), await place.connect()
        await ask(asked, "conductor_a")
        place.pass_time(IDLE_CONNECTION_TIMEOUT_S - 1)
        await ask(asked, "conductor_a")
        place.pass_time(1)
        assert await silent[0].read() == b""
        assert (await ask(asked, "conductor_b"))["result"] == {"name": "conductor_b"}
        place.pass_time(IDLE_CONNECTION_TIMEOUT_S)
        assert await asked[0].read() == b""

    with_place(work)


def test_a_watcher_is_not_closed_however_long_it_says_nothing():
    async def work(place: Place) -> None:
        watcher = await place.connect()
        await ask(watcher, MONITOR_METHOD)
        place.pass_time(IDLE_CONNECTION_TIMEOUT_S * 100)
        place.watchers.notify("monitor.notice", {"text": "still here"})
        assert b"still here" in await watcher[0].readline()

    with_place(work)


def test_an_agents_session_is_not_closed_however_long_it_says_nothing():
    async def work(place: Place) -> None:
        reader, writer = await place.connect()
        writer.write(INITIALIZE.encode() + b"\n")
        assert b"protocolVersion" in await reader.readline()
        place.pass_time(IDLE_CONNECTION_TIMEOUT_S * 100)
        assert "result" in await ask((reader, writer), "conductor_a")

    with_place(work)


def test_a_connection_that_waits_for_an_answer_is_not_closed():
    async def work(place: Place) -> None:
        waiting = await place.connect()
        await send(waiting, SLOW)
        await place.began.wait()
        place.pass_time(IDLE_CONNECTION_TIMEOUT_S * 100)
        place.go_on.set()
        assert json.loads(await waiting[0].readline())["result"] == {"name": SLOW}

    with_place(work)


def test_of_too_many_idle_connections_the_oldest_is_closed():
    async def work(place: Place) -> None:
        first, second, *others = [await place.connect() for _ in range(MAX_IDLE_CONNECTIONS)]
        await ask(others[-1], "conductor_a")
        one_more = await place.connect()
        assert await first[0].read() == b""
        for end in (one_more, second, others[-1]):
            assert "result" in await ask(end, "conductor_a")

    with_place(work)
