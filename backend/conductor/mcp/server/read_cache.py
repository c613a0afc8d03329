"""Answers repeated read-only calls without the validation of the MCP library (docs/adr/0011).

The library validates every request and response against several models, which takes longer than most tools.
After it has answered one `tools/call` of a read-only tool, further calls with the same `_meta` on the same
connection are answered here, by the same handler and in the same envelope. Results are not cached.
"""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from conductor.base.json_types import JsonObject
from conductor.mcp.server import rpc

TOOL_CALL_METHOD, HANDSHAKE_METHOD, SET_LEVEL_METHOD = (
    "tools/call",
    "initialize",
    "logging/setLevel",
)
MESSAGE_REQUESTING_META_FIELDS = {"progressToken", "io.modelcontextprotocol/logLevel"}
"""Fields of `_meta` that request additional messages, which only the library can send."""
RESULT_CONTENT_FIELDS = ("content", "structuredContent", "isError")
CALL_PARAM_NAMES = {"name", "arguments", "_meta"}

CallTool = Callable[[str, JsonObject, Any], Awaitable[JsonObject]]
"""Calls a tool with arguments for a requester, and returns the result without its envelope."""


class ResponseEnvelope(NamedTuple):
    """The `_meta` that the MCP library accepted in a request, and the fields that it added to the response."""

    meta: Any
    requester: Any
    fields: JsonObject
    content_fields: frozenset[str]
    """The content fields that results have in the negotiated version of the protocol."""


class ReadCache:
    """Answers repeated read-only calls on one connection in the envelope of the library's last response."""

    def __init__(
        self, read_only_tools: frozenset[str], call_tool: CallTool, requester: Callable[[], Any]
    ) -> None:
        self._read_only_tools = read_only_tools
        self._call_tool = call_tool
        self._requester = requester
        self._envelope: ResponseEnvelope | None = None
        self._candidate: JsonObject | None = None
        """The running request whose response may show the envelope, or None."""
        self._is_logged = False

    def can_answer_call(self, message: JsonObject) -> bool:
        """Return whether a request is a read-only call with a `_meta` that the library has accepted before."""
        params = message.get("params")
        return (
            self._envelope is not None
            and message.get("method") == TOOL_CALL_METHOD
            and type(message.get("id")) in (int, str)
            and isinstance(params, dict)
            and CALL_PARAM_NAMES.issuperset(params)
            and params.get("name") in self._read_only_tools
            and isinstance(params.get("arguments", {}), dict)
            and params.get("_meta") == self._envelope.meta
        )

    async def answer_call(self, message: JsonObject) -> bytes:
        """Call the tool of a request, and return the response as one line."""
        assert self._envelope is not None
        _, requester, fields, content_fields = self._envelope
        params: JsonObject = message["params"]
        result = await self._call_tool(params["name"], params.get("arguments", {}), requester)
        response = {name: part for name, part in result.items() if name in content_fields} | fields
        if "_meta" in result:
            response["_meta"] = {**result["_meta"], **fields.get("_meta", {})}
        return rpc.encode_message(rpc.build_result_response(message["id"], response))

    def on_request(self, message: JsonObject, *, is_alone: bool) -> None:
        """Remember a request that is passed to the library.

        The cache learns only from a request that runs alone, because the last requester may otherwise
        belong to another request.
        """
        if message["method"] in (HANDSHAKE_METHOD, SET_LEVEL_METHOD):
            self._envelope = None  # the version, the client or the log level may be different now
        self._is_logged = self._is_logged or message["method"] == SET_LEVEL_METHOD
        params = message.get("params")
        is_read = isinstance(params, dict) and params.get("name") in self._read_only_tools
        meta = (message["params"].get("_meta") or {}) if is_read else {}
        is_plain = (
            is_read
            and not self._is_logged
            and meta.keys().isdisjoint(MESSAGE_REQUESTING_META_FIELDS)
        )
        self._candidate = (
            message if is_alone and is_plain and message["method"] == TOOL_CALL_METHOD else None
        )

    def on_response(self, request_id: Any, result: JsonObject) -> None:
        """Learn the envelope from the library's response, if it belongs to the request that is remembered."""
        request, self._candidate = self._candidate, None
        if request is None or request["id"] != request_id or result.get("isError"):
            return
        if result.get("resultType", "complete") != "complete":  # a task has another envelope
            return
        fields = {name: part for name, part in result.items() if name not in RESULT_CONTENT_FIELDS}
        content_fields = frozenset(result).intersection(RESULT_CONTENT_FIELDS)
        meta = request["params"].get("_meta")
        self._envelope = ResponseEnvelope(meta, self._requester(), fields, content_fields)
