"""The audit log: who called which tool with what, how it ended, and how long it took.

A thread of its own writes, so that a read never waits for the disk; what is waiting is written before
the log is closed. Reads are gathered, for a commit costs more than they do, and the last of them may be
lost with a killed process; a change is on the disk before it is made. The database's library is not
imported here: it would delay the start.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from conductor.domain.plan import Requester
from conductor.errors import NotAvailable

log = logging.getLogger(__name__)

WAITING_AT_MOST = 20_000
GATHER_S = 0.5
"""How long more entries are waited for, to be written in one transaction, when all so far are reads."""
KEPT_WITHIN_S = 15.0
"""Longer than SQLite itself waits for a busy file: a slow first start is not a locked database."""
COLUMNS = (
    "at",
    "caller",
    "client",
    "pid",
    "executable",
    "tool",
    "tier",
    "arguments",
    "permission",
    "outcome",
    "detail",
    "duration_ms",
)
"""What is kept of a call and told of it, in the order of an export."""
READ = (None, "read_only")
"""Tiers of calls that change nothing; those of an unknown tool have none."""


@dataclass(slots=True)
class AuditEntry:
    """One call. `outcome` and what follows are filled in when it has ended."""

    caller: str
    client: str | None
    pid: int | None
    executable: str | None
    tool: str
    tier: str | None
    arguments: dict[str, Any]
    outcome: str = "started"
    detail: str | None = None
    duration_ms: float | None = None
    permission: str | None = None
    """How a skill came to be allowed: `not needed`, `once`, `conversation`, `always`, `mapping`."""
    at: float = field(default_factory=lambda: datetime.now(UTC).timestamp())
    row_id: int | None = None

    @classmethod
    def begun(
        cls, by: Requester, tool: str, tier: str | None, arguments: dict[str, Any]
    ) -> "AuditEntry":
        """Return the entry of a call that begins; `arguments` are without secrets already."""
        return cls(by.caller, by.client, by.pid, by.executable, tool, tier, arguments)

    def plain(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        at = datetime.fromtimestamp(self.at, UTC).isoformat(timespec="milliseconds")
        return {name: getattr(self, name) for name in COLUMNS} | {"at": at}


class AuditLog:
    """Takes entries at any time from any thread; `store` is called with many, by the writer alone."""

    def __init__(
        self,
        store: Callable[[Sequence[AuditEntry]], None],
        on_trouble: Callable[[str | None], None] = lambda _problem: None,
    ) -> None:
        """`on_trouble` is called with why when entries cannot be kept any more, and with None when they can."""
        self._store = store
        self._on_trouble = on_trouble
        self._trouble: str | None = None
        self._waiting: deque[AuditEntry] = deque()
        self._changed = threading.Condition()
        self._hurry = threading.Event()
        self._closing = False
        self._busy = False
        self._taken = self._done = 0
        """How many rounds were begun and ended: who waits for an entry waits for the round that took it."""
        self._thread: threading.Thread | None = None
        self.dropped = 0

    def write(self, entry: AuditEntry) -> None:
        """Keep an entry as it is now; writing it again changes what was kept."""
        is_read = entry.tier in READ
        with self._changed:
            if is_read and len(self._waiting) >= WAITING_AT_MOST:
                self.dropped += 1
                return
            if not (self._waiting and self._waiting[-1] is entry):
                self._waiting.append(entry)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="audit", daemon=True)
                self._thread.start()
            if not is_read:
                self._hurry.set()
            if not self._busy:
                self._changed.notify_all()

    def keep(self, entry: AuditEntry) -> bool:
        """Write an entry and wait until it is on the disk; False when it is not there in time."""
        self.write(entry)
        if not self.flush(KEPT_WITHIN_S):
            log.warning("the audit log is slow: a call of %s is not in it yet", entry.tool)
            return False
        return entry.row_id is not None

    def flush(self, timeout_s: float = 10.0) -> bool:
        """Wait until all that came so far is written, not what comes meanwhile; say whether it is."""
        with self._changed:
            self._hurry.set()
            last = self._taken + bool(self._waiting)
            return self._changed.wait_for(lambda: self._done >= last, timeout_s)

    def close(self) -> None:
        """Write what is waiting and end the writer."""
        with self._changed:
            self._closing = True
            self._hurry.set()
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(timeout=10)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closing)
                if not self._waiting:
                    return
                self._busy = True
            self._hurry.wait(GATHER_S)
            with self._changed:
                if not self._closing:
                    self._hurry.clear()
                entries, self._waiting = list(self._waiting), deque()
                self._taken += 1
            self._keep_all(entries)
            with self._changed:
                self._busy = False
                self._done += 1
                self._changed.notify_all()

    def _keep_all(self, entries: Sequence[AuditEntry]) -> None:
        """Write entries; one that cannot be written costs no other its place, nor the writer its life."""
        try:
            self._store(entries)
            self._note_trouble(None)
        except NotAvailable as error:
            log.warning("%d calls could not be kept in the audit log: %s", len(entries), error)
            self._note_trouble(str(error))
        except Exception:
            if len(entries) > 1:
                for entry in entries:
                    self._keep_all([entry])
            else:
                log.exception("a call of %a could not be kept in the audit log", entries[0].tool)

    def _note_trouble(self, problem: str | None) -> None:
        """Report a change once: a full disk fails every call, and each time a little differently."""
        before, self._trouble = self._trouble, problem
        if (before is None) == (problem is None):
            return
        try:
            self._on_trouble(problem)
        except Exception:  # the writer goes on, whoever cannot be notified
            log.exception("the trouble with the audit log could not be reported")
