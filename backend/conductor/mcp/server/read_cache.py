"""Reads that need no second look: what the MCP library has once let through, it would let through again.

The library checks every request and every answer against several models, which takes longer than most
tools do. When it has answered a `tools/call` of a read-only tool, the next one that carries the very same
`_meta` on the same connection is answered as it would: by the same handler, in the same envelope.
"""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from conductor.mcp.server import rpc

CALL, HANDSHAKE, SET_LEVEL = "tools/call", "initialize", "logging/setLevel"
SPOKEN = {"progressToken", "io.modelcontextprotocol/logLevel"}
"""Members of `_meta` that ask for messages beside the answer, which only the library sends."""
CONTENT = ("content", "structuredContent", "isError")
MEMBERS = {"name", "arguments", "_meta"}

Call = Callable[[str, dict[str, Any], Any], Awaitable[dict[str, Any]]]
"""Name, arguments and requester -> the result of a `tools/call`, without its envelope."""


class CachedRead(NamedTuple):
    """What the library took, and what it put around the answer."""

    meta: Any
    requester: Any
    envelope: dict[str, Any]
    shown: frozenset[str]
    """Which members of a result this version of the protocol has."""


class ReadCache:
    """Learns from the library's answers on one connection."""

    def __init__(self, reads: frozenset[str], call: Call, requester: Callable[[], Any]) -> None:
        self._reads = reads
        self._call = call
        self._requester = requester
        self._learnt: CachedRead | None = None
        self._asked: rpc.Message | None = None
        self._is_logged = False

    def takes(self, message: rpc.Message) -> bool:
        """Return whether this request can be answered here."""
        params = message.get("params")
        return (
            self._learnt is not None
            and message.get("method") == CALL
            and type(message.get("id")) in (int, str)
            and isinstance(params, dict)
            and MEMBERS.issuperset(params)
            and params.get("name") in self._reads
            and isinstance(params.get("arguments", {}), dict)
            and params.get("_meta") == self._learnt.meta
        )

    async def answer(self, message: rpc.Message) -> bytes:
        """Return the line that answers the request."""
        assert self._learnt is not None
        _, requester, envelope, shown = self._learnt
        params: dict[str, Any] = message["params"]
        result = await self._call(params["name"], params.get("arguments", {}), requester)
        whole = {name: part for name, part in result.items() if name in shown} | envelope
        if "_meta" in result:
            whole["_meta"] = {**result["_meta"], **envelope.get("_meta", {})}
        return rpc.encode(rpc.result(message["id"], whole))

    def asks(self, message: rpc.Message, *, alone: bool) -> None:
        """Hear of a request that goes to the library; only one that is alone can be learnt from."""
        if message["method"] in (HANDSHAKE, SET_LEVEL):
            self._learnt = None
        self._is_logged = self._is_logged or message["method"] == SET_LEVEL
        params = message.get("params")
        is_read = isinstance(params, dict) and params.get("name") in self._reads
        meta = (message["params"].get("_meta") or {}) if is_read else {}
        plain = is_read and not self._is_logged and meta.keys().isdisjoint(SPOKEN)
        self._asked = message if alone and plain and message["method"] == CALL else None

    def answered(self, number: Any, result: dict[str, Any]) -> None:
        """Hear of the library's answer."""
        asked, self._asked = self._asked, None
        if asked is None or asked["id"] != number or result.get("isError"):
            return
        if result.get("resultType", "complete") != "complete":  # a task: its envelope is its own
            return
        envelope = {name: part for name, part in result.items() if name not in CONTENT}
        meta, shown = asked["params"].get("_meta"), frozenset(result).intersection(CONTENT)
        self._learnt = CachedRead(meta, self._requester(), envelope, shown)
