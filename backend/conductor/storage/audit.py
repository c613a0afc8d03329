"""Records each tool call in the audit log, with its caller, arguments, outcome and duration.

A writer thread does the writing, so that a call of a reading tool never waits for the disk; pending entries
are written before the log is closed. Entries of reading tools are collected into batches, because a commit
costs more than such a call, and the last batch may be lost with a killed process. The entry of a change is
on the disk before the change is made. The database library is not imported here: that would delay the start.
"""

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import TracebackType
from typing import Protocol, Self, TypedDict

from conductor.base.clock import now
from conductor.base.json_types import JsonObject
from conductor.base.redact import redact_secrets
from conductor.domain.plan import Requester
from conductor.errors import ConductorError, NotAvailable

log = logging.getLogger(__name__)

MAX_PENDING_ENTRIES = 20_000
MAX_DETAIL_CHARACTERS = 500
WRITE_BATCH_DELAY_S = 0.5
"""Seconds for which the writer thread collects entries of reading tools into one transaction."""
DURABLE_WRITE_TIMEOUT_S = 15.0
"""Seconds to wait for a durable write. This is longer than SQLite's own busy timeout, so that a slow first
start is not mistaken for a locked database."""
STORED_AUDIT_FIELDS = (
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
"""The fields of an audit entry that are stored and exported, in the order of the export."""
UNCHANGING_TIERS = (None, "read_only")
"""The tiers of tools that change nothing. None stands for an unknown tool, which has no tier."""


class AuditEntryData(TypedDict):
    """The JSON form of an `AuditEntry`."""

    at: str
    caller: str
    client: str | None
    pid: int | None
    executable: str | None
    tool: str
    tier: str | None
    arguments: JsonObject
    permission: str | None
    outcome: str
    detail: str | None
    duration_ms: float | None


@dataclass(slots=True)
class AuditEntry:
    """A tool call in the audit log.

    `outcome`, `detail` and `duration_ms` are set when the call ends.
    """

    caller: str
    client: str | None
    pid: int | None
    executable: str | None
    tool: str
    tier: str | None
    arguments: JsonObject
    outcome: str = "started"
    detail: str | None = None
    duration_ms: float | None = None
    permission: str | None = None
    """Why a call of a skill was allowed: `not needed`, `once`, `conversation`, `always` or `mapping`."""
    at: float = field(default_factory=lambda: datetime.now(UTC).timestamp())
    counts_repeats: bool = False
    """Whether the entry is written again, with a higher count, each time the same happens again."""
    row_id: int | None = None

    @classmethod
    def create_for_call(
        cls, by: Requester, tool: str, tier: str | None, arguments: JsonObject
    ) -> "AuditEntry":
        """Create the entry for a tool call that starts now, with outcome `started`.

        The caller must have removed secrets from `arguments`.
        """
        return cls(by.caller, by.client, by.pid, by.executable, tool, tier, arguments)

    def to_plain(self) -> AuditEntryData:
        """Return the entry as a dict of JSON values, with the keys in the order of `STORED_AUDIT_FIELDS`."""
        return AuditEntryData(
            at=datetime.fromtimestamp(self.at, UTC).isoformat(timespec="milliseconds"),
            caller=self.caller,
            client=self.client,
            pid=self.pid,
            executable=self.executable,
            tool=self.tool,
            tier=self.tier,
            arguments=self.arguments,
            permission=self.permission,
            outcome=self.outcome,
            detail=self.detail,
            duration_ms=self.duration_ms,
        )


def build_file_edit_entry(file_name: str) -> AuditEntry:
    """Return the entry for an edit of the config file by another program, which cannot be identified."""
    return AuditEntry(
        caller="file",
        client=file_name,
        pid=None,
        executable=None,
        tool="config.file",
        tier="stateful",
        arguments={},
        outcome="ok",
    )


class AuditWriter(Protocol):
    def write(self, entry: AuditEntry) -> None: ...


class RecordedCall:
    """Measures the duration of a tool call and writes its audit entry when the call ends.

    Used as a context manager, it takes the outcome from how the block ends. Call `finish_call` instead if the
    tool call ends elsewhere, such as in a callback. With `is_private`, error messages are not stored,
    because they may quote arguments.
    """

    def __init__(self, audit: AuditWriter, entry: AuditEntry, *, is_private: bool = False) -> None:
        self.entry = entry
        self._audit = audit
        self._is_private = is_private
        self._started = now()

    def restart_timer(self) -> None:
        """Restart the measurement of the duration, for example to leave out the time that the user took to
        answer.
        """
        self._started = now()

    def finish_call(self, outcome: str, detail: str | None) -> None:
        """Set the outcome of the tool call and write its audit entry."""
        entry = self.entry
        entry.detail = None if detail is None else redact_secrets(detail)[:MAX_DETAIL_CHARACTERS]
        entry.duration_ms = round((now() - self._started) * 1000, 3)
        # Set last, because the writer takes an entry with an outcome for complete.
        entry.outcome = outcome
        self._audit.write(entry)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: object, error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        match error:
            case None:
                self.finish_call("ok", self.entry.detail)
            case asyncio.CancelledError():
                self.finish_call("cancelled", None)
            case ConductorError():
                self.finish_call(error.code, None if self._is_private else str(error))
            case _:
                self.finish_call("error", None if self._is_private else str(error))


class AuditLog:
    """The audit log. Any thread may write entries, but only the writer thread calls `store`."""

    def __init__(
        self,
        store: Callable[[Sequence[AuditEntry]], None],
        on_problem: Callable[[str | None], None] = lambda _problem: None,
    ) -> None:
        """Create the log, whose writer thread starts with the first entry.

        `on_problem` is called with the reason when writing fails, and with None once it works again.
        """
        self._store = store
        self._on_problem = on_problem
        self._problem: str | None = None
        self._pending: deque[AuditEntry] = deque()
        self._changed = threading.Condition()
        self._write_now = threading.Event()
        self._is_closing = False
        self._is_writing = False
        self._taken_batches = self._written_batches = 0
        """The number of batches that the writer has taken from the queue, and the number that it has
        written. `flush_entries` waits for the batch with its own entry."""
        self._thread: threading.Thread | None = None
        self.dropped = 0

    def write(self, entry: AuditEntry) -> None:
        """Queue an entry to be written with its current fields.

        Writing the same entry again later updates its row.
        """
        is_read = entry.tier in UNCHANGING_TIERS
        with self._changed:
            if is_read and len(self._pending) >= MAX_PENDING_ENTRIES:
                self.dropped += 1
                return
            if not (self._pending and self._pending[-1] is entry):
                self._pending.append(entry)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run_writer, name="audit", daemon=True)
                self._thread.start()
            # Repeats are collected as well: a knob may fail a hundred times a second.
            if not is_read and not entry.counts_repeats:
                self._write_now.set()
            if not self._is_writing:  # a busy writer looks at the queue again without being woken
                self._changed.notify_all()

    def write_durably(self, entry: AuditEntry) -> bool:
        """Write an entry and wait until it is on the disk.

        Returns False if it could not be written within `DURABLE_WRITE_TIMEOUT_S`.
        """
        with (
            self._changed
        ):  # held in between, or entries written meanwhile would be waited for, too
            self.write(entry)
            is_written = self.flush_entries(DURABLE_WRITE_TIMEOUT_S)
        if not is_written:
            log.warning(
                "the audit log is slow: the call of %s has not been written yet", entry.tool
            )
            return False
        return entry.row_id is not None

    def flush_entries(self, timeout_s: float = 10.0) -> bool:
        """Wait until all queued entries are written; return False if that takes longer than `timeout_s`
        seconds.
        """
        with self._changed:
            self._write_now.set()
            last = self._taken_batches + bool(self._pending)
            return self._changed.wait_for(lambda: self._written_batches >= last, timeout_s)

    def close(self) -> None:
        """Write the pending entries and stop the writer thread."""
        with self._changed:
            self._is_closing = True
            self._write_now.set()
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(timeout=10)

    def _run_writer(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._pending or self._is_closing)
                if not self._pending:
                    return
                self._is_writing = True
            self._write_now.wait(WRITE_BATCH_DELAY_S)
            with self._changed:
                # Once the log is closing, each further batch is written without delay.
                if not self._is_closing:
                    self._write_now.clear()
                entries, self._pending = list(self._pending), deque()
                self._taken_batches += 1
            self._store_entries(entries)
            with self._changed:
                self._is_writing = False
                self._written_batches += 1
                self._changed.notify_all()

    def _store_entries(self, entries: Sequence[AuditEntry]) -> None:
        """Write entries to the database.

        An entry that cannot be written is logged and dropped, so that it cannot block the others.
        """
        try:
            self._store(entries)
            self._report_write_problem(None)
        except NotAvailable as error:
            log.warning("%d calls could not be written to the audit log: %s", len(entries), error)
            self._report_write_problem(str(error))
        except Exception:
            if len(entries) > 1:
                for entry in entries:
                    self._store_entries([entry])
            else:
                log.exception("a call of %a could not be written to the audit log", entries[0].tool)

    def _report_write_problem(self, problem: str | None) -> None:
        """Report a problem only when writing starts to fail or works again, because a full disk makes every
        call fail.
        """
        before, self._problem = self._problem, problem
        if (before is None) == (problem is None):
            return
        try:
            self._on_problem(problem)
        except Exception:  # an error in the callback must not end the writer thread
            log.exception("the problem with the audit log could not be reported")
