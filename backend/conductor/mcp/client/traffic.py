"""What passes between a server and the MCP library: looked at first, cut, and held back when it is too much.

The library starts a task for each message and writes a line to the log for each bad one, so a server that
floods is slowed down here. It also runs the schemas of outputs, and refuses a whole list for one bad tool:
of a tool it sees the name and where its arguments go.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

import anyio
from mcp.shared.dispatcher import coerce_request_id
from mcp.shared.message import SessionMessage
from mcp_types import (
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)

from conductor.base import clock
from conductor.base.rate_limit import RateLimit
from conductor.mcp.client.texts import for_log

KEPT_LINES = 500
BURST, PER_SECOND = 1_000, 500
"""Messages that nobody asked for; a server that sends more waits..."""
MOST_EXCESS, FORGIVEN_PER_SECOND = 2_000, 50
"""...and one that goes on like this is ended; what was too much now and then is forgotten."""
REQUEST_COSTS = 20
"""An answer to a request of the server is work, also when it is a refusal."""
PROGRESS_PER_SECOND = 10
MOST_PARTS = 200
LONGEST_TEXT = 200_000
LONGEST_PAGE = 2_000_000
"""Of a resource that is a page: most have their whole library in them."""
LARGEST_BLOB = 8_000_000
_PASSED_ON = ("notifications/cancelled", "notifications/subscriptions/acknowledged")
Item = SessionMessage | Exception


class ServerLog:
    """The last lines that a server wrote: to stderr, as log messages, and what was no message at all."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=KEPT_LINES)

    def add(self, line: str) -> None:
        if shown := for_log(line):
            self._lines.append(shown)

    def lines(self) -> list[str]:
        return list(self._lines)


class Traffic:
    """Of one connection."""

    def __init__(
        self,
        log: ServerLog,
        on_list_changed: Callable[[str], None],
        now: Callable[[], float] = clock.now,
    ) -> None:
        self.log = log
        self._on_list_changed = on_list_changed
        self._asked: dict[RequestId, tuple[str, Any]] = {}
        self._limit = RateLimit(BURST, PER_SECOND, now)
        self._excess = RateLimit(MOST_EXCESS, FORGIVEN_PER_SECOND, now)
        self._progress = RateLimit(PROGRESS_PER_SECOND, PROGRESS_PER_SECOND)
        self.flooded = asyncio.Event()
        self.pages: dict[Any, list[dict[str, Any]]] = {}
        """The tools as they came, by the cursor of their page."""

    def leaves(self, item: SessionMessage) -> None:
        """Take note of what is asked."""
        message = item.message
        if isinstance(message, JSONRPCRequest):
            self._asked[_id(message.id)] = (message.method, (message.params or {}).get("cursor"))
        elif isinstance(message, JSONRPCNotification) and message.method == _PASSED_ON[0]:
            self._asked.pop((message.params or {}).get("requestId", 0), None)

    async def comes(self, item: Item) -> Item | None:
        """Return what the library is to see of a message, or None; wait when there are too many."""
        if isinstance(item, Exception):
            self.log.add(f"no message of the protocol: {item}")
            return await self._held(None)
        match item.message:
            case JSONRPCResponse(id=number, result=result) if _id(number) in self._asked:
                self._answered(_id(number), result)
                return item
            case JSONRPCError(id=number) if _id(number) in self._asked:
                self._asked.pop(_id(number))
                return item
            case JSONRPCNotification(method=method, params=params):
                passes = self._notified(method, params or {})
                return await self._held(item if passes else None)
            case JSONRPCRequest():
                return await self._held(item, REQUEST_COSTS)
            case _:  # an answer to nothing
                return await self._held(None)

    async def _held(self, item: Item | None, cost: int = 1) -> Item | None:
        while True:
            wait_s = self._limit.take("", cost)
            if not wait_s:
                return item
            if self._excess.take("", cost):
                self.flooded.set()
                raise anyio.EndOfStream
            await asyncio.sleep(wait_s)

    def _answered(self, number: RequestId, result: dict[str, Any]) -> None:
        method, cursor = self._asked.pop(number)
        if method == "tools/list":
            self._tools_came(cursor, result)
            return
        for key in ("content", "contents", "messages"):
            if isinstance(result.get(key), list):
                result[key] = [_cut(part) for part in result[key][:MOST_PARTS]]

    def _tools_came(self, cursor: Any, result: dict[str, Any]) -> None:
        tools = result.get("tools")
        if isinstance(tools, list):
            self.pages[cursor] = [tool for tool in tools if _has_name(tool)]
            result["tools"] = [_in_short(tool) for tool in self.pages[cursor]]

    def _notified(self, method: str, params: dict[str, Any]) -> bool:
        """Take note of a notification; say whether the library needs it."""
        if method == "notifications/message":
            self.log.add(f"{params.get('level')}: {str(params.get('data'))[:1000]}")
            return False
        if method.endswith("/list_changed"):
            self._on_list_changed(method.split("/")[1])
            return False
        if method == "notifications/progress":
            return self._is_progress(params) and not self._progress.take("")
        return method in _PASSED_ON

    def _is_progress(self, params: dict[str, Any]) -> bool:
        return (
            params.get("progressToken") in self._asked
            if isinstance(params.get("progressToken"), int)
            and isinstance(params.get("progress"), int | float)
            and isinstance(params.get("total", 0), int | float)
            and isinstance(params.get("message", ""), str)
            else False
        )


def _has_name(tool: Any) -> bool:
    return isinstance(tool, dict) and isinstance(tool.get("name"), str)


def _in_short(tool: dict[str, Any]) -> dict[str, Any]:
    """Return what the library needs: the name, and the schema, which may name headers."""
    schema = tool.get("inputSchema")
    is_usable = isinstance(schema, dict) and schema.get("type") == "object"
    return {"name": tool["name"], "inputSchema": schema if is_usable else {"type": "object"}}


def _id(number: RequestId | None) -> RequestId:
    return "" if number is None else coerce_request_id(number)


def _cut(part: Any) -> Any:
    """Cut a part of a result, so that nothing after this has to look at megabytes."""
    if not isinstance(part, dict):
        return part
    is_page = "uri" in part and str(part.get("mimeType")).startswith("text/html")
    longest = LONGEST_PAGE if is_page else LONGEST_TEXT
    for inner in (part, part.get("resource"), part.get("content")):
        if isinstance(inner, dict):
            for key, limit in (
                ("text", longest),
                ("data", LARGEST_BLOB),
                ("blob", LARGEST_BLOB),
            ):
                value = inner.get(key)
                if isinstance(value, str) and len(value) > limit:
                    inner[key] = value[:limit] if key == "text" else ""
    return part


class FilteredReceiveStream:
    """The library's read stream, seen through `Traffic`."""

    def __init__(self, stream: Any, traffic: Traffic) -> None:
        self._stream, self._traffic = stream, traffic

    @property
    def last_context(self) -> Any:
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> Item:
        while True:
            item = await self._traffic.comes(await self._stream.receive())
            if item is not None:
                return item

    async def __anext__(self) -> Item:
        while True:
            try:
                item = await self._traffic.comes(await self._stream.__anext__())
            except anyio.EndOfStream:
                raise StopAsyncIteration from None
            if item is not None:
                return item

    def __aiter__(self) -> "FilteredReceiveStream":
        return self

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> "FilteredReceiveStream":
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._stream.__aexit__(*error)


class TrackedSendStream:
    """The library's write stream, seen through `Traffic`."""

    def __init__(self, stream: Any, traffic: Traffic) -> None:
        self._stream, self._traffic = stream, traffic

    async def send(self, item: SessionMessage, /) -> None:
        self._traffic.leaves(item)
        await self._stream.send(item)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> "TrackedSendStream":
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._stream.__aexit__(*error)
