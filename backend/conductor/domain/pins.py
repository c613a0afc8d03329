"""A tool of somebody else's server as the user accepted it."""

import hashlib
import json
from typing import Any, Self

from conductor.domain.value import Value


class Pin(Value):
    """The whole object that the server sent, as sorted JSON; any change of it is another digest."""

    tool: str
    digest: str
    raw: str

    @classmethod
    def of(cls, tool: str, wire_object: dict[str, Any]) -> Self:
        """Pin an object as it came over the wire."""
        raw = json.dumps(wire_object, sort_keys=True, separators=(",", ":"))
        return cls(tool=tool, digest="sha256:" + hashlib.sha256(raw.encode()).hexdigest(), raw=raw)
