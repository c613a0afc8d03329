"""What the assistant keeps for the user beside mappings: notes and tasks, and what it finds of the past."""

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import Field

from conductor.domain.value import Value

TITLE, TEXT, TAGS = 200, 20_000, 20
Tag = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[^\s,][^,]*$")]
Tags = Annotated[tuple[Tag, ...], Field(max_length=TAGS)]


class Note(Value):
    note_id: str
    title: str
    text: str
    tags: tuple[str, ...] = ()
    created_at: datetime
    updated_at: datetime


class Task(Value):
    task_id: str
    title: str
    text: str
    tags: tuple[str, ...] = ()
    due: date | None = None
    done: bool = False
    created_at: datetime
    updated_at: datetime


Kind = Literal["conversation", "note", "task", "plan"]


class Recollection(Value):
    """Something of the past, and where it is from."""

    kind: Kind
    id: str
    """Of the conversation, note, task or plan."""
    title: str
    at: datetime
    who: Literal["user", "assistant"] | None = None
    """Of a conversation: who said it."""
    text: str


class Recalled(Value):
    """What was found, the best first, and how it was looked for."""

    found: tuple[Recollection, ...]
    searched: str
    """`words and meaning`, or `words alone` and why."""
