"""Failures of mappings in the audit log, where the Activity view finds them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from conductor.domain.control_names import ControlNames, NamedControl
from conductor.domain.wire_rows import FailureRow
from conductor.storage.audit import AuditLog
from conductor.storage.audit_rows import list_latest_audit_entries, store_audit_entries
from conductor.storage.database import Database
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
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "conductor.db")
    yield database
    database.close()


def test_each_failure_is_listed_or_counted_with_its_mapping_and_reason(database: Database) -> None:
    audit = AuditLog(lambda entries: store_audit_entries(database, entries))
    now = 0.0
    names = ControlNames({"pads": [NamedControl("note", 36, None, "Kick")]})
    log = FailureLog(audit, lambda: names, lambda: now)
    for reason in ("no such app", "no such app", "no screen"):
        log.on_failure(failure(reason))
    assert audit.flush_entries()
    now = 5.0
    log.on_failure(failure("no such app"))
    now = 11.0
    log.on_failure(failure("no such app"))
    log.on_failure(failure("has its own entry", "Plugin"))
    audit.close()
    found = list_latest_audit_entries(database)
    assert {(entry.caller, entry.client, entry.outcome) for entry in found} == {
        ("pad", "Kick -> Open vim, mapping 6 of mode Default", "action_failed")
    }
    place = {"scope": "mode:Default", "index": 5}
    assert [(entry.detail, entry.arguments) for entry in reversed(found)] == [
        ("no such app", {**place, "times": 3}),
        ("no screen", place),
        ("no such app", place),
    ]
