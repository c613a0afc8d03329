"""The library of knowledge of a running Conductor: made at the first need of it, read at the first search."""

from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from conductor.config.store import ConfigStore
    from conductor.knowledge.library import Library


class WithDevices(Protocol):
    """What is seen of the app."""

    home: Path
    store: "ConfigStore"
    devices: list[dict[str, Any]]


class LazyKnowledge:
    """One library for the chat, the tools and the page; from any thread."""

    def __init__(self, app: WithDevices) -> None:
        self._app = app
        self._making = Lock()
        self._library: Library | None = None

    @property
    def library(self) -> "Library":
        from conductor.knowledge.library import Library

        with self._making:
            if self._library is None:
                self._library = Library(self._app.home, self._settings, self._connected)
            return self._library

    def _settings(self) -> Any:
        return self._app.store.current.knowledge

    def _connected(self) -> list[str]:
        return [str(one["port_name"]) for one in self._app.devices if one["connected"]]
