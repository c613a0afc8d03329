"""What the config's owner needs of the place where accepted texts are kept."""

from typing import Any, NamedTuple, Protocol

from conductor.domain.plan import Requester


class Why(NamedTuple):
    """What a version came of."""

    reason: str
    author: Requester | None = None
    """Who had it made; None for what was found in the file."""


class Version(Protocol):
    """One accepted text of the config."""

    @property
    def id(self) -> int: ...
    @property
    def text(self) -> str: ...


class History(Protocol):
    """Where accepted versions are kept; `storage/history.py` is the real one."""

    def add(self, text: str, file_hash: str, reason: str, author: Requester | None = None) -> Any:
        """Keep a version after the current one; later ones, left by undo, are dropped."""
        ...

    def before(self) -> Version | None:
        """Give the version that undo leads to."""
        ...

    def after(self) -> Version | None:
        """Give the version that redo leads to."""
        ...

    def move_to(self, version_id: int) -> None:
        """Make a version the current one."""
        ...

    def latest(self) -> Version | None:
        """Give the current version."""
        ...
