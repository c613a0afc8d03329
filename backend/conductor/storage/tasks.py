"""Stores the user's tasks, with their due dates and full-text search."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from sqlmodel import Field, Session, SQLModel, col, desc, func, select

from conductor.domain.notes import Task
from conductor.domain.storable import repair_surrogates
from conductor.errors import InvalidParams
from conductor.storage import entries
from conductor.storage.database import Database, retry_after_reopen

TASK_TABLE_NAME = "task"
LATEST_DUE_DATE = "9999-12-31"
"""A date that replaces a missing due date in comparisons, so that tasks without one come last."""


class TaskRow(SQLModel, table=True):
    __tablename__: Any = TASK_TABLE_NAME

    number: int | None = Field(default=None, primary_key=True)
    task_id: str = Field(unique=True)
    title: str
    text: str
    tags: str
    due: str | None = Field(default=None, index=True)
    """The due date as YYYY-MM-DD; None for a task without one."""
    done: bool = False
    created_at: float
    updated_at: float


entries.create_word_index(TASK_TABLE_NAME)


class Tasks:
    """Stores the user's tasks. Every method raises `NotAvailable` if the database cannot be used."""

    def __init__(self, database: Callable[[], Database]) -> None:
        self._database = database

    @retry_after_reopen
    def add_task(
        self, title: str, text: str = "", tags: Sequence[str] = (), due: date | None = None
    ) -> Task:
        """Store a new task and return it with its id."""
        now = entries.get_current_timestamp()
        row = TaskRow(
            task_id=entries.create_entry_id("task"),
            title=repair_surrogates(title),
            text=repair_surrogates(text),
            tags=entries.encode_tags(tags),
            due=None if due is None else due.isoformat(),
            created_at=now,
            updated_at=now,
        )
        with self._database().write_session() as session:
            entries.require_capacity(
                session.exec(select(func.count()).select_from(TaskRow)).one(), "tasks"
            )
            entries.save_entry_row(session, TASK_TABLE_NAME, row)
        return _parse_task_row(row)

    @retry_after_reopen
    def find_tasks(
        self,
        query: str = "",
        tag: str | None = None,
        *,
        done: bool | None = False,
        due_until: date | None = None,
        limit: int = 50,
    ) -> tuple[Task, ...]:
        """Return the tasks that meet all given conditions, open tasks first, then by due date.

        `query` matches words, `due_until` the last due date. `done` selects finished tasks if true, open
        tasks if false, and both if None.
        """
        statement = select(TaskRow).order_by(
            col(TaskRow.done),
            func.coalesce(col(TaskRow.due), LATEST_DUE_DATE),
            desc(col(TaskRow.created_at)),
        )
        if done is not None:
            statement = statement.where(col(TaskRow.done) == done)
        if tag is not None:
            statement = statement.where(entries.build_tag_condition(col(TaskRow.tags), tag))
        if due_until is not None:
            statement = statement.where(col(TaskRow.due) <= due_until.isoformat())
        with self._database().read_session() as session:
            if query.strip():
                numbers = entries.search_entry_rows(session.connection(), TASK_TABLE_NAME, query)
                statement = statement.where(col(TaskRow.number).in_(numbers))
            return tuple(_parse_task_row(row) for row in session.exec(statement.limit(limit)))

    @retry_after_reopen
    def get_task(self, task_id: str) -> Task:
        """Return the task with this id.

        Raises:
            InvalidParams: no task has this id.
        """
        with self._database().read_session() as session:
            return _parse_task_row(_require_task_row(session, task_id))

    @retry_after_reopen
    def change_task(
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
        """Change the given fields of a task, leave the others, and return the changed task. `no_due` removes
        the due date.

        Raises:
            InvalidParams: no task has this id.
        """
        with self._database().write_session() as session:
            row = _require_task_row(session, task_id)
            entries.change_entry_texts(row, title, text, tags)
            row.due = None if no_due else row.due if due is None else due.isoformat()
            row.done = row.done if done is None else done
            entries.save_entry_row(session, TASK_TABLE_NAME, row)
        return _parse_task_row(row)

    @retry_after_reopen
    def delete_task(self, task_id: str) -> Task:
        """Delete the task with this id, and return it so that the caller can report what was deleted.

        Raises:
            InvalidParams: no task has this id.
        """
        with self._database().write_session() as session:
            row = _require_task_row(session, task_id)
            entries.delete_entry_row(session, TASK_TABLE_NAME, row)
        return _parse_task_row(row)


def _require_task_row(session: Session, task_id: str) -> TaskRow:
    row = session.exec(select(TaskRow).where(TaskRow.task_id == task_id)).first()
    if row is None:
        raise InvalidParams(
            f"Invalid task: {task_id[:40]!r} does not exist; search for the task to get its id"
        )
    return row


def _parse_task_row(row: TaskRow) -> Task:
    return Task(
        task_id=row.task_id,
        title=row.title,
        text=row.text,
        tags=entries.decode_tags(row),
        due=None if row.due is None else date.fromisoformat(row.due),
        done=row.done,
        created_at=entries.parse_timestamp(row.created_at),
        updated_at=entries.parse_timestamp(row.updated_at),
    )
