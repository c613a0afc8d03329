"""Opens conductor.db when it is first needed, and gives access to the data in it."""

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

DATABASE_TABLE_MODULES = (
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
    "conductor.storage.remote_access",
    "conductor.storage.tasks",
    "conductor.storage.usage",
)


class Records:
    """Opens the database on first use instead of at start-up, because its library is slow to import."""

    def __init__(
        self,
        path: Path | None,
        on_reopened: Callable[[str], None] | None = None,
        config_file: str | None = None,
    ) -> None:
        """Set the path of the database file without opening it.

        With None, a temporary file is used, which `close` deletes.
        """
        self._path = path
        self._config_file = config_file
        self._on_reopened = on_reopened or log.warning
        self._folder: Any = None
        self._database: Database | None = None
        self._lock = Lock()

    def open_database(self) -> "Database":
        """Return the database, which the first call opens.

        Raises:
            NotAvailable: the file can be neither opened nor created.
        """
        self.load_library()
        with self._lock:
            if self._database is None:
                from conductor.storage.database import Database

                self._database = Database(
                    self._path or self._create_temporary_path(),
                    self._on_reopened,
                    self._config_file,
                )
            return self._database

    def load_library(self) -> None:
        """Import SQLAlchemy and all tables, under a lock because two parallel imports would fail."""
        with self._lock:
            for (
                name
                # all tables must be registered before the file is opened, because opening creates the missing
                # ones
            ) in DATABASE_TABLE_MODULES:
                import_module(name)

    def open_history(self) -> "History":
        database = self.open_database()
        from conductor.storage.history import History

        return History(database)

    def open_plans(self) -> "SqlPlanStore":
        database = self.open_database()
        from conductor.storage.plans import SqlPlanStore

        return SqlPlanStore(database)

    def open_examples(self) -> "Examples":
        database = self.open_database()
        from conductor.storage.examples import Examples

        return Examples(database)

    def open_grants(self) -> "Grants":
        database = self.open_database()
        from conductor.storage.grants import Grants

        return Grants(database)

    def store_audit_entries(self, entries: Sequence[AuditEntry]) -> None:
        """Store audit entries in the database; the audit log calls this function from its writer thread."""
        database = self.open_database()
        from conductor.storage.audit_rows import store_audit_entries

        store_audit_entries(database, entries)

    def close(self) -> None:
        with self._lock:
            if self._database is not None:
                self._database.close()
            if self._folder is not None:
                self._folder.cleanup()

    def _create_temporary_path(self) -> Path:
        self._folder = tempfile.TemporaryDirectory(prefix="conductor-demo-")
        return Path(self._folder.name) / "conductor.db"
