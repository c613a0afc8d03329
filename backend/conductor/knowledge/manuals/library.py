"""The user's own manuals: adds, lists, removes and searches them, and reads their pages."""

import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from conductor.base.resource_paths import MANUALS_FOLDER, KnowledgePaths
from conductor.domain.knowledge import Chunk, KnowledgeSource, ScoredChunk
from conductor.domain.knowledge_domains import Domain
from conductor.domain.manuals import MANUAL_SOURCE_PREFIX, Manual, ManualPage
from conductor.errors import InvalidParams, NotAvailable
from conductor.knowledge.manuals.host import ManualIndexer
from conductor.knowledge.manuals.ranking import rank_passages
from conductor.knowledge.manuals.search import ManualSearch
from conductor.knowledge.manuals.store import ManualStore
from conductor.knowledge.manuals.uploads import Uploads
from conductor.knowledge.search import KnowledgeIndex

log = logging.getLogger(__name__)


def ignore_manuals_change() -> None:
    """Do nothing when the state of a manual changes, for example in a command."""


def log_search_problem(problem: str | None) -> None:
    """Log why manuals are left out of searches."""
    if problem is not None:
        log.warning("%s", problem)


class ManualLibrary:
    """The manuals of a home folder. All methods are safe to call from any thread, but may block."""

    def __init__(
        self,
        paths: KnowledgePaths,
        on_change: Callable[[], None] = ignore_manuals_change,
        program: Sequence[str] = (),
        on_search_problem: Callable[[str | None], None] = log_search_problem,
    ) -> None:
        """Set the paths, and the functions that are called when the state of a manual changes, and with the
        reason when searches begin to leave out the manuals, or None when they no longer do.
        """
        self.store = ManualStore(paths.own / MANUALS_FOLDER)
        self.uploads = Uploads()
        self._on_change = on_change
        self._on_search_problem = on_search_problem
        self._search_problem: str | None = None
        self._search = ManualSearch(self.store.folder)
        self._indexer = ManualIndexer(self.store, paths.model_file, on_change, program)

    @property
    def is_indexing(self) -> bool:
        """Whether manuals are being indexed, or another attempt follows."""
        return self._indexer.is_running

    @property
    def indexer_pid(self) -> int | None:
        """The id of the process that indexes manuals, or None if it does not run."""
        return self._indexer.pid

    def resume_indexing(self) -> None:
        """Continue to index manuals whose indexing was interrupted."""
        if self.store.exists:
            self._indexer.start()

    def add_file(self, path: Path, name: str = "") -> Manual:
        """Add a copy of a file, which is then indexed in the background.

        Raises:
            InvalidParams: The file is no manual, or is already there. The message says why.
            NotAvailable: The file cannot be copied.
        """
        added_at = datetime.now(UTC).isoformat(timespec="seconds")
        manual = self.store.add_file(path, name or path.name, added_at)
        self._indexer.start()
        self._on_change()
        return manual

    def remove_manual(self, name_or_id: str) -> Manual:
        """Remove a manual by its id, title or file name. If it is being indexed, this is cancelled.

        Raises:
            InvalidParams: No manual, or more than one, has this name.
        """
        manual = self._find_manual(name_or_id)
        self.store.remove_manual(manual.id)
        self._on_change()
        return manual

    def has_unfinished_manuals(self) -> bool:
        """Return whether a manual waits for being indexed."""
        return self.store.has_unfinished_manuals()

    def _find_manual(self, name_or_id: str) -> Manual:
        manuals = self.store.list_manuals()
        wanted = name_or_id.casefold()
        by_id = [
            one for one in manuals if wanted in (one.id, one.id.removeprefix(MANUAL_SOURCE_PREFIX))
        ]
        by_name = [
            one for one in manuals if wanted in (one.title.casefold(), one.file_name.casefold())
        ]
        for found in (by_id, by_name):
            if len(found) == 1:
                return found[0]
        raise InvalidParams(
            f"there is no manual {name_or_id!r}, or more than one; use an id that"
            " `conductor knowledge list` prints"
        )

    def list_manuals(self) -> list[Manual]:
        """Return all manuals by their titles, also those that are not yet or cannot be searched."""
        return self.store.list_manuals()

    def list_sources(self, hidden: Sequence[str]) -> list[KnowledgeSource]:
        """Return the manuals that can be searched as sources of the knowledge base."""
        return [
            KnowledgeSource(
                id=manual.id,
                title=manual.title,
                domain="manual",
                chunks=manual.chunks,
                enabled=manual.id not in hidden and "manual" not in hidden,
                reference=manual.file_name,
                own=True,
            )
            for manual in self.store.list_manuals()
            if manual.state == "ready"
        ]

    def count_chunks(self) -> dict[Domain, int]:
        """Return the number of passages by domain, or nothing if there are none or they cannot be counted."""
        try:
            count = sum(source.chunks for source in self.list_sources(()))
        except NotAvailable:  # the database is locked
            return {}
        return {"manual": count} if count else {}

    def read_page(self, manual_id: str, page: int) -> ManualPage:
        """Return the text of a page.

        Raises:
            InvalidParams: There is no such manual or page.
        """
        return self.store.read_page(manual_id, page)

    def get_file(self, manual_id: str) -> Path:
        """Return the file of a manual.

        Raises:
            InvalidParams: There is no such manual.
        """
        return self.store.get_file(manual_id)

    def find_passages(
        self, index: KnowledgeIndex, text: str, hidden: Sequence[str] = ()
    ) -> list[ScoredChunk]:
        """Return the passages that may answer a message with their relevance, best first.

        Those of a manual that the message names come first. If the manuals cannot be searched, there are none,
        and the user is told why.
        """
        if "manual" in hidden or not self.store.exists:
            return []
        try:
            found = rank_passages(self._search, index, text, hidden)
        except NotAvailable as error:
            self._report_search_problem(f"Your manuals are left out of searches: {error}.")
            return []
        self._report_search_problem(None)
        return found

    def _report_search_problem(self, problem: str | None) -> None:
        if problem != self._search_problem:
            self._search_problem = problem
            self._on_search_problem(problem)

    def get_chunk(self, chunk_id: str) -> Chunk | None:
        """Return a passage by the id of its chunk, or None if it does not exist."""
        if not chunk_id.startswith(MANUAL_SOURCE_PREFIX):
            return None
        return self._search.get_chunk(chunk_id)

    def close(self) -> None:
        """Stop indexing, and close the database."""
        self._indexer.close()
        self._search.close()
        self.uploads.close()
        self.store.close()
