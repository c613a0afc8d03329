"""Names actions that are performed once, outside of any mapping, so that their calls can be told apart."""

import re

SCOPE = "preview"
_CALLER = re.compile(rf"{SCOPE} #0, {SCOPE} (\d+)")
"""How the engine names the caller of a plugin for such an action. No mapping has such a name."""


def performed_name(number: int) -> str:
    """Return the name of an action that is performed once.

    It is not an index: a recording compares indexes, and does not know this number when it is replayed.
    """
    return f"{SCOPE} {number}"


def performed_number(by: str | None) -> int | None:
    """Return the number of the action that is performed once, or None when a mapping calls."""
    found = _CALLER.fullmatch(by or "")
    return None if found is None else int(found[1])
