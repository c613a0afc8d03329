"""Examples that came with applied plans: they are the regression tests of the user's config."""

from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError
from sqlmodel import Field, SQLModel, col, select

from conductor.domain.plan import Example
from conductor.storage.database import Database, done_again_if_renewed


class ExampleRow(SQLModel, table=True):
    __tablename__: Any = "example"

    name: str = Field(primary_key=True)
    plan_id: str
    added_at: float
    data: str


class Examples:
    """One example for each name; a newer one takes the place of an older."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @done_again_if_renewed
    def add(self, plan_id: str, examples: tuple[Example, ...]) -> None:
        """Keep examples."""
        at = datetime.now(UTC).timestamp()
        with self._database.writing() as session:
            for one in examples:
                row = ExampleRow(
                    name=one.name, plan_id=plan_id, added_at=at, data=one.model_dump_json()
                )
                session.merge(row)

    @done_again_if_renewed
    def all(self) -> tuple[Example, ...]:
        """Give all, the oldest first."""
        with self._database.reading() as session:
            rows = session.exec(select(ExampleRow).order_by(col(ExampleRow.added_at))).all()
        return tuple(one for row in rows if (one := _read(row)) is not None)

    @done_again_if_renewed
    def forget(self, name: str) -> bool:
        """Drop one; say whether it was there."""
        with self._database.writing() as session:
            row = session.get(ExampleRow, name)
            if row is not None:
                session.delete(row)
            return row is not None


def _read(row: ExampleRow) -> Example | None:
    try:
        return Example.model_validate_json(row.data)
    except ValidationError:
        return None
