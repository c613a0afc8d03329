"""The assistant's saved notes and tasks, and the results of searching past conversations."""

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
    """A passage found in past conversations, notes or logs, with its origin."""

    kind: RecordKind
    id: str
    """The id of the conversation, note, task or plan."""
    title: str
    at: datetime
    who: Literal["user", "assistant"] | None = None
    """The role of the speaker, if the passage is from a conversation."""
    text: str


class RecallResult(Value):
    """The results of a search in past records, best first, and the search method."""

    found: tuple[Recollection, ...]
    searched: str
    """The search method: `words and meaning`, or `words alone` with the reason."""
