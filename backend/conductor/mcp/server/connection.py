"""Serves one socket connection: answers bare JSON-RPC lines, and passes all other lines to the MCP library.

A bare line is a JSON-RPC request that needs no handshake. Such lines are handled one after the other. Calls
of an agent run at the same time, at most `MAX_CONCURRENT_REQUESTS` of them, and are answered even after the
client has stopped sending.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from conductor.base.json_types import JsonObject
from conductor.errors import ConductorError
from conductor.mcp.server import rpc
from conductor.mcp.server.idle import IdleConnections
from conductor.mcp.server.peer import Peer, is_this_program

if TYPE_CHECKING:
    from conductor.mcp.server.session import McpSession

log = logging.getLogger(__name__)

AnswerCallback = Callable[[str, JsonObject, Peer | None], Awaitable[Any]]
"""Answers a request, given its method, its parameters and the process that sent it.

Raises the error for the client.
"""
MAX_MESSAGE_LINE_BYTES = 4 * 1024 * 1024
LINE_WRITE_TIMEOUT_S = 10.0
BARE_METHOD_PREFIXES = ("conductor_", "terminal.")
MONITOR_METHOD = "conductor_monitor"
CHAT_METHOD_PREFIX = "terminal.chat."
TOPIC_BY_WATCH_METHOD = {MONITOR_METHOD: "monitor", f"{CHAT_METHOD_PREFIX}watch": "chat"}
"""The topic of the notifications that a client receives after calling a method."""


class SocketConnection:
    """Reads the lines of one client and answers them.

    `open_session` is called for the first MCP message of the client, to open an MCP session.
    """

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        peer: Peer | None,
        answer: AnswerCallback,
        on_watch: Callable[["SocketConnection", str], None],
        open_session: Callable[["SocketConnection"], Awaitable["McpSession | None"]],
        idle: IdleConnections,
    ) -> None:
        self._reader = reader
        self.writer = writer
        self.peer = peer
        self._answer = answer
        self._on_watch = on_watch
        self._open_session = open_session
        self._idle = idle
        self._may_stay_idle = is_this_program(peer)
        """Whether the connection may stay idle without being closed."""
        self._session: McpSession | None = None
        self._write_lock = asyncio.Lock()

    async def answer_requests(self) -> None:
        """Answer requests until the client has closed the connection and every request is answered."""
        try:
            while line := await self._read_next_line():
                if line.strip():
                    await self._on_line(line)
            if self._session is not None:
                await self._session.finish_requests()
        except (ConnectionError, TimeoutError):
            # `close` would wait until the client has read the lines in the buffer, which may never
            # happen
            self.writer.transport.abort()
        finally:
            if self._session is not None:
                await self._session.close()
            self.writer.close()

    async def send_line(self, line: bytes) -> None:
        """Send one line to the client.

        Raises:
            TimeoutError: The client has stopped reading.
            ConnectionError: The client has disconnected.
        """
        # one line at a time, so that the time limit applies to each line
        async with self._write_lock:
            self.writer.write(line)
            async with asyncio.timeout(LINE_WRITE_TIMEOUT_S):
                await self.writer.drain()

    def push_line(self, line: bytes, max_unsent_bytes: int) -> bool:
        """Send one line without waiting for the client.

        If more than `max_unsent_bytes` already wait for the client to read them, the connection is closed
        and False is returned.
        """
        if (
            self.writer.is_closing()
            or self.writer.transport.get_write_buffer_size() > max_unsent_bytes
        ):
            self.writer.transport.abort()
            return False
        self.writer.write(line)
        return True

    async def _read_next_line(self) -> bytes:
        if self._may_stay_idle or self._session is not None:
            return await self._read_line()
        self._idle.add(self.writer.close)
        try:
            return await self._read_line()
        finally:
            self._idle.remove(self.writer.close)

    async def _read_line(self) -> bytes:
        try:
            return await self._reader.readline()
        except ValueError:
            # the stream reader cannot skip the rest of a line that is too long, so the connection
            # ends
            problem = f"a line is longer than {MAX_MESSAGE_LINE_BYTES} bytes"
            await self.send_line(
                rpc.encode_message(rpc.build_error_response(None, rpc.INVALID_REQUEST, problem))
            )
            return b""

    async def _on_line(self, line: bytes) -> None:
        try:
            message = rpc.parse_message(line)
            if message.get("method", "").startswith(BARE_METHOD_PREFIXES):
                answer = await self._answer_bare_request(message)
            else:
                answer = await self._pass_to_session(line, message)
        except rpc.InvalidMessageLine as bad:
            answer = bad.answer
        if answer is not None:
            await self.send_line(rpc.encode_message(answer))

    async def _answer_bare_request(self, message: JsonObject) -> JsonObject | None:
        request_id, params = message.get("id"), message.get("params", {})
        if not isinstance(params, dict):
            problem = "Invalid params: `params` must be an object"
            raise rpc.InvalidMessageLine(rpc.INVALID_PARAMS, problem, request_id)
        answer = await self._call_tool(message["method"], params, request_id)
        topic = TOPIC_BY_WATCH_METHOD.get(message["method"])
        if topic is not None and "result" in answer:
            self._may_stay_idle = True
            self._on_watch(self, topic)
        return answer if "id" in message else None

    async def _call_tool(self, name: str, params: JsonObject, request_id: Any) -> JsonObject:
        try:
            return rpc.build_result_response(
                request_id, await self._answer(name, params, self.peer)
            )
        except ConductorError as error:
            return rpc.build_exception_response(request_id, error)
        except Exception:  # one bad call must not end the connection
            log.exception("the socket method %s raised an unexpected exception", name[:80])
            return rpc.build_error_response(
                request_id, rpc.INTERNAL_ERROR, "Internal error: see the log"
            )

    async def _pass_to_session(self, line: bytes, message: JsonObject) -> JsonObject | None:
        if self._session is None:
            self._session = await self._open_session(self)
        if self._session is not None:
            await self._session.receive_line(line, message)
            return None
        # the MCP library could not be loaded
        if "id" not in message or "method" not in message:
            return None
        problem = f"Method not found: {message['method'][:80]}"
        return rpc.build_error_response(message["id"], rpc.METHOD_NOT_FOUND, problem)
