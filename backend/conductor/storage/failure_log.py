"""Records in the audit log that the action of a mapping has failed, so that it is listed with problems."""

import time
from collections.abc import Callable

from conductor.domain.mapping_names import format_row_name
from conductor.domain.performed_once import PERFORMED_ONCE_SCOPE
from conductor.domain.wire_rows import FailureRow
from conductor.storage.audit import AuditEntry, AuditLog

REPEAT_S = 60.0
"""A failure is recorded again after this time. A knob can fail a hundred times a second."""
MAX_KNOWN_FAILURES = 500


class FailureLog:
    """Writes an entry for each failure of a mapping, at most one a minute for the same reason. Safe to call
    from any thread.
    """

    def __init__(self, audit: AuditLog, now: Callable[[], float] = time.monotonic) -> None:
        self._audit = audit
        self._now = now
        self._recorded: dict[tuple[str, int, str], float] = {}

    def on_failure(self, failure: FailureRow) -> None:
        # a call of an MCP tool, and an action that was performed once, have entries of their own
        if failure["scope"] == PERFORMED_ONCE_SCOPE or failure["action"].get("type") == "Plugin":
            return
        key, now = (failure["scope"], failure["index"], failure["reason"]), self._now()
        if now - self._recorded.get(key, -REPEAT_S) < REPEAT_S:
            return
        if len(self._recorded) >= MAX_KNOWN_FAILURES:
            self._recorded.clear()
        self._recorded[key] = now
        name = format_row_name({**failure})
        self._audit.write(
            AuditEntry(
                caller="pad",
                client=name,
                pid=None,
                executable=None,
                tool="mapping.failed",
                tier="stateful",
                arguments={"scope": failure["scope"], "index": failure["index"]},
                outcome="action_failed",
                detail=failure["reason"],
            )
        )
