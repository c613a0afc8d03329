"""Formats and parses the names of actions that are performed once, outside of any mapping."""

import re

PERFORMED_ONCE_SCOPE = "preview"
_CALLER_PATTERN = re.compile(rf"{PERFORMED_ONCE_SCOPE} #0, {PERFORMED_ONCE_SCOPE} (\d+)")
"""Matches the caller name in a tool call of an action that is performed once. No
mapping can have such a name."""


def format_performer_name(number: int) -> str:
    """Return the name of an action that is performed once; `number` identifies the action.

    The name contains no index, because a recording compares indexes, and the number is unknown in a replay.
    """
    return f"{PERFORMED_ONCE_SCOPE} {number}"


def format_performer_caller(name: str) -> str:
    """Return the caller name in a tool call that the action with this name makes."""
    return f"{PERFORMED_ONCE_SCOPE} #0, {name}"


def parse_performer_number(by: str | None) -> int | None:
    """Return the number of the action that made a tool call, or None if a mapping made it."""
    found = _CALLER_PATTERN.fullmatch(by or "")
    return None if found is None else int(found[1])
