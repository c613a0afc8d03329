"""One connection of the socket: bare lines are answered here, all else is the MCP library's.

A bare line works before, after and without a handshake. Lines are taken one after the other; calls of an
agent run beside each other, at most `SLOTS` of them, and are answered even after the other end stops
sending.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from conductor.errors import ConductorError
from conductor.mcp.server import rpc
from conductor.mcp.server.idle import Idle
from conductor.mcp.server.peer import Peer, is_this_program

if TYPE_CHECKING:
    from conductor.mcp.server.session import Session

log = logging.getLogger(__name__)

Answer = Callable[[str, dict[str, Any], Peer | None], Awaitable[Any]]
"""Method, params and who is at the other end -> the result; raises what goes back as an error."""
LONGEST_LINE = 4 * 1024 * 1024
WRITE_WITHIN_S = 10.0
BARE = ("conductor_", "terminal.")
WATCH = "conductor_monitor"
CHAT = "terminal.chat."
WATCHES = {WATCH: "monitor", f"{CHAT}watch": "chat"}
"""What pushes notifications from then on, and how their methods begin."""


class Connection:
    """Reads lines and answers them. `open_session` gives what serves an agent, once it is loaded."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        peer: Peer | None,
        answer: Answer,
        on_watch: Callable[["Connection", str], None],
        open_session: Callable[["Connection"], Awaitable["Session | None"]],
        idle: Idle,
    ) -> None:
        self._reader = reader
        self.writer = writer
        self.peer = peer
        self._answer = answer
        self._on_watch = on_watch
        self._open_session = open_session
        self._idle = idle
        self._stays = is_this_program(peer)
        self._session: Session | None = None
        self._writing = asyncio.Lock()

    async def serve(self) -> None:
        """Serve until the other end closes, and everything asked is answered."""
        try:
            while line := await self._next_line():
                if line.strip():
                    await self._take(line)
            if self._session is not None:
                await self._session.finish()
        except (ConnectionError, TimeoutError):
            self.writer.transport.abort()
        finally:
            if self._session is not None:
                await self._session.close()
            self.writer.close()

    async def send(self, line: bytes) -> None:
        """Write a line.

        Raises:
            TimeoutError: the other end does not read.
            ConnectionError: it is gone.
        """
        async with self._writing:
            self.writer.write(line)
            async with asyncio.timeout(WRITE_WITHIN_S):
                await self.writer.drain()

    def push(self, line: bytes, unsent_at_most: int) -> bool:
        """Write a line without waiting; False when too much waits already, and the end is cut off."""
        if (
            self.writer.is_closing()
            or self.writer.transport.get_write_buffer_size() > unsent_at_most
        ):
            self.writer.transport.abort()
            return False
        self.writer.write(line)
        return True

    async def _next_line(self) -> bytes:
        if self._stays or self._session is not None:
            return await self._read_line()
        self._idle.begin(self.writer.close)
        try:
            return await self._read_line()
        finally:
            self._idle.end(self.writer.close)

    async def _read_line(self) -> bytes:
        try:
            return await self._reader.readline()
        except ValueError:
            over = f"a line is longer than {LONGEST_LINE} bytes"
            await self.send(rpc.encode(rpc.error(None, rpc.INVALID_REQUEST, over)))
            return b""

    async def _take(self, line: bytes) -> None:
        try:
            message = rpc.parse(line)
            if message.get("method", "").startswith(BARE):
                answer = await self._bare(message)
            else:
                answer = await self._for_agent(line, message)
        except rpc.BadLine as bad:
            answer = bad.answer
        if answer is not None:
            await self.send(rpc.encode(answer))

    async def _bare(self, message: rpc.Message) -> rpc.Message | None:
        number, params = message.get("id"), message.get("params", {})
        if not isinstance(params, dict):
            wrong = "Invalid params: `params` must be an object"
            raise rpc.BadLine(rpc.INVALID_PARAMS, wrong, number)
        answer = await self._call(message["method"], params, number)
        topic = WATCHES.get(message["method"])
        if topic is not None and "result" in answer:
            self._stays = True
            self._on_watch(self, topic)
        return answer if "id" in message else None

    async def _call(self, name: str, params: dict[str, Any], number: Any) -> rpc.Message:
        try:
            return rpc.result(number, await self._answer(name, params, self.peer))
        except ConductorError as error:
            return rpc.refusal(number, error)
        except Exception:  # one bad call must not end the connection
            log.exception("a call failed")
            return rpc.error(number, rpc.INTERNAL_ERROR, "Internal error: see the log")

    async def _for_agent(self, line: bytes, message: rpc.Message) -> rpc.Message | None:
        if self._session is None:
            self._session = await self._open_session(self)
        if self._session is not None:
            await self._session.put(line, message)
            return None
        if "id" not in message or "method" not in message:
            return None
        unknown = f"Method not found: {message['method'][:80]}"
        return rpc.error(message["id"], rpc.METHOD_NOT_FOUND, unknown)
