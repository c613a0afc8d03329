"""The audit log: written by its own thread, complete after close, and never larger than its limit."""

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from sqlalchemy import Engine, event

from conductor.domain.plan import SLASH_COMMAND_CLIENT, Requester
from conductor.errors import InvalidParams, NotAvailable
from conductor.storage.audit import AuditEntry, AuditLog, RecordedCall
from conductor.storage.audit_rows import (
    ENTRIES_PER_PRUNING,
    AuditFilter,
    list_latest_audit_entries,
    store_audit_entries,
)
from conductor.storage.database import Database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "conductor.db")
    yield database
    database.close()


def entry(tool: str = "conductor_get_status", outcome: str = "started") -> AuditEntry:
    return AuditEntry("bare", None, 7, "/usr/bin/nc", tool, "read_only", {"a": [1, "é"]}, outcome)


def test_close_writes_all_pending_entries(database: Database):
    log = AuditLog(lambda entries: store_audit_entries(database, entries))
    for number in range(500):
        log.write(entry(f"tool{number}"))
    log.close()
    assert [one.tool for one in list_latest_audit_entries(database, 2)] == ["tool499", "tool498"]
    assert len(list_latest_audit_entries(database, 1_000)) == 500


def test_an_entry_written_at_the_start_of_a_call_is_updated_in_place(database: Database):
    log, one = AuditLog(lambda entries: store_audit_entries(database, entries)), entry()
    log.write(one)
    assert log.flush_entries()
    assert [found.outcome for found in list_latest_audit_entries(database)] == ["started"]
    one.outcome, one.detail, one.duration_ms = "ok", "done", 1.5
    log.write(one)
    log.close()
    (found,) = list_latest_audit_entries(database)
    assert (found.outcome, found.detail, found.duration_ms) == ("ok", "done", 1.5)
    assert found.to_plain()["arguments"] == {"a": [1, "é"]}
    assert found.to_plain()["executable"] == "/usr/bin/nc"


def test_finished_and_unfinished_calls_of_one_batch_keep_their_order(database: Database):
    calls = [
        entry("status", "ok"),
        entry("propose"),
        entry("wait", "ok"),
        entry("list", "ok"),
        entry("apply"),
    ]
    store_audit_entries(database, calls)
    assert [one.tool for one in list_latest_audit_entries(database)] == [
        one.tool for one in reversed(calls)
    ]
    calls[1].outcome = "ok"
    store_audit_entries(database, [entry("later", "ok"), calls[1]])
    assert [(one.tool, one.outcome) for one in list_latest_audit_entries(database)][:2] == [
        ("later", "ok"),
        ("apply", "started"),
    ]
    assert len(list_latest_audit_entries(database)) == 6


def test_the_oldest_entries_are_dropped(database: Database):
    for number in range(2 * ENTRIES_PER_PRUNING):
        store_audit_entries(database, [entry(f"tool{number}")], max_entries=4)
        assert len(list_latest_audit_entries(database, 1_000)) < 4 + ENTRIES_PER_PRUNING
    newest = range(2 * ENTRIES_PER_PRUNING - 1, 2 * ENTRIES_PER_PRUNING - 5, -1)
    assert [one.tool for one in list_latest_audit_entries(database)] == [
        f"tool{number}" for number in newest
    ]


def test_calls_by_controls_do_not_displace_calls_by_others(database: Database):
    store_audit_entries(database, [entry("agent's")], max_entries=4)
    by = Requester(caller="pad", client="Note 36 (C1), mapping 1 of mode Default")
    calls = [
        AuditEntry.create_for_call(by, f"knob{number}", "skill", {})
        for number in range(ENTRIES_PER_PRUNING - 1)
    ]
    store_audit_entries(database, calls, max_entries=4)
    assert [one.tool for one in list_latest_audit_entries(database)] == [
        *(f"knob{ENTRIES_PER_PRUNING - number}" for number in (2, 3, 4, 5)),
        "agent's",
    ]


def test_a_typed_slash_command_is_listed_with_the_user_and_not_with_the_model(database: Database):
    requesters = {
        "typed": Requester(caller="chat", client=SLASH_COMMAND_CLIENT),
        "model's": Requester(caller="chat", client="openai/gpt"),
        "unnamed": Requester(caller="chat"),
        "window's": Requester(caller="window"),
    }
    calls = [AuditEntry.create_for_call(by, name, None, {}) for name, by in requesters.items()]
    store_audit_entries(database, calls)

    def list_tools(caller: str, *, with_slash_commands: bool) -> list[str]:
        chosen = AuditFilter((caller,), with_slash_commands=with_slash_commands)
        found = list_latest_audit_entries(database, entry_filter=chosen)
        return [one.tool for one in reversed(found)]

    assert list_tools("window", with_slash_commands=True) == ["typed", "window's"]
    assert list_tools("chat", with_slash_commands=False) == ["model's", "unnamed"]


def test_a_write_does_not_scan_the_whole_log(tmp_path: Path):
    """The work is counted in thousands of SQLite virtual machine instructions."""
    work = [0]

    def count() -> None:
        work[-1] += 1

    def watch(connection: sqlite3.Connection, _record: object) -> None:
        connection.set_progress_handler(count, 1_000)

    event.listen(Engine, "connect", watch)
    try:
        database = Database(tmp_path / "conductor.db")
    finally:
        event.remove(Engine, "connect", watch)
    store_audit_entries(database, [entry() for _ in range(3_000)], max_entries=3_000)
    for _ in range(ENTRIES_PER_PRUNING):
        work.append(0)
        store_audit_entries(database, [entry("one more")], max_entries=3_000)
    database.close()
    assert len([one for one in work[1:] if one > 1]) == 1


def test_a_lone_surrogate_in_a_call_is_stored_as_a_replacement_character(database: Database):
    log = AuditLog(lambda entries: store_audit_entries(database, entries))
    by = Requester(caller="mcp", client="half \ud83d")
    log.write(AuditEntry.create_for_call(by, "conductor_\ud83d", "stateful", {"mode": "\ud83d"}))
    log.write(entry("after"))
    log.close()
    after, odd = list_latest_audit_entries(database)
    assert (after.tool, odd.tool, odd.client) == ("after", "conductor_\ufffd", "half \ufffd")
    assert odd.arguments == {"mode": "\ufffd"}


def test_an_entry_that_cannot_be_written_does_not_prevent_the_others():
    kept: list[str] = []

    def keep(entries: Sequence[AuditEntry]) -> None:
        if any(one.tool == "odd" for one in entries):
            raise ValueError
        kept.extend(one.tool for one in entries)

    log = AuditLog(keep)
    for tool in ("first", "odd", "last"):
        log.write(entry(tool))
    assert log.flush_entries()
    log.write(entry("later"))
    log.close()
    assert kept == ["first", "last", "later"]


def test_an_unusable_database_does_not_stop_the_writer():
    seen = threading.Event()

    def fail(_: Sequence[AuditEntry]) -> None:
        seen.set()
        raise NotAvailable("the disk is full")

    log = AuditLog(fail)
    log.write(entry())
    assert seen.wait(5)
    assert log.flush_entries()
    log.close()


def change() -> AuditEntry:
    return AuditEntry.create_for_call(Requester(caller="mcp"), "change", "config_change", {})


def test_write_durably_waits_for_the_change_but_not_for_later_reads(
    caplog: pytest.LogCaptureFixture,
):
    stored: list[str] = []
    kept = threading.Event()

    def keep(entries: Sequence[AuditEntry]) -> None:
        if "change" in stored:
            kept.wait(30)  # a batch that does not end while `write_durably` waits
        stored.extend(one.tool for one in entries)
        if not kept.is_set():
            log.write(entry("the next read"))  # so that the log is never empty

    log = AuditLog(keep)
    log.write(entry("read"))
    log.write_durably(change())
    assert "change" in stored
    kept.set()
    log.close()
    assert "slow" not in caplog.text


def test_flush_waits_for_entries_queued_while_others_were_written():
    stored: list[str] = []
    first, written = threading.Event(), threading.Event()

    def keep(entries: Sequence[AuditEntry]) -> None:
        first.set()
        written.wait(30)
        stored.extend(one.tool for one in entries)

    log = AuditLog(keep)
    log.write(entry("read"))
    assert first.wait(30)
    log.write(change())
    written.set()
    assert log.flush_entries(30)
    assert "change" in stored
    log.close()


def test_write_durably_returns_false_when_the_disk_is_full(database: Database, tmp_path: Path):
    log, one = (
        AuditLog(lambda entries: store_audit_entries(database, entries)),
        entry("conductor_poke", "ok"),
    )
    assert log.write_durably(one)
    with database.write_session() as session:
        connection = session.connection()
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    full = [AuditEntry("bare", None, 7, None, "t", "stateful", {"a": "x" * 9_000}) for _ in "12"]
    assert [log.write_durably(one) for one in full] == [False, False]
    log.close()
    assert {one.tool for one in list_latest_audit_entries(database)} == {"conductor_poke"}


def test_write_durably_returns_false_when_the_file_stays_locked(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("conductor.storage.audit.DURABLE_WRITE_TIMEOUT_S", 0.05)
    log = AuditLog(lambda entries: store_audit_entries(database, entries))
    with sqlite3.connect(tmp_path / "conductor.db", isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert log.write_durably(entry("conductor_poke")) is False
        other.execute("ROLLBACK")
    other.close()
    log.close()


def test_a_problem_with_the_file_and_its_end_are_each_reported_once():
    problems: list[str | None] = []
    full = [True, True, False, False]

    def keep(entries: Sequence[AuditEntry]) -> None:
        if full.pop(0):
            raise NotAvailable(f"no room, {len(full)} left")

    log = AuditLog(keep, problems.append)
    for _ in range(4):
        log.write_durably(entry("conductor_poke"))
    log.close()
    assert problems == ["no room, 3 left", None]


def test_a_failing_listener_does_not_stop_the_writer():
    def fail(_entries: Sequence[AuditEntry]) -> None:
        raise NotAvailable("no room")

    def notify(_problem: str | None) -> None:
        raise RuntimeError("the loop is closed")

    log = AuditLog(fail, notify)
    assert [log.write_durably(entry("conductor_poke")) for _ in "12"] == [False, False]
    assert log.flush_entries(5.0)
    log.close()


class _Written:
    """Implements `AuditWriter` with a list."""

    def __init__(self) -> None:
        self.entries: list[AuditEntry] = []

    def write(self, entry: AuditEntry) -> None:
        self.entries.append(entry)


@pytest.mark.parametrize(
    ("error", "outcome", "detail"),
    [
        (None, "ok", "plan 1"),
        (NotAvailable("no engine"), "not_available", "no engine"),
        (ValueError("broken"), "error", "broken"),
        (asyncio.CancelledError(), "cancelled", None),
    ],
)
def test_a_recorded_call_takes_its_outcome_from_how_it_ends(
    error: BaseException | None, outcome: str, detail: str | None
):
    written = _Written()
    entry = AuditEntry.create_for_call(Requester(caller="cli"), "a_tool", "stateful", {})
    with contextlib.suppress(BaseException), RecordedCall(written, entry):
        entry.detail = "plan 1"
        if error is not None:
            raise error
    assert written.entries == [entry]
    assert (entry.outcome, entry.detail) == (outcome, detail)
    assert entry.duration_ms is not None


def test_the_message_of_a_private_call_is_not_recorded():
    written = _Written()
    entry = AuditEntry.create_for_call(Requester(caller="window"), "keys.set", "privileged", {})
    with (
        contextlib.suppress(InvalidParams),
        RecordedCall(written, entry, is_private=True),
    ):
        raise InvalidParams("the key abc is too short")
    assert (entry.outcome, entry.detail) == (InvalidParams.code, None)
