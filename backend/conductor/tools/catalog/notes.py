"""Tools that store, find, change and delete the user's notes."""

import asyncio
from typing import Annotated

from pydantic import Field

from conductor.domain.notes import MAX_TEXT_CHARACTERS, MAX_TITLE_CHARACTERS, Note, Tag, Tags
from conductor.domain.value import Value
from conductor.errors import InvalidParams
from conductor.tools.context import SkillContext
from conductor.tools.params import Params
from conductor.tools.registry import REGISTRY

MAX_LISTED_TEXT_LENGTH = 400
NoteId = Annotated[str, Field(min_length=1, max_length=40)]
NoteTitle = Annotated[str, Field(min_length=1, max_length=MAX_TITLE_CHARACTERS, pattern=r"\S")]
NOTE_KEYWORDS = "note notes memo"
NOTES_ORIGIN = "notes that were kept"
"""The source of the texts, which may have been copied from anywhere."""
ADD_NOTE_KEYWORDS = "remember write down save keep jot idea list new create"


class AddNoteParams(Params):
    title: NoteTitle
    text: str = Field(default="", max_length=MAX_TEXT_CHARACTERS)
    tags: Tags = ()


class FindNotesParams(Params):
    query: str = Field(default="", max_length=500)
    """Words to search for. Default: the latest notes"""
    tag: Tag | None = None
    limit: int = Field(default=10, ge=1, le=50)


class NoteIdParams(Params):
    note_id: NoteId


class ChangeNoteParams(NoteIdParams):
    title: NoteTitle | None = None
    text: str | None = Field(default=None, max_length=MAX_TEXT_CHARACTERS)
    """Replaces the old text"""
    append: str | None = Field(default=None, max_length=MAX_TEXT_CHARACTERS)
    """Text to add after the old text"""
    tags: Tags | None = None


class FoundNotes(Value):
    notes: tuple[Note, ...]
    """Long texts are shortened; read_note returns the whole text."""


@REGISTRY.skill(
    "notes",
    "Add note",
    "core",
    "productivity",
    skill_title="Notes",
    keywords=f"{NOTE_KEYWORDS} {ADD_NOTE_KEYWORDS}",
    asks_in_chat=True,
)
async def add_note(params: AddNoteParams, context: SkillContext) -> Note:
    """Save a note for the user on this computer."""
    return await asyncio.to_thread(
        context.abilities.notes.add_note, params.title, params.text, params.tags
    )


@REGISTRY.skill(
    "notes",
    "Find notes",
    "core",
    "productivity",
    skill_title="Notes",
    keywords=f"{NOTE_KEYWORDS} search list latest wrote",
    idempotent=True,
    origin=NOTES_ORIGIN,
)
async def find_notes(params: FindNotesParams, context: SkillContext) -> FoundNotes:
    """Search the user's notes by words or by a tag, or list the latest notes."""
    notes = context.abilities.notes
    matches = await asyncio.to_thread(notes.find_notes, params.query, params.tag, params.limit)
    return FoundNotes(notes=tuple(map(_shorten_note, matches)))


@REGISTRY.skill(
    "notes",
    "Read note",
    "core",
    "productivity",
    skill_title="Notes",
    keywords=f"{NOTE_KEYWORDS} open show",
    idempotent=True,
    origin=NOTES_ORIGIN,
)
async def read_note(params: NoteIdParams, context: SkillContext) -> Note:
    """Return a note with its whole text."""
    return await asyncio.to_thread(context.abilities.notes.get_note, params.note_id)


@REGISTRY.skill(
    "notes",
    "Change note",
    "core",
    "productivity",
    skill_title="Notes",
    keywords=f"{NOTE_KEYWORDS} edit update append",
    asks_in_chat=True,
)
async def change_note(params: ChangeNoteParams, context: SkillContext) -> Note:
    """Change the title, text or tags of a note, or append to its text."""
    return await asyncio.to_thread(_change_note, params, context)


@REGISTRY.skill(
    "notes",
    "Delete note",
    "core",
    "productivity",
    skill_title="Notes",
    keywords=f"{NOTE_KEYWORDS} remove forget",
    requires_approval=True,
)
async def delete_note(params: NoteIdParams, context: SkillContext) -> Note:
    """Delete a note permanently. The user is asked first."""
    return await asyncio.to_thread(context.abilities.notes.delete_note, params.note_id)


def _change_note(params: ChangeNoteParams, context: SkillContext) -> Note:
    notes, text = context.abilities.notes, params.text
    if params.append is not None:
        before = notes.get_note(params.note_id).text if text is None else text
        text = f"{before}\n{params.append}".strip("\n")
        if len(text) > MAX_TEXT_CHARACTERS:
            raise InvalidParams(
                f"a note can have at most {MAX_TEXT_CHARACTERS} characters; add another note"
            )
    if params.title is None and text is None and params.tags is None:
        raise InvalidParams("there is nothing to change: give title, text, append or tags")
    return notes.change_note(params.note_id, params.title, text, params.tags)


def _shorten_note(note: Note) -> Note:
    if len(note.text) <= MAX_LISTED_TEXT_LENGTH:
        return note
    return note.model_copy(update={"text": f"{note.text[:MAX_LISTED_TEXT_LENGTH]}..."})
