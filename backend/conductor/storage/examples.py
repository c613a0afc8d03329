"""Examples that came with applied plans: they are the regression tests of the user's config."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError
from sqlmodel import Field, SQLModel, col, select

from conductor.domain.examples import Example, ExampleResult
from conductor.storage.database import Database, done_again_if_renewed


class ExampleRow(SQLModel, table=True):
    __tablename__: Any = "example"

    name: str = Field(primary_key=True)
    plan_id: str
    added_at: float
    data: str


class ExampleBreakRow(SQLModel, table=True):
    """An example that a version of the config broke."""

    __tablename__: Any = "example_break"

    hash: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    problem: str
    found_at: float


class ExampleCheckRow(SQLModel, table=True):
    """The version of the config that the examples were last played on."""

    __tablename__: Any = "example_check"

    id: int = Field(default=1, primary_key=True)
    hash: str


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
        """Return all, the oldest first."""
        with self._database.reading() as session:
            rows = session.exec(select(ExampleRow).order_by(col(ExampleRow.added_at))).all()
        return tuple(one for row in rows if (one := _read(row)) is not None)

    @done_again_if_renewed
    def update(self, change: Callable[[Example], Example]) -> None:
        """Change examples; one that comes back as it was is not written."""
        with self._database.writing() as session:
            for row in session.exec(select(ExampleRow)).all():
                before = _read(row)
                after = before and change(before)
                if after is not None and after != before:
                    row.data = after.model_dump_json()

    @done_again_if_renewed
    def record_breaks(self, file_hash: str, broken: Iterable[ExampleResult]) -> None:
        """Record which examples the version of the config with this hash broke."""
        at = datetime.now(UTC).timestamp()
        with self._database.writing() as session:
            session.merge(ExampleCheckRow(id=1, hash=file_hash))
            for one in broken:
                name, problem = one.example.name, one.problem or ""
                row = ExampleBreakRow(hash=file_hash, name=name, problem=problem, found_at=at)
                session.merge(row)

    @done_again_if_renewed
    def checked_hash(self) -> str | None:
        """Return the hash of the version that the examples were last played on."""
        with self._database.reading() as session:
            row = session.get(ExampleCheckRow, 1)
            return row and row.hash

    @done_again_if_renewed
    def breaks(self) -> dict[str, tuple[str, ...]]:
        """Return the names of the examples that each version broke, by its hash."""
        found: dict[str, list[str]] = {}
        with self._database.reading() as session:
            for row in session.exec(select(ExampleBreakRow)).all():
                found.setdefault(row.hash, []).append(row.name)
        return {file_hash: tuple(sorted(names)) for file_hash, names in found.items()}

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
