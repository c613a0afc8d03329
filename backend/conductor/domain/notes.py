"""Defines the notes and tasks that the assistant saves, and the results of searching past records."""

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import Field

from conductor.domain.value import Value

MAX_TITLE_CHARACTERS, MAX_TEXT_CHARACTERS, MAX_TAGS = 200, 20_000, 20
Tag = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[^\s,][^,]*$")]
Tags = Annotated[tuple[Tag, ...], Field(max_length=MAX_TAGS)]


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


RecordKind = Literal["conversation", "note", "task", "plan"]


class Recollection(Value):
    """A passage that was found in past conversations, notes or logs, with its origin."""

    kind: RecordKind
    id: str
    """The id of the conversation, note, task or plan that contains the passage."""
    title: str
    at: datetime
    who: Literal["user", "assistant"] | None = None
    """Who wrote the passage, if it is from a conversation; otherwise None."""
    text: str


class RecallResult(Value):
    """The results of searching past records, best first, and how the search was made."""

    found: tuple[Recollection, ...]
    searched: str
    """How the search was made: `words and meaning`, or `words alone` with the reason."""
