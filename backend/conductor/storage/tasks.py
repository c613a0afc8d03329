"""Tasks: what the user means to do, until when, and whether it is done."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from sqlmodel import Field, Session, SQLModel, col, desc, func, select

from conductor.domain.notes import Task
from conductor.domain.storable import whole
from conductor.errors import InvalidParams
from conductor.storage import entries
from conductor.storage.database import Database, done_again_if_renewed

TABLE = "task"
LAST = "9999-12-31"
"""Sorts what has no day behind what has one."""


class TaskRow(SQLModel, table=True):
    __tablename__: Any = TABLE

    number: int | None = Field(default=None, primary_key=True)
    task_id: str = Field(unique=True)
    title: str
    text: str
    tags: str
    due: str | None = Field(default=None, index=True)
    """The day as YYYY-MM-DD."""
    done: bool = False
    created_at: float
    updated_at: float


entries.index_words(TABLE)


class Tasks:
    """Every method raises NotAvailable when the database cannot be used."""

    def __init__(self, database: Callable[[], Database]) -> None:
        self._database = database

    @done_again_if_renewed
    def add(
        self, title: str, text: str = "", tags: Sequence[str] = (), due: date | None = None
    ) -> Task:
        """Keep a new task."""
        now = entries.stamp()
        row = TaskRow(
            task_id=entries.new_id("task"),
            title=whole(title),
            text=whole(text),
            tags=entries.as_tags(tags),
            due=None if due is None else due.isoformat(),
            created_at=now,
            updated_at=now,
        )
        with self._database().writing() as session:
            entries.make_room(
                session.exec(select(func.count()).select_from(TaskRow)).one(), "tasks"
            )
            self._keep(session, row)
        return _task(row)

    @done_again_if_renewed
    def find(
        self,
        query: str = "",
        tag: str | None = None,
        *,
        done: bool | None = False,
        due_until: date | None = None,
        limit: int = 50,
    ) -> tuple[Task, ...]:
        """Return those that have the words of a query and are due by a day; what is due first comes first.

        `done`: only those that are, or are not; None: both.
        """
        statement = select(TaskRow).order_by(
            col(TaskRow.done), func.coalesce(col(TaskRow.due), LAST), desc(col(TaskRow.created_at))
        )
        if done is not None:
            statement = statement.where(col(TaskRow.done) == done)
        if tag is not None:
            statement = statement.where(entries.tagged(col(TaskRow.tags), tag))
        if due_until is not None:
            statement = statement.where(col(TaskRow.due) <= due_until.isoformat())
        with self._database().reading() as session:
            if query.strip():
                numbers = entries.numbers_of(session.connection(), TABLE, query)
                statement = statement.where(col(TaskRow.number).in_(numbers))
            return tuple(_task(row) for row in session.exec(statement.limit(limit)))

    @done_again_if_renewed
    def get(self, task_id: str) -> Task:
        """Return one.

        Raises:
            InvalidParams: there is none with this id.
        """
        with self._database().reading() as session:
            return _task(_found(session, task_id))

    @done_again_if_renewed
    def change(
        self,
        task_id: str,
        *,
        title: str | None = None,
        text: str | None = None,
        tags: Sequence[str] | None = None,
        due: date | None = None,
        no_due: bool = False,
        done: bool | None = None,
    ) -> Task:
        """Change what is given, and leave the rest; `no_due` takes the day away.

        Raises:
            InvalidParams: there is none with this id.
        """
        with self._database().writing() as session:
            row = _found(session, task_id)
            row.title = row.title if title is None else whole(title)
            row.text = row.text if text is None else whole(text)
            row.tags = row.tags if tags is None else entries.as_tags(tags)
            row.due = None if no_due else row.due if due is None else due.isoformat()
            row.done = row.done if done is None else done
            row.updated_at = entries.stamp()
            self._keep(session, row)
        return _task(row)

    @done_again_if_renewed
    def delete(self, task_id: str) -> Task:
        """Delete one, and give what it was.

        Raises:
            InvalidParams: there is none with this id.
        """
        with self._database().writing() as session:
            row = _found(session, task_id)
            entries.forget_words(session.connection(), TABLE, row)
            session.delete(row)
        return _task(row)

    def _keep(self, session: Session, row: TaskRow) -> None:
        session.add(row)
        session.flush()
        entries.set_words(session.connection(), TABLE, row)


def _found(session: Session, task_id: str) -> TaskRow:
    row = session.exec(select(TaskRow).where(TaskRow.task_id == task_id)).first()
    if row is None:
        raise InvalidParams(
            f"Invalid task: {task_id[:40]!r} does not exist; find its id by a search"
        )
    return row


def _task(row: TaskRow) -> Task:
    return Task(
        task_id=row.task_id,
        title=row.title,
        text=row.text,
        tags=entries.tags_of(row),
        due=None if row.due is None else date.fromisoformat(row.due),
        done=row.done,
        created_at=entries.moment(row.created_at),
        updated_at=entries.moment(row.updated_at),
    )
