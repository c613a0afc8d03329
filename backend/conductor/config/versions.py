"""Protocols and records for the history of config versions."""

from datetime import datetime
from typing import Any, Literal, NamedTuple, Protocol

from conductor.domain.plan import Requester
from conductor.errors import NothingToUndo


class CommitInfo(NamedTuple):
    """Why a version of the config was saved, and who requested the change."""

    reason: str
    author: Requester | None = None
    """The program or user that requested the change; None if the text was found in the file."""


class Version(Protocol):
    """A valid text of the config, with the time and the reason of the change that led to it."""

    @property
    def id(self) -> int: ...
    @property
    def at(self) -> datetime: ...
    @property
    def reason(self) -> str: ...
    @property
    def text(self) -> str: ...


class History(Protocol):
    """Stores the versions of the config persistently. Implemented in `storage/history.py`."""

    def add(self, text: str, file_hash: str, reason: str, author: Requester | None = None) -> Any:
        """Store a version after the current one. Versions that were undone can then no longer be redone."""
        ...

    def find_undo_target(self) -> Version | None:
        """Return the version that undo would restore, or None if there is no older version."""
        ...

    def find_redo_target(self) -> Version | None:
        """Return the version that redo would restore, or None if no change was undone."""
        ...

    def get(self, version_id: int) -> Version | None:
        """Return the version with this id, or None if there is none."""
        ...

    def move_to(self, version_id: int) -> None:
        """Make a stored version the current one, as undo and redo do."""
        ...

    def replace_text(self, version_id: int, text: str, file_hash: str) -> None:
        """Replace the text of a stored version, which is still found by the hash of its earlier texts."""
        ...

    def latest(self) -> Version | None:
        """Return the current version, or None if the history is empty."""
        ...


def find_version(history: History, which: Literal["undo", "redo"] | int) -> Version:
    """Return the version that `which` means: "undo", "redo" or the id of a version.

    Raises:
        NothingToUndo: no such version exists.
    """
    if isinstance(which, int):
        version, why = history.get(which), f"there is no version {which}"
        why += "; conductor_list_versions lists all versions"
    else:
        is_undo = which == "undo"
        version = history.find_undo_target() if is_undo else history.find_redo_target()
        why = "there is nothing to undo" if is_undo else "there is nothing to redo"
    if version is None:
        raise NothingToUndo(why)
    return version
