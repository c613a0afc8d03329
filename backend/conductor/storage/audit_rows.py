"""Stores and queries the audit log in the database."""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement
from sqlmodel import Field, Session, SQLModel, and_, col, delete, desc, func, not_, or_, select

from conductor.base.json_types import JsonObject
from conductor.domain.plan import SLASH_COMMAND_CLIENT
from conductor.domain.storable import make_storable
from conductor.storage.audit import STORED_AUDIT_FIELDS, AuditEntry
from conductor.storage.database import Database, retry_after_reopen

MAX_AUDIT_ENTRIES = 10_000
MAX_PAD_AUDIT_ENTRIES = 2_000
"""The maximum number of stored calls by mappings. A mapped knob may call a tool twenty times a second, which
must not displace the calls of agents."""
ENTRIES_PER_PRUNING = 100
"""The number of new entries after which the oldest are deleted; finding the oldest scans the whole log."""
FAILED_CALL_OUTCOME = "failed"
WRITTEN_ROW_ID = 0
"""A row id that marks an entry as complete when it was written; writing such an entry again changes nothing."""
_PARAMETERS = ", ".join("?" * len(STORED_AUDIT_FIELDS))
INSERT_AUDIT_ENTRY = f"INSERT INTO audit ({', '.join(STORED_AUDIT_FIELDS)}) VALUES ({_PARAMETERS})"  # noqa: S608 -- our own names


class AuditRow(SQLModel, table=True):
    __tablename__: Any = "audit"

    id: int | None = Field(default=None, primary_key=True)
    at: float
    caller: str
    client: str | None = None
    pid: int | None = None
    executable: str | None = None
    tool: str = Field(index=True)
    tier: str | None = None
    arguments: str
    outcome: str
    """`started`, `ok`, or the code of the error with which the call ended."""
    detail: str | None = None
    duration_ms: float | None = None
    permission: str | None = None
    """Why a call of a skill was allowed; None for other tools."""


class AuditFilter(NamedTuple):
    """The conditions for listing an audit entry. A condition that is None matches every entry."""

    callers: tuple[str, ...] | None = None
    with_slash_commands: bool | None = None
    """True adds the slash commands that the user typed in the chat to `callers`, False leaves them out."""
    tool: str | None = None
    """A part of the tool's name; upper and lower case are equal."""
    outcome: str | None = None
    """A stored outcome, or `failed` for every outcome except `ok` and `started`."""
    tier: str | None = None
    without_tiers: tuple[str, ...] = ()
    since: float | None = None


NO_AUDIT_FILTER = AuditFilter()
SEARCHED_AUDIT_COLUMNS: tuple[Any, ...] = (
    AuditRow.caller,
    AuditRow.client,
    AuditRow.tool,
    AuditRow.arguments,
    AuditRow.outcome,
    AuditRow.detail,
)


@retry_after_reopen
def store_audit_entries(
    database: Database, entries: Sequence[AuditEntry], max_entries: int = MAX_AUDIT_ENTRIES
) -> None:
    """Write audit entries in one transaction.

    After every hundred entries, the oldest are deleted, so that at most `max_entries` calls by other callers
    and `MAX_PAD_AUDIT_ENTRIES` calls by mappings remain.
    """
    started = {
        id(entry): entry
        for entry in entries
        if entry.row_id is None and (entry.outcome == "started" or entry.counts_repeats)
    }
    finished = {
        id(entry): entry for entry in entries if entry.row_id is None and id(entry) not in started
    }
    with database.write_session() as session:
        before = session.exec(select(func.max(AuditRow.id))).one() or 0
        rows = {key: _build_audit_row(entry) for key, entry in started.items()}
        for entry in entries:
            if entry.row_id:
                session.merge(_build_audit_row(entry))
        session.flush()
        # The row ids are the order of the calls, so each run of one kind is written before the next one.
        for is_started, run in groupby(dict.fromkeys(map(id, entries)), started.__contains__):
            if is_started:
                session.add_all(rows[key] for key in run)
                session.flush()
                continue
            # These entries need no row ids, because no update follows: a cheap bulk insert is enough.
            values = [
                tuple(_list_audit_values(finished[key]).values()) for key in run if key in finished
            ]
            if values:
                session.connection().exec_driver_sql(INSERT_AUDIT_ENTRY, values)
        if (
            before + len(started) + len(finished)
        ) // ENTRIES_PER_PRUNING > before // ENTRIES_PER_PRUNING:
            is_pad = col(AuditRow.caller) == "pad"
            _delete_oldest_entries(session, is_pad, min(max_entries, MAX_PAD_AUDIT_ENTRIES))
            _delete_oldest_entries(session, ~is_pad, max_entries)
    # Set only after the commit, because a failed commit, for example on a full disk, has written nothing.
    for key, entry in started.items():
        entry.row_id = rows[key].id
    for entry in finished.values():
        entry.row_id = WRITTEN_ROW_ID


def _delete_oldest_entries(
    session: Session, condition: ColumnElement[bool], max_entries: int
) -> None:
    newest_first = select(AuditRow.id).where(condition).order_by(desc(col(AuditRow.id)))
    last = session.exec(newest_first.offset(max_entries).limit(1)).first()
    if last is not None:
        session.exec(delete(AuditRow).where(condition, col(AuditRow.id) <= last))


@retry_after_reopen
def list_latest_audit_entries(
    database: Database,
    limit: int = 50,
    before_id: int | None = None,
    search: str | None = None,
    entry_filter: AuditFilter = NO_AUDIT_FILTER,
) -> list[AuditEntry]:
    """Return audit entries, newest first.

    With `before_id`, only older entries are returned; `search` ignores case.
    """
    query = select(AuditRow).order_by(desc(col(AuditRow.id))).limit(limit)
    if before_id is not None:
        query = query.where(col(AuditRow.id) < before_id)
    if search:
        matches = (
            col(field).icontains(search, autoescape=True) for field in SEARCHED_AUDIT_COLUMNS
        )
        query = query.where(or_(*matches))
    query = query.where(*_build_filter_conditions(entry_filter))
    with database.read_session() as session:
        return [_parse_audit_row(row) for row in session.exec(query)]


def _build_filter_conditions(entry_filter: AuditFilter) -> Iterator[Any]:
    if entry_filter.callers is not None:
        is_by_callers = col(AuditRow.caller).in_(entry_filter.callers)
        # NULL is not distinct from NULL, and `=` would make the whole condition NULL
        is_other = col(AuditRow.client).is_distinct_from(SLASH_COMMAND_CLIENT)
        if entry_filter.with_slash_commands is True:
            yield or_(is_by_callers, and_(col(AuditRow.caller) == "chat", not_(is_other)))
        elif entry_filter.with_slash_commands is False:
            yield and_(is_by_callers, is_other)
        else:
            yield is_by_callers
    if entry_filter.tool is not None:
        yield col(AuditRow.tool).icontains(entry_filter.tool, autoescape=True)
    if entry_filter.outcome == FAILED_CALL_OUTCOME:
        yield col(AuditRow.outcome).not_in(("ok", "started"))
    elif entry_filter.outcome is not None:
        yield col(AuditRow.outcome) == entry_filter.outcome
    if entry_filter.tier is not None:
        yield col(AuditRow.tier) == entry_filter.tier
    if entry_filter.without_tiers:
        # A call of an unknown tool has no tier, and `NOT IN` would leave out those rows.
        yield func.coalesce(AuditRow.tier, "").not_in(entry_filter.without_tiers)
    if entry_filter.since is not None:
        yield col(AuditRow.at) >= entry_filter.since


def _build_audit_row(entry: AuditEntry) -> AuditRow:
    return AuditRow(id=entry.row_id, **_list_audit_values(entry))


def _list_audit_values(entry: AuditEntry) -> JsonObject:
    """Return the values of an audit entry for the columns of the table."""
    fields = {name: getattr(entry, name) for name in STORED_AUDIT_FIELDS}
    return make_storable(fields | {"arguments": json.dumps(entry.arguments, ensure_ascii=False)})


def _parse_audit_row(row: AuditRow) -> AuditEntry:
    fields = {name: getattr(row, name) for name in STORED_AUDIT_FIELDS}
    return AuditEntry(**fields | {"arguments": json.loads(row.arguments)}, row_id=row.id)
