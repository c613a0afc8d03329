"""Stores the examples of applied plans, which serve as regression tests of the user's config."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError
from sqlmodel import Field, SQLModel, col, select

from conductor.domain.examples import Example, ExampleResult
from conductor.storage.database import Database, retry_after_reopen


class ExampleRow(SQLModel, table=True):
    __tablename__: Any = "example"

    name: str = Field(primary_key=True)
    plan_id: str
    added_at: float
    data: str


class ExampleBreakRow(SQLModel, table=True):
    """Records that an example failed under a version of the config."""

    __tablename__: Any = "example_break"

    hash: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    problem: str
    found_at: float


class ExampleCheckRow(SQLModel, table=True):
    """Records under which version of the config the examples were last checked."""

    __tablename__: Any = "example_check"

    id: int = Field(default=1, primary_key=True)
    hash: str


class Examples:
    """Stores examples by their names. A new example replaces an older example of the same name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @retry_after_reopen
    def add_examples(self, plan_id: str, examples: tuple[Example, ...]) -> None:
        """Store the examples of an applied plan, with the id of the plan."""
        at = datetime.now(UTC).timestamp()
        with self._database.write_session() as session:
            for example in examples:
                row = ExampleRow(
                    name=example.name, plan_id=plan_id, added_at=at, data=example.model_dump_json()
                )
                session.merge(row)

    @retry_after_reopen
    def list_examples(self) -> tuple[Example, ...]:
        """Return all examples, oldest first."""
        with self._database.read_session() as session:
            rows = session.exec(select(ExampleRow).order_by(col(ExampleRow.added_at))).all()
        return tuple(example for row in rows if (example := _parse_example_row(row)) is not None)

    @retry_after_reopen
    def update_examples(self, change: Callable[[Example], Example]) -> None:
        """Call `change` with each stored example, and store the returned example if it differs."""
        with self._database.write_session() as session:
            for row in session.exec(select(ExampleRow)).all():
                before = _parse_example_row(row)
                after = before and change(before)
                if after is not None and after != before:
                    row.data = after.model_dump_json()

    @retry_after_reopen
    def record_breaks(self, file_hash: str, broken: Iterable[ExampleResult]) -> None:
        """Record which examples fail under the config version with this hash, and that this version was
        checked.
        """
        at = datetime.now(UTC).timestamp()
        with self._database.write_session() as session:
            session.merge(ExampleCheckRow(id=1, hash=file_hash))
            for result in broken:
                name, problem = result.example.name, result.problem or ""
                row = ExampleBreakRow(hash=file_hash, name=name, problem=problem, found_at=at)
                session.merge(row)

    @retry_after_reopen
    def read_checked_hash(self) -> str | None:
        """Return the hash of the config version that was checked last, or None if no version was checked."""
        with self._database.read_session() as session:
            row = session.get(ExampleCheckRow, 1)
            return row and row.hash

    @retry_after_reopen
    def read_breaks(self) -> dict[str, tuple[str, ...]]:
        """Return, for each config version that broke examples, its hash and the names of the examples."""
        found: dict[str, list[str]] = {}
        with self._database.read_session() as session:
            for row in session.exec(select(ExampleBreakRow)).all():
                found.setdefault(row.hash, []).append(row.name)
        return {file_hash: tuple(sorted(names)) for file_hash, names in found.items()}

    @retry_after_reopen
    def delete_example(self, name: str) -> bool:
        """Delete the example with this name; return False if there is none."""
        with self._database.write_session() as session:
            row = session.get(ExampleRow, name)
            if row is not None:
                session.delete(row)
            return row is not None


def _parse_example_row(row: ExampleRow) -> Example | None:
    try:
        return Example.model_validate_json(row.data)
    except ValidationError:
        return None
