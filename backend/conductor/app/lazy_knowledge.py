"""The library of knowledge of a running Conductor: made at the first need of it, read at the first search."""

from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from conductor.domain.wire_rows import DeviceRow

if TYPE_CHECKING:
    from conductor.config.store import ConfigStore
    from conductor.knowledge.library import KnowledgeBase
    from conductor.storage.audit import AuditLog

HUB = "knowledge.hub"


class WithDevices(Protocol):
    """What is seen of the app."""

    home: Path
    store: "ConfigStore"
    devices: list[DeviceRow]


class LazyKnowledge:
    """One library for the chat, the tools and the page; from any thread."""

    def __init__(self, app: WithDevices, audit: Callable[[], "AuditLog"]) -> None:
        """Load from the running app; `audit` logs what is sent to a hub."""
        self._app = app
        self._audit = audit
        self._making = Lock()
        self._library: KnowledgeBase | None = None

    @property
    def library(self) -> "KnowledgeBase":
        from conductor.knowledge.chroma_host import ChromaHost
        from conductor.knowledge.hub import Hub
        from conductor.knowledge.hub_cache import HubCache
        from conductor.knowledge.library import KnowledgeBase

        with self._making:
            if self._library is None:
                folder = self._app.home / "knowledge"
                self._library = KnowledgeBase(
                    self._app.home,
                    self._settings,
                    self._connected,
                    chroma=ChromaHost(folder),
                    community=Hub(HubCache(folder / "hub.db"), self._to_hub),
                    renew_aside=True,
                )
            return self._library

    def close(self) -> None:
        """End what was started for it."""
        if self._library is not None:
            self._library.close()

    def _to_hub(self, sent: Mapping[str, Any]) -> Callable[[str, str], None]:
        """Log a request to a hub on disk before it is sent; return the callback for its outcome."""
        from conductor.domain.plan import Requester
        from conductor.storage.audit import AuditEntry, RecordedCall

        audit = self._audit()
        entry = AuditEntry.for_call(Requester(caller="chat"), HUB, "stateful", dict(sent))
        recorded = RecordedCall(audit, entry)
        audit.write_durably(entry)
        return recorded.finish

    def _settings(self) -> Any:
        return self._app.store.current.knowledge

    def _connected(self) -> list[str]:
        return [one["port_name"] for one in self._app.devices if one["connected"]]
