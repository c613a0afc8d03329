"""The audit log as it is kept in the database."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement
from sqlmodel import Field, Session, SQLModel, col, delete, desc, func, or_, select

from conductor.domain.storable import storable
from conductor.storage.audit import COLUMNS, AuditEntry
from conductor.storage.database import Database, done_again_if_renewed

KEEP = 10_000
KEEP_OF_PADS = 2_000
"""A knob may call a tool twenty times a second: what agents did must not make room for that."""
DROP_EVERY = 100
"""To find the oldest, the whole log is walked: not for each entry, so it may have a few more than it keeps."""
FAILED = "failed"
WRITTEN = 0
"""The row of an entry that was complete when it was written; to write it again changes nothing."""
INSERT = f"INSERT INTO audit ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"  # noqa: S608 -- our own names


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
    """`started`, `ok`, or the code of the error."""
    detail: str | None = None
    duration_ms: float | None = None
    permission: str | None = None
    """How a skill came to be allowed."""


class Wanted(NamedTuple):
    """Which entries are looked for; None leaves a condition out."""

    caller: str | None = None
    tool: str | None = None
    """Part of its name, in any case."""
    outcome: str | None = None
    """As it is kept, or `failed`: whatever was not done."""
    tier: str | None = None
    since: float | None = None


ALL = Wanted()
SEARCHED: tuple[Any, ...] = (
    AuditRow.caller,
    AuditRow.client,
    AuditRow.tool,
    AuditRow.arguments,
    AuditRow.outcome,
    AuditRow.detail,
)


@done_again_if_renewed
def store(database: Database, entries: Sequence[AuditEntry], keep: int = KEEP) -> None:
    """Write entries in one transaction; with every hundredth that comes, drop the oldest."""
    begun = {id(one): one for one in entries if one.row_id is None and one.outcome == "started"}
    ended = {id(one): one for one in entries if one.row_id is None and id(one) not in begun}
    with database.writing() as session:
        before = session.exec(select(func.max(AuditRow.id))).one() or 0
        rows = {key: _row(entry) for key, entry in begun.items()}
        session.add_all(rows.values())
        for entry in entries:
            if entry.row_id:
                session.merge(_row(entry))
        session.flush()
        if ended:  # most are reads, which nobody will complete: written in bulk, which is cheap
            rows_at_once = [tuple(_fields(one).values()) for one in ended.values()]
            session.connection().exec_driver_sql(INSERT, rows_at_once)
        if (before + len(begun) + len(ended)) // DROP_EVERY > before // DROP_EVERY:
            is_pad = col(AuditRow.caller) == "pad"
            _drop_oldest(session, is_pad, min(keep, KEEP_OF_PADS))
            _drop_oldest(session, ~is_pad, keep)
    # only now: a commit that fails, on a full disk for one, has written nothing
    for key, entry in begun.items():
        entry.row_id = rows[key].id
    for entry in ended.values():
        entry.row_id = WRITTEN


def _drop_oldest(session: Session, whose: ColumnElement[bool], keep: int) -> None:
    newest_first = select(AuditRow.id).where(whose).order_by(desc(col(AuditRow.id)))
    last = session.exec(newest_first.offset(keep).limit(1)).first()
    if last is not None:
        session.exec(delete(AuditRow).where(whose, col(AuditRow.id) <= last))


@done_again_if_renewed
def latest(
    database: Database,
    limit: int = 50,
    before_id: int | None = None,
    search: str | None = None,
    wanted: Wanted = ALL,
) -> list[AuditEntry]:
    """Return the newest entries, or the newest before one; `search` is found in any case."""
    query = select(AuditRow).order_by(desc(col(AuditRow.id))).limit(limit)
    if before_id is not None:
        query = query.where(col(AuditRow.id) < before_id)
    if search:
        found = (col(field).icontains(search, autoescape=True) for field in SEARCHED)
        query = query.where(or_(*found))
    query = query.where(*_conditions(wanted))
    with database.reading() as session:
        return [_entry(row) for row in session.exec(query)]


def _conditions(wanted: Wanted) -> Iterator[Any]:
    if wanted.caller is not None:
        yield col(AuditRow.caller) == wanted.caller
    if wanted.tool is not None:
        yield col(AuditRow.tool).icontains(wanted.tool, autoescape=True)
    if wanted.outcome == FAILED:
        yield col(AuditRow.outcome).not_in(("ok", "started"))
    elif wanted.outcome is not None:
        yield col(AuditRow.outcome) == wanted.outcome
    if wanted.tier is not None:
        yield col(AuditRow.tier) == wanted.tier
    if wanted.since is not None:
        yield col(AuditRow.at) >= wanted.since


def _row(entry: AuditEntry) -> AuditRow:
    return AuditRow(id=entry.row_id, **_fields(entry))


def _fields(entry: AuditEntry) -> dict[str, Any]:
    """Return the columns, in their order."""
    fields = {name: getattr(entry, name) for name in COLUMNS}
    return storable(fields | {"arguments": json.dumps(entry.arguments, ensure_ascii=False)})


def _entry(row: AuditRow) -> AuditEntry:
    fields = {name: getattr(row, name) for name in COLUMNS}
    return AuditEntry(**fields | {"arguments": json.loads(row.arguments)}, row_id=row.id)
