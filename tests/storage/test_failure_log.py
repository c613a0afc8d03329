"""Failures of mappings in the audit log, where the Activity view finds them."""

from collections.abc import Iterator, Sequence

import pytest

from conductor.domain.control_names import ControlNames, NamedControl
from conductor.domain.wire_rows import FailureRow
from conductor.storage.audit import AuditEntry, AuditLog
from conductor.storage.failure_log import FailureLog


def failure(reason: str, action: str = "Launch", scope: str = "mode:Default") -> FailureRow:
    return FailureRow(
        mapping=f"{scope} #5",
        scope=scope,
        index=5,
        trigger={"type": "Note", "note": 36},
        action={"type": action} if action == "Plugin" else {"type": action, "app": "vim"},
        reason=reason,
        sequence=1,
        time=0.0,
    )


@pytest.fixture
def entries() -> Iterator[tuple[list[AuditEntry], AuditLog]]:
    stored: list[AuditEntry] = []

    def store(entries: Sequence[AuditEntry]) -> None:
        stored.extend(entries)

    audit = AuditLog(store)
    yield stored, audit
    audit.close()


def test_a_failure_is_listed_with_its_mapping_and_reason_once_a_minute(
    entries: tuple[list[AuditEntry], AuditLog],
) -> None:
    stored, audit = entries
    now = 0.0
    names = ControlNames({"pads": [NamedControl("note", 36, None, "Kick")]})
    log = FailureLog(audit, lambda: names, lambda: now)
    for reason in ("no such app", "no such app", "no screen"):
        log.on_failure(failure(reason))
    now = 61.0
    log.on_failure(failure("no such app"))
    log.on_failure(failure("has its own entry", "Plugin"))
    assert audit.flush_entries()
    assert [(entry.caller, entry.client, entry.outcome, entry.detail) for entry in stored] == [
        ("pad", "Kick -> Open vim, mapping 6 of mode Default", "action_failed", reason)
        for reason in ("no such app", "no screen", "no such app")
    ]
