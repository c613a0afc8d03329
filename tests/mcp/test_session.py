"""One connection's session: the calls that it answers itself, and what ends it."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from conductor.base.json_types import JsonObject
from conductor.mcp.server.requesters import SocketCaller
from conductor.mcp.server.session import McpSession

CALL = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "get_status"}}


class QuietServer:
    """A library that never answers."""

    async def run(self, read: Any, write: Any, options: Any) -> None:
        async with read, write:
            async for _ in read:
                pass


class KnownCalls:
    """A cache that can answer every tool call."""

    def __init__(self, answer: Callable[[JsonObject], Awaitable[bytes]]) -> None:
        self.answer_call = answer

    def can_answer_call(self, message: JsonObject) -> bool:
        return message["method"] == CALL["method"]


class Connection:
    """A session and what it has sent."""

    def __init__(self, answer: Callable[[JsonObject], Awaitable[bytes]]) -> None:
        self.sent: list[JsonObject] = []
        self.failures = 0
        self.is_readable = True
        parts: Any = (QuietServer(), None, SocketCaller(None), self._send, KnownCalls(answer))
        self.session = McpSession(*parts, on_end=lambda: None, on_failure=self._on_failure)

    async def _send(self, line: bytes) -> None:
        if not self.is_readable:
            raise ConnectionResetError("the client has gone")
        self.sent.append(json.loads(line))

    def _on_failure(self) -> None:
        self.failures += 1

    async def receive(self, message: JsonObject) -> None:
        await self.session.receive_line(json.dumps(message).encode(), message)

    @property
    def remembered(self) -> int:
        """The number of calls that the session remembers as running."""
        return len(self.session._cached_calls)  # pyright: ignore[reportPrivateUsage]


async def answer_with_id(message: JsonObject) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {}}).encode()


def test_a_call_that_is_answered_is_no_longer_remembered() -> None:
    async def run() -> None:
        connection = Connection(answer_with_id)
        for number in range(200):  # more than may run at the same time
            await connection.receive({**CALL, "id": number})
        await connection.session.finish_requests()
        assert sorted(one["id"] for one in connection.sent) == list(range(200))
        assert connection.remembered == 0
        await connection.session.close()

    asyncio.run(run())


def test_a_call_that_fails_is_answered_with_an_error_and_the_next_one_is_served(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def answer(message: JsonObject) -> bytes:
        if message["id"] == 1:
            raise RuntimeError("broken tool")
        return await answer_with_id(message)

    async def run() -> None:
        connection = Connection(answer)
        for number in (1, 2):
            await connection.receive({**CALL, "id": number})
        await connection.session.finish_requests()
        answers = {one["id"]: one for one in connection.sent}
        assert "see the log" in answers[1]["error"]["message"]
        assert "broken tool" not in json.dumps(connection.sent)
        assert answers[2]["result"] == {}
        assert (connection.failures, connection.remembered) == (0, 0)
        await connection.session.close()

    asyncio.run(run())
    assert "broken tool" in caplog.text


def test_a_cancelled_call_ends_without_an_answer_and_its_id_is_free_again() -> None:
    async def run() -> None:
        begun, never = asyncio.Event(), asyncio.Event()

        async def answer(message: JsonObject) -> bytes:
            if not begun.is_set():
                begun.set()
                await never.wait()
            return await answer_with_id(message)

        connection = Connection(answer)
        await connection.receive({**CALL, "id": 7})
        await begun.wait()
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
        await connection.receive(cancel)
        await connection.session.finish_requests()
        assert connection.sent == []
        await connection.receive({**CALL, "id": 7})
        await connection.session.finish_requests()
        assert [one["id"] for one in connection.sent] == [7]
        await connection.session.close()

    asyncio.run(run())


def test_a_client_that_has_gone_ends_the_session_and_takes_no_more_calls() -> None:
    async def run() -> None:
        connection = Connection(answer_with_id)
        connection.is_readable = False
        await connection.receive({**CALL, "id": 1})
        await connection.session.finish_requests()
        assert connection.failures == 1
        with pytest.raises(ConnectionResetError, match="the session has ended"):
            await connection.receive({**CALL, "id": 2})
        await connection.session.close()

    asyncio.run(run())
