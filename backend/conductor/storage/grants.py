"""Stores the user's lasting permissions for tools, and which tools brought outside content into a
conversation.
"""

import json
import time
import uuid
from collections.abc import Iterable
from typing import Any

from sqlmodel import Field, SQLModel, col, delete, desc, func, select

from conductor.base.json_types import JsonObject
from conductor.domain.approvals import GrantScope, GrantVerdict
from conductor.domain.storable import make_storable
from conductor.domain.value import Value
from conductor.errors import NotAvailable
from conductor.storage.database import Database, retry_after_reopen

MAX_STORED_GRANTS = 2_000


class Grant(Value):
    """The user's saved answer to a request for permission, which is reused for similar calls."""

    grant_id: str
    skill_id: str
    tool: str
    """The name of the tool; one skill may have several tools, each with its own grants."""
    identity: str
    """The program and the tool, for a tool of another program; empty for a tool of Conductor."""
    title: str
    origin: str | None
    verdict: GrantVerdict
    scope: GrantScope
    conversation_id: str | None
    whose: str
    """The requesters that the grant covers, as a key that is stable across restarts."""
    requester: str
    """The requesters that the grant covers, described for the user."""
    shape: JsonObject
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


class OutsideSourceRow(SQLModel, table=True):
    __tablename__: Any = "skill_source"

    conversation_id: str = Field(primary_key=True)
    tool: str = Field(primary_key=True)
    title: str
    at: float


class Grants:
    """Stores the user's lasting permissions in the database."""

    def __init__(self, database: Database, max_rows: int = MAX_STORED_GRANTS) -> None:
        self._database = database
        self._max_rows = max_rows

    @retry_after_reopen
    def add_grant(self, grant: Grant) -> None:
        """Store a grant, which replaces an earlier one for the same tool, requester and arguments.

        Raises:
            NotAvailable: the limit is reached.
        """
        same = (GrantRow.tool, GrantRow.identity, GrantRow.verdict, GrantRow.scope)
        row = _build_grant_row(grant)
        with self._database.write_session() as session:
            session.exec(
                delete(GrantRow).where(
                    *(col(field) == getattr(row, field.key) for field in same),  # pyright: ignore[reportAttributeAccessIssue,reportUnknownArgumentType,reportUnknownMemberType]
                    col(GrantRow.whose) == row.whose,
                    col(GrantRow.shape) == row.shape,
                    col(GrantRow.conversation_id).is_not_distinct_from(row.conversation_id),
                )
            )
            if session.exec(select(func.count()).select_from(GrantRow)).one() >= self._max_rows:
                raise NotAvailable(
                    f"there are already {self._max_rows} permissions; revoke some in Settings > Assistant tools"
                )
            session.add(row)

    @retry_after_reopen
    def list_for_tool(self, tool: str) -> list[Grant]:
        """Return the grants for the tool with this name, newest first."""
        return self._select_grants(GrantRow.tool == tool)

    @retry_after_reopen
    def list_grants(self) -> list[Grant]:
        """Return the grants for all tools, newest first."""
        return self._select_grants()

    @retry_after_reopen
    def revoke_grants(self, grant_ids: Iterable[str]) -> int:
        """Delete the grants with these ids; return how many of them existed."""
        with self._database.write_session() as session:
            statement = delete(GrantRow).where(col(GrantRow.grant_id).in_(list(grant_ids)))
            return session.exec(statement).rowcount

    @retry_after_reopen
    def count_use(self, grant_id: str) -> None:
        """Add one to the number of uses of a grant; nothing happens if the grant was deleted."""
        with self._database.write_session() as session:
            row = session.get(GrantRow, grant_id)
            if row is not None:
                row.uses, row.last_used_at = row.uses + 1, time.time()
                session.add(row)

    @retry_after_reopen
    def record_outside_source(self, conversation_id: str, tool: str, title: str) -> None:
        """Record that a tool brought content from outside this computer into a conversation."""
        row = OutsideSourceRow(
            conversation_id=conversation_id, tool=tool, title=title, at=time.time()
        )
        with self._database.write_session() as session:
            session.merge(row)

    @retry_after_reopen
    def list_outside_sources(self, conversation_id: str) -> dict[str, str]:
        """Return the tools that brought outside content into a conversation, as a dict from tool name to
        title.
        """
        with self._database.read_session() as session:
            rows = select(OutsideSourceRow).where(
                OutsideSourceRow.conversation_id == conversation_id
            )
            return {row.tool: row.title for row in session.exec(rows)}

    @retry_after_reopen
    def forget_conversation(self, conversation_id: str) -> None:
        """Delete the grants and the outside sources of a deleted conversation."""
        with self._database.write_session() as session:
            for table in (GrantRow, OutsideSourceRow):
                session.exec(delete(table).where(col(table.conversation_id) == conversation_id))

    def _select_grants(self, *conditions: Any) -> list[Grant]:
        query = select(GrantRow).where(*conditions).order_by(desc(col(GrantRow.created_at)))
        with self._database.read_session() as session:
            return [_parse_grant_row(row) for row in session.exec(query)]


def create_grant_id() -> str:
    """Return a random grant id that cannot be guessed."""
    return uuid.uuid4().hex


def _build_grant_row(grant: Grant) -> GrantRow:
    fields: JsonObject = {name: getattr(grant, name) for name in Grant.model_fields}
    fields["shape"] = json.dumps(grant.shape, sort_keys=True)
    return GrantRow(**make_storable(fields))


def _parse_grant_row(row: GrantRow) -> Grant:
    fields = {name: getattr(row, name) for name in Grant.model_fields}
    return Grant.model_validate(fields | {"shape": json.loads(row.shape)})
