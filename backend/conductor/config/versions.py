"""What the config's owner needs of the place where accepted texts are kept."""

from datetime import datetime
from typing import Any, Literal, NamedTuple, Protocol

from conductor.domain.plan import Requester
from conductor.errors import NothingToUndo


class CommitInfo(NamedTuple):
    """What a version came of."""

    reason: str
    author: Requester | None = None
    """Who had it made; None for what was found in the file."""


class Version(Protocol):
    """One accepted text of the config."""

    @property
    def id(self) -> int: ...
    @property
    def at(self) -> datetime: ...
    @property
    def reason(self) -> str: ...
    @property
    def text(self) -> str: ...


class History(Protocol):
    """Where accepted versions are kept; `storage/history.py` is the real one."""

    def add(self, text: str, file_hash: str, reason: str, author: Requester | None = None) -> Any:
        """Keep a version after the current one; later ones, left by undo, are dropped."""
        ...

    def undo_target(self) -> Version | None:
        """Return the version that undo leads to."""
        ...

    def redo_target(self) -> Version | None:
        """Return the version that redo leads to."""
        ...

    def get(self, version_id: int) -> Version | None:
        """Return a version by its id."""
        ...

    def move_to(self, version_id: int) -> None:
        """Make a version the current one."""
        ...

    def latest(self) -> Version | None:
        """Return the current version."""
        ...


def find_version(history: History, which: Literal["undo", "redo"] | int) -> Version:
    """Return the version that undo or redo leads to, or the one with an id.

    Raises:
        NothingToUndo: there is none.
    """
    if isinstance(which, int):
        version, why = history.get(which), f"no version {which} is kept"
        why += "; conductor_list_versions shows those that are"
    else:
        version = history.undo_target() if which == "undo" else history.redo_target()
        why = f"there is nothing to {which}"
    if version is None:
        raise NothingToUndo(why)
    return version
