"""A digest of the tool definition that the user accepted, to detect later changes by the MCP server."""

import hashlib
import json
from typing import Self

from conductor.base.json_types import JsonObject
from conductor.domain.value import Value


class Pin(Value):
    """The accepted tool object from the server, as sorted JSON; any change results in another digest."""

    tool: str
    digest: str
    raw: str

    @classmethod
    def of(cls, tool: str, wire_object: JsonObject) -> Self:
        """Build a pin from a tool definition as received from the server."""
        raw = json.dumps(wire_object, sort_keys=True, separators=(",", ":"))
        return cls(tool=tool, digest="sha256:" + hashlib.sha256(raw.encode()).hexdigest(), raw=raw)
