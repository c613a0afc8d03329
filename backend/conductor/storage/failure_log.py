"""Records in the audit log that the action of a mapping has failed, so that it is listed with problems."""

import threading
import time
from collections.abc import Callable

from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
from conductor.domain.mapping_names import format_mapping_key, format_place_name, parse_trigger
from conductor.domain.performed_once import PERFORMED_ONCE_SCOPE
from conductor.domain.wire_rows import FailureRow
from conductor.storage.audit import AuditEntry, AuditLog

REPEAT_S = 10.0
"""Failures within this time are counted in one entry. A knob can fail a hundred times a second."""
MAX_KNOWN_FAILURES = 500


class FailureLog:
    """Writes the failures of mappings. An entry counts those of one mapping for one reason within `REPEAT_S`.
    Safe to call from any thread.
    """

    def __init__(
        self,
        audit: AuditLog,
        read_names: Callable[[], ControlNames] = lambda: NO_CONTROL_NAMES,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._audit = audit
        self._read_names = read_names
        self._now = now
        self._recorded: dict[tuple[str, int, str], tuple[float, AuditEntry]] = {}
        self._lock = threading.Lock()

    def on_failure(self, failure: FailureRow) -> None:
        # a call of an MCP tool, and an action that was performed once, have entries of their own
        if failure["scope"] == PERFORMED_ONCE_SCOPE or failure["action"].get("type") == "Plugin":
            return
        key, now = (failure["scope"], failure["index"], failure["reason"]), self._now()
        with self._lock:
            recorded_at, entry = self._recorded.get(key, (-REPEAT_S, None))
            if entry is not None and now - recorded_at < REPEAT_S:
                times = entry.arguments.get("times", 1) + 1
                # a new dict, because the writer thread may be reading this one
                entry.arguments = {**entry.arguments, "times": times}
            else:
                entry = self._create_entry(failure)
                if len(self._recorded) >= MAX_KNOWN_FAILURES:
                    self._recorded.clear()
                self._recorded[key] = now, entry
        self._audit.write(entry)

    def _create_entry(self, failure: FailureRow) -> AuditEntry:
        return AuditEntry(
            caller="pad",
            client=self._describe_mapping(failure),
            pid=None,
            executable=None,
            tool="mapping.failed",
            tier="stateful",
            arguments={"scope": failure["scope"], "index": failure["index"]},
            outcome="action_failed",
            detail=failure["reason"],
            counts_repeats=True,
        )

    def _describe_mapping(self, failure: FailureRow) -> str:
        """Return the description of a mapping, or its control and what it does, with its place.

        The mapping may be changed or deleted later, so all that is shown of it is recorded.
        """
        from conductor.domain.row_phrases import format_performed_action, format_trigger_phrase

        scope, index = failure["scope"], failure["index"]
        name = failure["mapping"]
        if name == format_mapping_key(scope, index):
            control = format_trigger_phrase(parse_trigger(failure["trigger"]), self._read_names())
            name = f"{control} -> {format_performed_action(failure['action'])}"
        return f"{name}, {format_place_name(scope, index)}"
