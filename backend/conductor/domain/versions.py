"""Determines the kind of a config version from the reason and author that are stored with it."""

from datetime import datetime
from typing import Literal

from conductor.domain.plan import Requester

VersionKind = Literal["start", "file", "restore", "edit", "plan"]
"""The kind of a version: found at startup, changed in the file, restored from the history, changed by the user,
or created by a plan.
"""

FOUND_AT_START_REASON = "start"
"""The reason of a version that was found when the history was opened."""
FILE_CHANGED_REASON = "edited by hand"
"""The reason of a version that another program, such as an editor, wrote."""
WINDOW_EDIT_REASON = "edited in the window"
"""The reason of a change in the window that has no reason of its own."""
_RESTORED_VERSION_PREFIX = "restored the version of "
_RESTORED_MAPPING_PREFIX = "restored a mapping of "
_OLDER_REQUESTER_SUFFIX = " (asked by "
"""The suffix that reasons of plans had before authors were stored."""
_USER_CALLERS = ("window", "page", "cli", "pad")


def format_restore_reason(at: datetime) -> str:
    """Return the reason that is stored with a version when the version of a given time is restored."""
    return f"{_RESTORED_VERSION_PREFIX}{at:%d %b %H:%M}"


def format_mapping_restore_reason(scope: str) -> str:
    """Return the reason that is stored with a version when a mapping of a scope is restored."""
    return f"{_RESTORED_MAPPING_PREFIX}{scope}"


def get_version_kind(reason: str, author: Requester | None) -> VersionKind:
    """Return the kind of a config version."""
    if author is None and reason == FOUND_AT_START_REASON:
        return "start"
    if author is None and reason == FILE_CHANGED_REASON:
        return "file"
    is_plan = (
        _OLDER_REQUESTER_SUFFIX in reason if author is None else author.caller not in _USER_CALLERS
    )
    if is_plan:
        return "plan"
    return (
        "restore"
        if reason.startswith((_RESTORED_VERSION_PREFIX, _RESTORED_MAPPING_PREFIX))
        else "edit"
    )
