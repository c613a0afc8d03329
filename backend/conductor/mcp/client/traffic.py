"""Filters the messages between a server and the MCP library: drops, shortens and delays them.

The library starts a task for each message and logs each invalid one, so a server that sends too much is
slowed down before the library sees its messages. The library also evaluates output schemas, and rejects a
whole list because of a single invalid tool. Therefore it sees only the names and input schemas of tools.
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
from conductor.base.json_types import JsonObject
from conductor.base.rate_limit import RateLimiter
from conductor.mcp.client.texts import format_log_line

MAX_SERVER_LOG_LINES = 500
UNREQUESTED_MESSAGE_BURST, UNREQUESTED_MESSAGES_PER_SECOND = 1_000, 500
"""How many unrequested messages a server may send at once and per second.

A server that sends more is read more slowly.
"""
MAX_EXCESS_MESSAGES, FORGIVEN_MESSAGES_PER_SECOND = 2_000, 50
"""A server is disconnected after this many messages in excess.

The excess is forgiven at this rate per second.
"""
REQUEST_COST_IN_MESSAGES = 20
"""A request of a server counts as this many messages, because even a refusal needs an answer."""
PROGRESS_MESSAGES_PER_SECOND = 10
MAX_RESULT_PARTS = 200
MAX_PART_TEXT_LENGTH = 200_000
MAX_PART_HTML_LENGTH = 2_000_000
"""The maximum length of an HTML page in characters.

It is high, because most pages contain their whole script library.
"""
MAX_PART_BLOB_LENGTH = 8_000_000
_CANCELLED_METHOD = "notifications/cancelled"
_FORWARDED_METHODS = (_CANCELLED_METHOD, "notifications/subscriptions/acknowledged")
"""The notifications other than progress that the MCP library handles."""
StreamItem = SessionMessage | Exception


class ServerLog:
    """The last lines of a server's log: standard error, log messages, and output that is not an MCP message."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=MAX_SERVER_LOG_LINES)

    def add_line(self, line: str) -> None:
        if text := format_log_line(line):
            self._lines.append(text)

    def get_lines(self) -> list[str]:
        return list(self._lines)


class TrafficFilter:
    """Filters the messages of one connection, and matches responses to requests."""

    def __init__(
        self,
        log: ServerLog,
        on_list_changed: Callable[[str], None],
        now: Callable[[], float] = clock.now,
    ) -> None:
        self.log = log
        self._on_list_changed = on_list_changed
        self._pending: dict[RequestId, tuple[str, Any]] = {}
        """The method and the cursor of each request that has no response yet."""
        self._limit = RateLimiter(UNREQUESTED_MESSAGE_BURST, UNREQUESTED_MESSAGES_PER_SECOND, now)
        self._excess = RateLimiter(MAX_EXCESS_MESSAGES, FORGIVEN_MESSAGES_PER_SECOND, now)
        self._progress = RateLimiter(PROGRESS_MESSAGES_PER_SECOND, PROGRESS_MESSAGES_PER_SECOND)
        self.flooded = asyncio.Event()
        self.tool_pages: dict[Any, list[JsonObject]] = {}
        """The complete tools in each page of `tools/list`, by the cursor of the page."""

    def track_outgoing(self, item: SessionMessage) -> None:
        """Record the requests that are sent, so that their responses are recognised."""
        message = item.message
        if isinstance(message, JSONRPCRequest):
            self._pending[_to_request_id(message.id)] = (
                message.method,
                (message.params or {}).get("cursor"),
            )
        elif isinstance(message, JSONRPCNotification) and message.method == _CANCELLED_METHOD:
            # a late response to a cancelled request counts as an unrequested message
            self._pending.pop((message.params or {}).get("requestId", 0), None)

    async def filter_incoming(self, item: StreamItem) -> StreamItem | None:
        """Return the message to pass to the library, or None to drop it.

        While the server exceeds its rate, this waits.

        Raises:
            EndOfStream: The server keeps exceeding its rate; `flooded` is set.
        """
        # A response to a pending request is never delayed, because the requests already limit their
        # number.
        if isinstance(item, Exception):
            self.log.add_line(f"not an MCP message: {item}")
            return await self._throttle_message(None)
        match item.message:
            case JSONRPCResponse(id=request_id, result=result) if (
                _to_request_id(request_id) in self._pending
            ):
                self._on_request_result(_to_request_id(request_id), result)
                return item
            case JSONRPCError(id=request_id) if _to_request_id(request_id) in self._pending:
                self._pending.pop(_to_request_id(request_id))
                return item
            case JSONRPCNotification(method=method, params=params):
                is_forwarded = self._on_notification(method, params or {})
                return await self._throttle_message(item if is_forwarded else None)
            case JSONRPCRequest():
                return await self._throttle_message(item, REQUEST_COST_IN_MESSAGES)
            case _:  # a response to an unknown request
                return await self._throttle_message(None)

    async def _throttle_message(self, item: StreamItem | None, cost: int = 1) -> StreamItem | None:
        """Wait until the rate limit allows another message, and return the item.

        Nothing is read meanwhile, so the pipe or socket fills up and the server has to wait too.
        """
        while True:
            wait_s = self._limit.take_tokens("", cost)
            if not wait_s:
                return item
            if self._excess.take_tokens("", cost):
                self.flooded.set()
                # the library ends the session as if the server had closed it
                raise anyio.EndOfStream
            await asyncio.sleep(wait_s)

    def _on_request_result(self, request_id: RequestId, result: JsonObject) -> None:
        method, cursor = self._pending.pop(request_id)
        if method == "tools/list":
            self._on_tools_list_result(cursor, result)
            return
        for key in ("content", "contents", "messages"):
            if isinstance(result.get(key), list):
                result[key] = [
                    _truncate_result_part(part) for part in result[key][:MAX_RESULT_PARTS]
                ]

    def _on_tools_list_result(self, cursor: Any, result: JsonObject) -> None:
        tools = result.get("tools")
        if isinstance(tools, list):
            self.tool_pages[cursor] = [tool for tool in tools if _has_tool_name(tool)]
            result["tools"] = [_reduce_tool_definition(tool) for tool in self.tool_pages[cursor]]

    def _on_notification(self, method: str, params: JsonObject) -> bool:
        """Handle a notification. Return whether the library must receive it as well."""
        if method == "notifications/message":
            self.log.add_line(f"{params.get('level')}: {str(params.get('data'))[:1000]}")
            return False
        if method.endswith("/list_changed"):
            self._on_list_changed(method.split("/")[1])
            return False
        if method == "notifications/progress":
            return self._is_valid_progress(params) and not self._progress.take_tokens("")
        return method in _FORWARDED_METHODS

    def _is_valid_progress(self, params: JsonObject) -> bool:
        token = params.get("progressToken")
        return (
            # checked before the look-up, because a list or an object cannot be hashed
            isinstance(token, int)
            and isinstance(params.get("progress"), int | float)
            and isinstance(params.get("total", 0), int | float)
            and isinstance(params.get("message", ""), str)
            and token in self._pending
        )


def _has_tool_name(tool: Any) -> bool:
    return isinstance(tool, dict) and isinstance(tool.get("name"), str)


def _reduce_tool_definition(tool: JsonObject) -> JsonObject:
    """Return what the library needs of a tool: its name and its input schema."""
    schema = tool.get("inputSchema")
    is_usable = isinstance(schema, dict) and schema.get("type") == "object"
    return {"name": tool["name"], "inputSchema": schema if is_usable else {"type": "object"}}


def _to_request_id(request_id: RequestId | None) -> RequestId:
    return "" if request_id is None else coerce_request_id(request_id)


def _truncate_result_part(part: Any) -> Any:
    """Return one part of a result, with its texts and data cut to their maximum lengths."""
    if not isinstance(part, dict):
        return part
    is_page = "uri" in part and str(part.get("mimeType")).startswith("text/html")
    max_text = MAX_PART_HTML_LENGTH if is_page else MAX_PART_TEXT_LENGTH
    for inner in (part, part.get("resource"), part.get("content")):
        if isinstance(inner, dict):
            for key, limit in (
                ("text", max_text),
                ("data", MAX_PART_BLOB_LENGTH),
                ("blob", MAX_PART_BLOB_LENGTH),
            ):
                value = inner.get(key)
                if isinstance(value, str) and len(value) > limit:
                    inner[key] = value[:limit] if key == "text" else ""
    return part


class FilteredReceiveStream:
    """The stream from which the MCP library reads the messages that `TrafficFilter` has passed."""

    def __init__(self, stream: Any, traffic: TrafficFilter) -> None:
        self._stream, self._traffic = stream, traffic

    @property
    def last_context(self) -> Any:
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> StreamItem:
        while True:
            item = await self._traffic.filter_incoming(await self._stream.receive())
            if item is not None:
                return item

    async def __anext__(self) -> StreamItem:
        while True:
            try:
                item = await self._traffic.filter_incoming(await self._stream.__anext__())
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
    """The stream to which the MCP library writes its messages. `TrafficFilter` records them."""

    def __init__(self, stream: Any, traffic: TrafficFilter) -> None:
        self._stream, self._traffic = stream, traffic

    async def send(self, item: SessionMessage, /) -> None:
        self._traffic.track_outgoing(item)
        await self._stream.send(item)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> "TrackedSendStream":
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._stream.__aexit__(*error)
