"""Stores plans in the database.

Every change of a plan's status is saved, so that plans survive a restart.
"""

import zlib
from typing import Any

from pydantic import ValidationError
from sqlmodel import Field, SQLModel, col, delete, desc, select

from conductor.domain.plan import StoredPlan
from conductor.storage.database import Database, retry_after_reopen

MAX_STORED_PLANS = 200


class PlanRow(SQLModel, table=True):
    __tablename__: Any = "plan"

    plan_id: str = Field(primary_key=True)
    created_at: float = Field(index=True)
    status: str
    data: bytes
    """The plan with its changes, as compressed JSON."""


class SqlPlanStore:
    """Stores plans in the database. Implements `config.plan_ports.PlanStore`."""

    def __init__(self, database: Database, max_rows: int = MAX_STORED_PLANS) -> None:
        self._database = database
        self._max_rows = max_rows

    @retry_after_reopen
    def save(self, stored: StoredPlan) -> None:
        """Save a plan in its current state, and delete the oldest plans beyond the limit."""
        plan = stored.plan
        row = PlanRow(
            plan_id=plan.plan_id,
            created_at=plan.created_at.timestamp(),
            status=plan.status,
            data=zlib.compress(stored.model_dump_json().encode()),
        )
        with self._database.write_session() as session:
            session.merge(row)
            session.flush()
            newest = (
                select(PlanRow.plan_id)
                .order_by(desc(col(PlanRow.created_at)))
                .limit(self._max_rows)
            )
            session.exec(delete(PlanRow).where(col(PlanRow.plan_id).not_in(newest)))

    @retry_after_reopen
    def load(self) -> list[StoredPlan]:
        """Return the stored plans, oldest first; plans in an unreadable format are left out."""
        with self._database.read_session() as session:
            rows = session.exec(select(PlanRow).order_by(col(PlanRow.created_at))).all()
        return [stored for row in rows if (stored := _parse_plan_row(row)) is not None]


def _parse_plan_row(row: PlanRow) -> StoredPlan | None:
    try:
        return StoredPlan.model_validate_json(zlib.decompress(row.data))
    except (ValidationError, zlib.error):
        return None
