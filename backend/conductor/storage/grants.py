"""What the user has allowed or forbidden for longer than once, and where conversations had content from."""

import json
import time
import uuid
from collections.abc import Iterable
from typing import Any

from sqlmodel import Field, SQLModel, col, delete, desc, func, select

from conductor.domain.approvals import GrantScope, Verdict
from conductor.domain.storable import storable
from conductor.domain.value import Value
from conductor.errors import NotAvailable
from conductor.storage.database import Database, done_again_if_renewed

KEPT_AT_MOST = 2_000


class Grant(Value):
    """One answer as it is kept."""

    grant_id: str
    skill_id: str
    tool: str
    """Its name: one skill may be several tools."""
    identity: str
    """Of a tool of another program: which program and which tool; empty for those of Conductor."""
    title: str
    origin: str | None
    verdict: Verdict
    scope: GrantScope
    conversation_id: str | None
    whose: str
    """Whose calls it covers: a key that stays the same when they come again."""
    requester: str
    """The same in words."""
    shape: dict[str, Any]
    words: str
    created_at: float
    last_used_at: float | None = None
    uses: int = 0


class GrantRow(SQLModel, table=True):
    __tablename__: Any = "skill_grant"

    grant_id: str = Field(primary_key=True)
    skill_id: str
    tool: str = Field(index=True)
    identity: str
    title: str
    origin: str | None = None
    verdict: str
    scope: str
    conversation_id: str | None = None
    whose: str
    requester: str
    shape: str
    words: str
    created_at: float
    last_used_at: float | None = None
    uses: int = 0


class SourceRow(SQLModel, table=True):
    __tablename__: Any = "skill_source"

    conversation_id: str = Field(primary_key=True)
    tool: str = Field(primary_key=True)
    title: str
    at: float


class Grants:
    """The answers in the database."""

    def __init__(self, database: Database, keep: int = KEPT_AT_MOST) -> None:
        self._database = database
        self._keep = keep

    @done_again_if_renewed
    def add(self, grant: Grant) -> None:
        """Keep an answer; the same one, given before, is replaced.

        Raises:
            NotAvailable: there are too many.
        """
        same = (GrantRow.tool, GrantRow.identity, GrantRow.verdict, GrantRow.scope)
        row = _row(grant)
        with self._database.writing() as session:
            session.exec(
                delete(GrantRow).where(
                    *(col(field) == getattr(row, field.key) for field in same),  # pyright: ignore[reportAttributeAccessIssue,reportUnknownArgumentType,reportUnknownMemberType]
                    col(GrantRow.whose) == row.whose,
                    col(GrantRow.shape) == row.shape,
                    col(GrantRow.conversation_id).is_not_distinct_from(row.conversation_id),
                )
            )
            if session.exec(select(func.count()).select_from(GrantRow)).one() >= self._keep:
                raise NotAvailable(
                    f"{self._keep} answers are kept already; take some back in Settings > Skills"
                )
            session.add(row)

    @done_again_if_renewed
    def of(self, tool: str) -> list[Grant]:
        """Return the answers about a tool, the newest first."""
        return self._found(GrantRow.tool == tool)

    @done_again_if_renewed
    def all(self) -> list[Grant]:
        """Return every answer, the newest first."""
        return self._found()

    @done_again_if_renewed
    def end(self, grant_ids: Iterable[str]) -> int:
        """Forget answers; says how many there were."""
        with self._database.writing() as session:
            gone = delete(GrantRow).where(col(GrantRow.grant_id).in_(list(grant_ids)))
            return session.exec(gone).rowcount

    @done_again_if_renewed
    def used(self, grant_id: str) -> None:
        """Count one use."""
        with self._database.writing() as session:
            row = session.get(GrantRow, grant_id)
            if row is not None:
                row.uses, row.last_used_at = row.uses + 1, time.time()
                session.add(row)

    @done_again_if_renewed
    def note_source(self, conversation_id: str, tool: str, title: str) -> None:
        """Keep that a conversation had content from a tool that reaches out of this computer."""
        row = SourceRow(conversation_id=conversation_id, tool=tool, title=title, at=time.time())
        with self._database.writing() as session:
            session.merge(row)

    @done_again_if_renewed
    def sources(self, conversation_id: str) -> dict[str, str]:
        """Return the tools that a conversation had content from: their titles by name."""
        with self._database.reading() as session:
            rows = select(SourceRow).where(SourceRow.conversation_id == conversation_id)
            return {row.tool: row.title for row in session.exec(rows)}

    @done_again_if_renewed
    def forget_conversation(self, conversation_id: str) -> None:
        """Forget what is kept about a conversation that is deleted."""
        with self._database.writing() as session:
            for table in (GrantRow, SourceRow):
                session.exec(delete(table).where(col(table.conversation_id) == conversation_id))

    def _found(self, *conditions: Any) -> list[Grant]:
        query = select(GrantRow).where(*conditions).order_by(desc(col(GrantRow.created_at)))
        with self._database.reading() as session:
            return [_grant(row) for row in session.exec(query)]


def new_grant_id() -> str:
    """Return an id that nobody can guess."""
    return uuid.uuid4().hex


def _row(grant: Grant) -> GrantRow:
    fields: dict[str, Any] = {name: getattr(grant, name) for name in Grant.model_fields}
    fields["shape"] = json.dumps(grant.shape, sort_keys=True)
    return GrantRow(**storable(fields))


def _grant(row: GrantRow) -> Grant:
    fields = {name: getattr(row, name) for name in Grant.model_fields}
    return Grant.model_validate(fields | {"shape": json.loads(row.shape)})
