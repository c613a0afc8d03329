"""Determines what kind of version a config version is, from the reason and author that are stored with it."""

from datetime import datetime
from typing import Literal

from conductor.domain.plan import Requester

VersionKind = Literal["start", "file", "restore", "edit", "plan"]
"""The kind of a version: found at startup, changed in the file, restored from the history, changed by the user,
or created by a plan.
"""

FOUND_AT_START_REASON = "start"
"""The stored reason of a version that was found in the file when the history was opened."""
FILE_CHANGED_REASON = "edited by hand"
"""The stored reason of a version that another program, such as an editor, has written."""
WINDOW_EDIT_REASON = "edited in the window"
"""The stored reason of a change in the window that names no reason of its own."""
_RESTORED_VERSION_PREFIX = "restored the version of "
_RESTORED_MAPPING_PREFIX = "restored a mapping of "
_RESTORED_BACKUP_PREFIX = "restored the backup of "
_OLDER_REQUESTER_SUFFIX = " (asked by "
"""What followed the reason of a plan before the authors of versions were stored."""
_USER_CALLERS = ("window", "page", "cli", "pad")


def format_restore_reason(at: datetime) -> str:
    """Return the stored reason of a version that restores the version of the given time."""
    return f"{_RESTORED_VERSION_PREFIX}{at:%d %b %H:%M}"


def format_backup_restore_reason(at: datetime) -> str:
    """Return the stored reason of a version that restores the backup of the given time."""
    return f"{_RESTORED_BACKUP_PREFIX}{at.astimezone():%d %b %H:%M}"


def format_mapping_restore_reason(scope: str) -> str:
    """Return the stored reason of a version that restores a mapping in a scope."""
    return f"{_RESTORED_MAPPING_PREFIX}{scope}"


def get_version_kind(reason: str, author: Requester | None) -> VersionKind:
    """Return the kind of a version with this reason and author."""
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
        if reason.startswith(
            (_RESTORED_VERSION_PREFIX, _RESTORED_MAPPING_PREFIX, _RESTORED_BACKUP_PREFIX)
        )
        else "edit"
    )
