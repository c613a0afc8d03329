"""conductor.db, opened once at the first need of it, and what is kept in it."""

import logging
import tempfile
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from conductor.storage.audit import AuditEntry

if TYPE_CHECKING:
    from conductor.storage.database import Database
    from conductor.storage.examples import Examples
    from conductor.storage.grants import Grants
    from conductor.storage.history import History
    from conductor.storage.plans import SqlPlanStore

log = logging.getLogger(__name__)

TABLES = (
    "conductor.storage.audit_rows",
    "conductor.storage.consents",
    "conductor.storage.conversations",
    "conductor.storage.examples",
    "conductor.storage.grants",
    "conductor.storage.history",
    "conductor.storage.model_lists",
    "conductor.storage.notes",
    "conductor.storage.pins",
    "conductor.storage.plans",
    "conductor.storage.tasks",
    "conductor.storage.usage",
)


class Records:
    """Opens the database in the thread that needs it first: its imports are slow."""

    def __init__(self, path: Path | None, on_reopened: Callable[[str], None] | None = None) -> None:
        """Use a database file; without one, everything is lost at the end.

        `on_reopened` is told when the file was damaged or taken away and another one is used.
        """
        self._path = path
        self._on_reopened = on_reopened or log.warning
        self._folder: Any = None
        self._database: Database | None = None
        self._lock = Lock()

    def database(self) -> "Database":
        """Open the database, or give the open one.

        Raises:
            NotAvailable: the file can neither be opened nor made.
        """
        self.load_library()
        with self._lock:
            if self._database is None:
                from conductor.storage.database import Database

                self._database = Database(self._path or self._temporary(), self._on_reopened)
            return self._database

    def load_library(self) -> None:
        """Import what the tables need, in one thread: SQLAlchemy's import fails when two do it at once."""
        with self._lock:
            for name in TABLES:  # all must be known before the file is opened
                import_module(name)

    def history(self) -> "History":
        database = self.database()
        from conductor.storage.history import History

        return History(database)

    def plans(self) -> "SqlPlanStore":
        database = self.database()
        from conductor.storage.plans import SqlPlanStore

        return SqlPlanStore(database)

    def examples(self) -> "Examples":
        database = self.database()
        from conductor.storage.examples import Examples

        return Examples(database)

    def grants(self) -> "Grants":
        database = self.database()
        from conductor.storage.grants import Grants

        return Grants(database)

    def store_audit(self, entries: Sequence[AuditEntry]) -> None:
        """Write calls to the audit log."""
        database = self.database()
        from conductor.storage.audit_rows import store

        store(database, entries)

    def close(self) -> None:
        with self._lock:
            if self._database is not None:
                self._database.close()
            if self._folder is not None:
                self._folder.cleanup()

    def _temporary(self) -> Path:
        self._folder = tempfile.TemporaryDirectory(prefix="conductor-demo-")
        return Path(self._folder.name) / "conductor.db"
