"""Creates the knowledge base on first use. Its index is loaded at the first search."""

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from conductor.base.resource_paths import (
    MANUALS_FOLDER,
    UNFINISHED_MANUALS_FILE,
    find_knowledge_paths,
)
from conductor.errors import NotAvailable
from conductor.runtime.events import MANUALS_TOPIC

if TYPE_CHECKING:
    from conductor.domain.settings import KnowledgeSettings
    from conductor.knowledge.library import KnowledgeBase
    from conductor.runtime.events import Publish
    from conductor.storage.audit import AuditLog

log = logging.getLogger(__name__)

HUB_AUDIT_NAME = "knowledge.hub"


class LazyKnowledge:
    """Provides one knowledge base to the chat, the tools and the page. All methods are safe to call from
    any thread.

    `connected_ports` returns the names of the connected ports, whose documents rank higher. `audit` records
    the requests to a knowledge hub, and `publish` tells the pages about the user's manuals.
    `on_search_problem` receives the reason when searches leave out the manuals, and None when this has ended.
    """

    def __init__(
        self,
        home: Path,
        settings: "Callable[[], KnowledgeSettings]",
        connected_ports: Callable[[], list[str]],
        audit: "AuditLog",
        publish: "Publish",
        on_search_problem: Callable[[str | None], None],
    ) -> None:
        self._home = home
        self._settings = settings
        self._connected_ports = connected_ports
        self._audit = audit
        self._publish = publish
        self._on_search_problem = on_search_problem
        self._lock = Lock()
        self._library: KnowledgeBase | None = None

    @property
    def library(self) -> "KnowledgeBase":
        from conductor.knowledge.chroma_host import ChromaHost
        from conductor.knowledge.hub import HubClient
        from conductor.knowledge.hub_cache import HubCache
        from conductor.knowledge.library import KnowledgeBase
        from conductor.knowledge.manuals.library import ManualLibrary

        with self._lock:
            if self._library is None:
                folder = self._home / "knowledge"
                manuals = ManualLibrary(
                    find_knowledge_paths(self._home),
                    self._publish_manuals,
                    on_search_problem=self._on_search_problem,
                )
                self._library = KnowledgeBase(
                    self._home,
                    self._settings,
                    self._connected_ports,
                    chroma=ChromaHost(folder),
                    community=HubClient(HubCache(folder / "hub.db"), self._record_hub_request),
                    manuals=manuals,
                    reindex_in_background=True,
                )
                manuals.resume_indexing()
            return self._library

    def resume_indexing(self) -> None:
        """Continue to index manuals if this was interrupted, in a thread, as the imports are slow."""
        if (self._home / "knowledge" / MANUALS_FOLDER / UNFINISHED_MANUALS_FILE).exists():
            Thread(target=lambda: self.library, name="manuals resume", daemon=True).start()

    def close(self) -> None:
        """Stop the process of the vector database, if it was started."""
        if self._library is not None:
            self._library.close()

    def _publish_manuals(self) -> None:
        """Send the state of all manuals to the pages."""
        from conductor.domain.page_events import ManualsTopic

        library = self._library
        if library is None:
            return
        try:
            manuals = tuple(library.manuals.list_manuals())
        except NotAvailable as error:  # the next change publishes the state again
            log.warning("the state of the manuals is not shown: %s", error)
            return
        self._publish(MANUALS_TOPIC, ManualsTopic(manuals=manuals))

    def _record_hub_request(self, sent: Mapping[str, Any]) -> Callable[[str, str], None]:
        """Write a request to a knowledge hub to the audit log before it is sent.

        Return a function that records the outcome of the request.
        """
        from conductor.domain.plan import Requester
        from conductor.storage.audit import AuditEntry, RecordedCall

        entry = AuditEntry.create_for_call(
            Requester(caller="chat"), HUB_AUDIT_NAME, "stateful", dict(sent)
        )
        recorded = RecordedCall(self._audit, entry)
        self._audit.write_durably(entry)
        return recorded.finish_call
