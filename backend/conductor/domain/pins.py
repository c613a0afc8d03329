"""Defines digests of tool definitions that the user accepted, to notice when an MCP server changes them."""

import hashlib
import json
from typing import Self

from conductor.base.json_types import JsonObject
from conductor.domain.value import Value


class Pin(Value):
    """The digest of a tool definition that the user has accepted.

    It covers the JSON of the tool as the MCP server sent it, with sorted keys.
    """

    tool: str
    digest: str
    raw: str

    @classmethod
    def from_tool(cls, tool: str, wire_object: JsonObject) -> Self:
        """Return the pin for a tool, whose definition is given as the server sent it."""
        raw = json.dumps(wire_object, sort_keys=True, separators=(",", ":"))
        return cls(tool=tool, digest="sha256:" + hashlib.sha256(raw.encode()).hexdigest(), raw=raw)
