"""A connection as the MCP library sees it: two streams, and no more calls at once than there are slots.

The library starts a task for each request and cancels those under way when the input ends. So a request
waits here for a free slot, and the input stays open until what was asked is answered.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.models import InitializationOptions
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import (
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from conductor.mcp.server import rpc
from conductor.mcp.server.read_cache import ReadCache
from conductor.mcp.server.requesters import SocketCaller

log = logging.getLogger(__name__)

SLOTS = 64
ANSWER_WITHIN_S = 30.0
NEVER_ANSWERED = "subscriptions/listen"
CANCELLED = "notifications/cancelled"


class Slots:
    """Which requests are under way."""

    def __init__(self) -> None:
        self._under_way: set[Any] = set()
        self._closed = False
        self._changed = asyncio.Condition()

    @property
    def none_taken(self) -> bool:
        return not self._under_way

    async def take(self, number: Any) -> None:
        """Wait until there is room, and count the request in.

        Raises:
            BadLine: a request with this id is under way.
            ConnectionError: the session has ended.
        """
        if number in self._under_way:
            twice = f"Invalid request: id {number!r} is under way already"
            raise rpc.BadLine(rpc.INVALID_REQUEST, twice[:200], number)
        async with self._changed:
            await self._changed.wait_for(lambda: self._closed or len(self._under_way) < SLOTS)
            if self._closed:
                raise ConnectionResetError("the session has ended")
            self._under_way.add(number)

    async def free(self, number: Any) -> None:
        """Count a request out."""
        async with self._changed:
            self._under_way.discard(number)
            self._changed.notify_all()

    async def all_free(self) -> None:
        """Wait until none is under way."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._closed or not self._under_way)

    async def close(self) -> None:
        """Let nobody wait any longer: nothing will be answered any more."""
        async with self._changed:
            self._closed = True
            self._changed.notify_all()


class Session:
    """Runs the library's loop for one connection."""

    def __init__(
        self,
        server: Server[Any],
        options: InitializationOptions,
        caller: SocketCaller,
        send: Callable[[bytes], Awaitable[None]],
        shortcut: ReadCache,
        on_end: Callable[[], None],
        on_failure: Callable[[], None],
    ) -> None:
        self.caller = caller
        self._send = send
        self._shortcut = shortcut
        self._short: dict[Any, asyncio.Task[None]] = {}
        self._on_end = on_end
        self._on_failure = on_failure
        self._slots = Slots()
        self._input, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        write, self._output = anyio.create_memory_object_stream[SessionMessage](0)
        self._running = asyncio.create_task(self._run(server.run(read, write, options)))
        self._writing = asyncio.create_task(self._write_all())

    async def put(self, line: bytes, message: rpc.Message) -> None:
        """Hand over a line.

        Raises:
            BadLine: it is not a message of the protocol.
            ConnectionError: the session has ended.
        """
        if self._shortcut.takes(message):
            await self._slots.take(message["id"])
            self._short[message["id"]] = asyncio.create_task(self._answer(message))
            return
        parsed = _parsed(line, message)
        if isinstance(parsed, JSONRPCRequest) and parsed.method != NEVER_ANSWERED:
            self._shortcut.asks(message, alone=self._slots.none_taken)
            await self._slots.take(parsed.id)
        elif isinstance(parsed, JSONRPCNotification) and parsed.method == CANCELLED:
            await self._cancel((parsed.params or {}).get("requestId"))
        metadata = ServerMessageMetadata(request_context=self.caller)
        try:
            await self._input.send(SessionMessage(parsed, metadata))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            raise ConnectionResetError("the session has ended") from None

    async def finish(self) -> None:
        """Wait until everything asked is answered; not for ever, for a question may stay open."""
        try:
            async with asyncio.timeout(ANSWER_WITHIN_S):
                await self._slots.all_free()
        except TimeoutError:
            log.info("a client stopped sending, and some of its calls were not answered in time")

    async def close(self) -> None:
        """End the loop and what still runs in it."""
        self._on_end()
        self._input.close()
        tasks = [self._running, self._writing, *self._short.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _answer(self, message: rpc.Message) -> None:
        """Answer what the library need not see."""
        number = message["id"]
        try:
            await self._send(await self._shortcut.answer(message))
        except (ConnectionError, TimeoutError):
            await self._fail()
        except Exception:  # one bad call must not end the connection
            log.exception("a call failed")
            failed = rpc.error(number, rpc.INTERNAL_ERROR, "Internal error: see the log")
            await self._send(rpc.encode(failed))
        finally:
            self._short.pop(number, None)
            await self._slots.free(number)

    async def _cancel(self, number: Any) -> None:
        if not isinstance(number, int | str):
            return
        task = self._short.pop(number, None)
        if task is not None:
            task.cancel()
        await self._slots.free(number)

    async def _run(self, loop: Awaitable[None]) -> None:
        try:
            await loop
        except* (anyio.BrokenResourceError, anyio.ClosedResourceError):
            # the other end hung up while a message was on its way
            await self._fail()
        except* Exception:  # one broken session must not end the server
            log.exception("a session failed")
            await self._fail()

    async def _fail(self) -> None:
        """Cut the connection off, so that its reader does not wait for answers that cannot come."""
        self._on_failure()
        await self._slots.close()

    async def _write_all(self) -> None:
        try:
            async with self._output:
                async for item in self._output:
                    await self._write(item.message)
        except (ConnectionError, TimeoutError):
            await self._fail()

    async def _write(self, message: JSONRPCMessage) -> None:
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
        await self._send(text.encode() + b"\n")
        if isinstance(message, JSONRPCResponse):
            self._shortcut.answered(message.id, message.result)
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            await self._slots.free(message.id)


def _parsed(line: bytes, message: rpc.Message) -> JSONRPCMessage:
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        is_params = "params" in message and not isinstance(message["params"], dict)
        code = rpc.INVALID_PARAMS if is_params else rpc.INVALID_REQUEST
        wrong = "`params` must be an object" if is_params else "not a message of the protocol"
        raise rpc.BadLine(code, f"Invalid request: {wrong}", message.get("id")) from None
