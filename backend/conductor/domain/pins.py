"""Digests of MCP tool definitions that the user accepted, which reveal later changes by the server."""

import hashlib
import json
from typing import Self

from conductor.base.json_types import JsonObject
from conductor.domain.value import Value


class Pin(Value):
    """The digest of an MCP tool's definition that the user accepted. The digest covers the tool's JSON as the
    server sent it, with sorted keys.
    """

    tool: str
    digest: str
    raw: str

    @classmethod
    def from_tool(cls, tool: str, wire_object: JsonObject) -> Self:
        """Build a pin from the definition of a tool as the server sent it."""
        raw = json.dumps(wire_object, sort_keys=True, separators=(",", ":"))
        return cls(tool=tool, digest="sha256:" + hashlib.sha256(raw.encode()).hexdigest(), raw=raw)
