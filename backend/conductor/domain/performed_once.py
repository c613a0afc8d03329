"""Names for actions that are performed once, outside of any mapping, to identify their tool calls."""

import re

SCOPE = "preview"
_CALLER = re.compile(rf"{SCOPE} #0, {SCOPE} (\d+)")
"""The caller name of a tool call by such an action. No mapping can have such a name."""


def performed_name(number: int) -> str:
    """Return the name of an action that is performed once.

    It is not an index: a recording compares indexes, and does not know this number when it is replayed.
    """
    return f"{SCOPE} {number}"


def performed_number(by: str | None) -> int | None:
    """Return the number of the action that is performed once, or None if the caller is a mapping."""
    found = _CALLER.fullmatch(by or "")
    return None if found is None else int(found[1])
