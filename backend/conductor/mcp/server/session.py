"""Runs the MCP library for one connection, and limits the number of calls at the same time.

The library starts a task for each request, and cancels those that run when the input ends. Therefore a
request waits here for a free slot, and the input stays open until all requests are answered.
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

from conductor.base.json_types import JsonObject
from conductor.mcp.server import rpc
from conductor.mcp.server.read_cache import ReadCache
from conductor.mcp.server.requesters import SocketCaller

log = logging.getLogger(__name__)

MAX_CONCURRENT_REQUESTS = 64
FINISH_TIMEOUT_S = 30.0
LISTEN_METHOD = "subscriptions/listen"
"""A request that stays open as long as the client listens, and therefore takes no slot."""
CANCELLED_METHOD = "notifications/cancelled"


class RequestSlots:
    """Limits the number of requests that run on one connection at the same time to
    `MAX_CONCURRENT_REQUESTS`.
    """

    def __init__(self) -> None:
        self._running: set[Any] = set()
        self._closed = False
        self._changed = asyncio.Condition()

    @property
    def is_empty(self) -> bool:
        return not self._running

    async def acquire(self, request_id: Any) -> None:
        """Wait until a slot is free, and take it for the request with this id.

        Raises:
            InvalidMessageLine: A request with this id is running.
            ConnectionError: The session has ended.
        """
        # no other caller can add the same id during the wait, because lines are read one after the
        # other
        if request_id in self._running:
            problem = f"Invalid request: id {request_id!r} is in use already"
            raise rpc.InvalidMessageLine(rpc.INVALID_REQUEST, problem[:200], request_id)
        async with self._changed:
            await self._changed.wait_for(
                lambda: self._closed or len(self._running) < MAX_CONCURRENT_REQUESTS
            )
            if self._closed:
                raise ConnectionResetError("the session has ended")
            self._running.add(request_id)

    async def release(self, request_id: Any) -> None:
        """Free the slot of a request. Nothing happens if the request has none."""
        async with self._changed:
            self._running.discard(request_id)
            self._changed.notify_all()

    async def wait_until_empty(self) -> None:
        """Wait until no request is running."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._closed or not self._running)

    async def close(self) -> None:
        """Wake all waiting requests with an error, because the session has ended."""
        async with self._changed:
            self._closed = True
            self._changed.notify_all()


class McpSession:
    """Runs the MCP library for one connection, and answers repeated read-only calls without the library."""

    def __init__(
        self,
        server: Server[Any],
        options: InitializationOptions,
        caller: SocketCaller,
        send: Callable[[bytes], Awaitable[None]],
        cache: ReadCache,
        on_end: Callable[[], None],
        on_failure: Callable[[], None],
    ) -> None:
        self.caller = caller
        self._send = send
        self._cache = cache
        self._cached_calls: dict[Any, asyncio.Task[None]] = {}
        """The running requests that are answered without the library, by id."""
        self._on_end = on_end
        self._on_failure = on_failure
        self._slots = RequestSlots()
        # without a buffer, because a client that does not read its answers must not fill the memory
        self._input, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        write, self._output = anyio.create_memory_object_stream[SessionMessage](0)
        self._running = asyncio.create_task(
            self._run_library_loop(server.run(read, write, options))
        )
        self._writing = asyncio.create_task(self._write_messages())

    async def receive_line(self, line: bytes, message: JsonObject) -> None:
        """Handle one line of the client. `message` is the parsed line.

        Raises:
            InvalidMessageLine: The line is not a valid MCP message.
            ConnectionError: The session has ended.
        """
        if self._cache.can_answer_call(message):
            await self._slots.acquire(message["id"])
            self._cached_calls[message["id"]] = asyncio.create_task(
                self._answer_from_cache(message)
            )
            return
        parsed = _parse_message(line, message)
        if isinstance(parsed, JSONRPCRequest) and parsed.method != LISTEN_METHOD:
            self._cache.on_request(message, is_alone=self._slots.is_empty)
            # While all slots are taken, this waits. No further line is read meanwhile, so the
            # client has to wait too.
            await self._slots.acquire(parsed.id)
        elif isinstance(parsed, JSONRPCNotification) and parsed.method == CANCELLED_METHOD:
            await self._cancel_request((parsed.params or {}).get("requestId"))
        metadata = ServerMessageMetadata(request_context=self.caller)
        try:
            await self._input.send(SessionMessage(parsed, metadata))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            raise ConnectionResetError("the session has ended") from None

    async def finish_requests(self) -> None:
        """Wait until all requests are answered, but at most for `FINISH_TIMEOUT_S`.

        The time is limited, because a question to the user may stay unanswered.
        """
        try:
            async with asyncio.timeout(FINISH_TIMEOUT_S):
                await self._slots.wait_until_empty()
        except TimeoutError:
            log.info("a client stopped sending before all of its calls were answered")

    async def close(self) -> None:
        """Cancel the library's loop and all running calls."""
        self._on_end()
        self._input.close()
        tasks = [self._running, self._writing, *self._cached_calls.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _answer_from_cache(self, message: JsonObject) -> None:
        """Answer a repeated read with `ReadCache`, without the MCP library."""
        request_id = message["id"]
        try:
            await self._send(await self._cache.answer_call(message))
        except (ConnectionError, TimeoutError):
            # `send_line` raises these if the client has disconnected or does not read
            await self._abort_connection()
        except Exception:  # one bad call must not end the connection
            log.exception("cached call failed")
            error = rpc.build_error_response(
                request_id, rpc.INTERNAL_ERROR, "Internal error: see the log"
            )
            await self._send(rpc.encode_message(error))
        finally:
            self._cached_calls.pop(request_id, None)
            await self._slots.release(request_id)

    async def _cancel_request(self, request_id: Any) -> None:
        if not isinstance(request_id, int | str):
            return
        task = self._cached_calls.pop(request_id, None)
        if task is not None:
            task.cancel()
        # The library sends no answer to a cancelled request, so nothing else would free its slot.
        await self._slots.release(request_id)

    async def _run_library_loop(self, loop: Awaitable[None]) -> None:
        try:
            await loop
        except* (anyio.BrokenResourceError, anyio.ClosedResourceError):
            # the client disconnected while a message was being sent
            await self._abort_connection()
        except* Exception:  # one broken session must not end the server
            log.exception("MCP session failed")
            await self._abort_connection()

    async def _abort_connection(self) -> None:
        """Close the connection at once, after the library's loop has failed.

        Otherwise the reader would wait for slots forever, because no request is answered without the loop.
        """
        self._on_failure()
        await self._slots.close()

    async def _write_messages(self) -> None:
        try:
            async with self._output:
                async for item in self._output:
                    await self._write_message(item.message)
        except (ConnectionError, TimeoutError):
            await self._abort_connection()

    async def _write_message(self, message: JSONRPCMessage) -> None:
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
        # sent before the slot is freed, so that a client that does not read blocks its own requests
        await self._send(text.encode() + b"\n")
        if isinstance(message, JSONRPCResponse):
            self._cache.on_response(message.id, message.result)
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            await self._slots.release(message.id)


def _parse_message(line: bytes, message: JsonObject) -> JSONRPCMessage:
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        is_params = "params" in message and not isinstance(message["params"], dict)
        code = rpc.INVALID_PARAMS if is_params else rpc.INVALID_REQUEST
        problem = "`params` must be an object" if is_params else "not an MCP message"
        raise rpc.InvalidMessageLine(
            code, f"Invalid request: {problem}", message.get("id")
        ) from None
