"""Protocols for the history of config versions."""

from datetime import datetime
from typing import Any, Literal, NamedTuple, Protocol

from conductor.domain.plan import Requester
from conductor.errors import NothingToUndo


class CommitInfo(NamedTuple):
    """The reason and the author of a config version."""

    reason: str
    author: Requester | None = None
    """The caller that requested the change; None for a text found in the file."""


class Version(Protocol):
    """A valid text of the config, with the time and reason of the change."""

    @property
    def id(self) -> int: ...
    @property
    def at(self) -> datetime: ...
    @property
    def reason(self) -> str: ...
    @property
    def text(self) -> str: ...


class History(Protocol):
    """Stores the list of config versions persistently. Implemented in `storage/history.py`."""

    def add(self, text: str, file_hash: str, reason: str, author: Requester | None = None) -> Any:
        """Store a version after the current one. Versions that were undone before cannot be redone
        afterwards.
        """
        ...

    def find_undo_target(self) -> Version | None:
        """Return the version that undo would restore, or None."""
        ...

    def find_redo_target(self) -> Version | None:
        """Return the version that redo would restore, or None."""
        ...

    def get(self, version_id: int) -> Version | None:
        """Return the version with this id, or None."""
        ...

    def move_to(self, version_id: int) -> None:
        """Make a version the current one."""
        ...

    def latest(self) -> Version | None:
        """Return the current version."""
        ...


def find_version(history: History, which: Literal["undo", "redo"] | int) -> Version:
    """Return the version that undo or redo would restore, or the version with the given id.

    Raises:
        NothingToUndo: no such version exists.
    """
    if isinstance(which, int):
        version, why = history.get(which), f"there is no version {which}"
        why += "; conductor_list_versions lists all versions"
    else:
        version = history.find_undo_target() if which == "undo" else history.find_redo_target()
        why = f"there is nothing to {which}"
    if version is None:
        raise NothingToUndo(why)
    return version
