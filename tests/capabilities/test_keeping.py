"""Notes, tasks and recall, through the gate that every call takes."""

import asyncio
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.agent.stage import Scripted, Stage, say

from conductor.app.abilities import AppAbilities
from conductor.base.resource_paths import KnowledgePaths
from conductor.config.plans import Plans
from conductor.domain.notes import RecallResult
from conductor.domain.plan import Requester
from conductor.errors import InvalidParams, NotAllowed
from conductor.knowledge.hybrid import (
    MAX_NEW_VECTORS_PER_CALL,
    EmbeddingCache,
    fuse_rankings,
    rank_by_meaning,
    rank_by_words,
)
from conductor.knowledge.library import KnowledgeBase
from conductor.storage.entries import MAX_ENTRIES_PER_TABLE
from conductor.storage.notes import NoteRow, Notes
from conductor.storage.records import Records
from conductor.storage.tasks import Tasks

CHAT = Requester(caller="chat", client="first/model")


@pytest.fixture
def records(tmp_path: Path):
    records = Records(tmp_path / "conductor.db")
    yield records
    records.close()


@pytest.fixture
def notes(records: Records) -> Notes:
    return Notes(records.open_database)


@pytest.fixture
def tasks(records: Records) -> Tasks:
    return Tasks(records.open_database)


def call(stage: Stage, tool: str, by: Requester = CHAT, **arguments: Any) -> dict[str, Any]:
    """Call a tool as the chat does."""
    return asyncio.run(stage.executor.call_tool(f"conductor_{tool}", arguments, by)).to_plain()


def test_a_note_is_found_by_its_words_its_tags_and_their_forms(notes: Notes):
    pedal = notes.add_note("Pedal board", "The sustain pedal sends CC64 on channel 10.", ["Stage"])
    notes.add_note("Shopping", "strings, cables, a new fader cap", ["home"])

    for query in (
        "pedal",
        "PEDALS",
        "cc64",
        "sust",
        "which channel does the pedal send on",
        "stage",
    ):
        assert [one.note_id for one in notes.find_notes(query)][:1] == [pedal.note_id], query
    assert [one.title for one in notes.find_notes(tag="home")] == ["Shopping"]
    assert [one.title for one in notes.find_notes(tag="STAGE")] == ["Pedal board"]
    assert notes.find_notes("zebra") == ()
    assert notes.find_notes(tag="sta") == ()
    assert len(notes.find_notes()) == 2


@pytest.mark.parametrize(
    "query",
    ['"', "a AND (b", "NEAR(", "title:x", "*", "'; DROP TABLE note; --", "-", "\x00", "^", "🎹"],
)
def test_odd_words_are_searched_as_words(notes: Notes, query: str):
    notes.add_note("a note", "b")
    assert isinstance(notes.find_notes(query), tuple)
    assert len(notes.find_notes()) == 1


def test_a_changed_note_is_found_by_its_new_words_alone_and_a_deleted_one_by_none(notes: Notes):
    note = notes.add_note("Old", "apple")
    changed = notes.change_note(note.note_id, text="pear")
    assert (changed.title, changed.text) == ("Old", "pear")
    assert changed.updated_at >= note.updated_at
    assert notes.find_notes("apple") == ()
    assert notes.find_notes("pear") == (notes.get_note(note.note_id),)
    notes.delete_note(note.note_id)
    assert notes.find_notes("pear") == notes.find_notes() == ()
    for work in (notes.get_note, notes.change_note, notes.delete_note):
        with pytest.raises(InvalidParams, match="does not exist"):
            work(note.note_id)


def test_notes_outlive_a_restart(tmp_path: Path):
    first = Records(tmp_path / "conductor.db")
    note = Notes(first.open_database).add_note("Kept", "🎹 \ud83d\ude00 text", ["a"])
    first.close()
    second = Records(tmp_path / "conductor.db")
    assert Notes(second.open_database).find_notes("kept") == (note,)
    second.close()


def test_there_is_an_end_to_notes(notes: Notes, records: Records):
    rows = [
        NoteRow(note_id=f"n{n}", title="", text="", tags="[]", created_at=0, updated_at=0)
        for n in range(MAX_ENTRIES_PER_TABLE)
    ]
    with records.open_database().write_session() as session:
        session.add_all(rows)
    with pytest.raises(InvalidParams, match="delete some first"):
        notes.add_note("one more", "")


def test_tasks_come_in_the_order_of_their_days_and_leave_the_list_when_done(tasks: Tasks):
    tasks.add_task("someday")
    late = tasks.add_task("gig", "load the van", due=date(2026, 12, 24))
    soon = tasks.add_task("solder", due=date(2026, 11, 25), tags=["van"])

    assert [one.title for one in tasks.find_tasks()] == ["solder", "gig", "someday"]
    assert [one.title for one in tasks.find_tasks(due_until=date(2026, 12, 1))] == ["solder"]
    assert {one.title for one in tasks.find_tasks("van")} == {"solder", "gig"}
    tasks.change_task(soon.task_id, done=True)
    assert [one.title for one in tasks.find_tasks()] == ["gig", "someday"]
    assert [one.title for one in tasks.find_tasks(done=True)] == ["solder"]
    assert [one.title for one in tasks.find_tasks(done=None)] == ["gig", "someday", "solder"]
    assert tasks.change_task(late.task_id, no_due=True).due is None
    assert tasks.change_task(late.task_id, due=date(2027, 1, 1)).due == date(2027, 1, 1)


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path, Scripted("first"))


def test_the_tools_add_find_read_change_and_delete(stage: Stage):
    note = call(stage, "add_note", title="Rig", text="x" * 500, tags=["live"])
    assert call(stage, "find_notes", query="rig")["notes"][0]["text"] == "x" * 400 + "..."
    assert call(stage, "change_note", note_id=note["note_id"], append="end")["text"].endswith(
        "x\nend"
    )
    assert len(call(stage, "read_note", note_id=note["note_id"])["text"]) == 504
    task = call(stage, "add_task", title="Buy cables", due="2026-12-01")
    assert call(stage, "find_tasks")["tasks"] == [task]
    assert call(stage, "change_task", task_id=task["task_id"], done=True)["done"]
    assert call(stage, "find_tasks")["tasks"] == []

    call(stage, "delete_note", note_id=note["note_id"])
    call(stage, "delete_task", task_id=task["task_id"])

    assert [one.tool.name for one in stage.approvals] == [
        "conductor_add_note",
        "conductor_change_note",
        "conductor_add_task",
        "conductor_change_task",
        "conductor_delete_note",
        "conductor_delete_task",
    ]
    assert stage.approvals[4].arguments == {"note_id": note["note_id"]}


def test_a_task_is_due_on_a_day_as_people_say_it(stage: Stage):
    today = datetime.now(UTC).astimezone().date()
    soon = date.fromisoformat(call(stage, "add_task", title="a", due="Tomorrow")["due"])
    assert soon - today in (timedelta(1), timedelta(2)), "midnight may pass meanwhile"
    assert call(stage, "add_task", title="b", due="2027-12-24")["due"] == "2027-12-24"
    found = call(stage, "find_tasks", due_until="24 December 2027")["tasks"]
    assert [one["title"] for one in found] == ["a", "b"]
    for odd in ("soonish", "2026-02-30", "12/11/2026", "", 5.5):
        with pytest.raises(InvalidParams, match="due"):
            call(stage, "add_task", title="c", due=odd)


def test_nothing_is_deleted_when_the_user_says_no(stage: Stage):
    note = call(stage, "add_note", title="Rig")
    stage.allow = False
    with pytest.raises(NotAllowed):
        call(stage, "delete_note", note_id=note["note_id"])
    assert call(stage, "read_note", note_id=note["note_id"]) == note


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("add_note", {"title": " "}),
        ("add_note", {"title": "x" * 201}),
        ("add_note", {"title": "x", "tags": ["a,b"]}),
        ("add_note", {"title": "x", "tags": ["t"] * 21}),
        ("add_note", {"title": "x", "text": "y" * 20_001}),
        ("add_task", {"title": "x", "due": "2026-02-30"}),
        ("change_note", {"note_id": "note_0", "append": "x"}),
        ("change_task", {"task_id": "task_0"}),
        ("read_note", {"note_id": "' OR 1=1"}),
        ("calculate", {"expression": "__import__('os')"}),
        ("calculate", {"expression": "1", "a4_hz": 1e9}),
        ("recall", {"query": ""}),
        ("recall", {"query": "x", "kinds": ["secrets"]}),
    ],
)
def test_bad_arguments_are_answered_with_what_is_wrong(
    stage: Stage, tool: str, arguments: dict[str, Any]
):
    with pytest.raises(InvalidParams) as refused:
        call(stage, tool, **arguments)
    assert len(str(refused.value)) > 20


def test_one_switch_turns_all_tools_of_a_skill_off(stage: Stage):
    path = stage.store.path
    path.write_text(f"{path.read_text()}\n[skills.tools]\nnotes = false\n")
    stage.store.load_file()
    names = {tool.name for tool in stage.executor.list_chat_tools()}
    assert "conductor_add_note" not in names
    assert "conductor_delete_note" not in names
    assert "conductor_add_task" in names
    with pytest.raises(NotAllowed, match="Notes is switched off; only the user"):
        call(stage, "find_notes")


def test_the_calculator_counts_octaves_as_the_settings_say(stage: Stage):
    assert call(stage, "calculate", expression="15% of 847")["result"] == "127.05"
    assert call(stage, "calculate", expression="note 60")["result"] == "C3"
    assert call(stage, "calculate", expression="note 60", middle_c="C4")["result"] == "C4"
    path = stage.store.path
    path.write_text(f'{path.read_text()}\n[settings.ui]\nnote_names = "C4"\n')
    stage.store.load_file()
    assert call(stage, "calculate", expression="note 60")["result"] == "C4"


def test_what_was_said_noted_and_planned_is_recalled_with_where_it_is_from(tmp_path: Path):
    nowhere = KnowledgeBase(tmp_path, paths=KnowledgePaths(tmp_path, None, tmp_path, tmp_path))
    told = Scripted("first", say("Use CC 74 for the cutoff."), say("Fine."))
    stage = Stage(tmp_path, told, knowledge=nowhere)

    async def play() -> tuple[str, RecallResult, RecallResult]:
        said = await stage.say("How do I move the cutoff of my synthesizer?")
        await stage.answered(said)
        other = await stage.say("Something else about the cutoff.")
        await stage.answered(other)
        by = CHAT.model_copy(update={"conversation_id": other.conversation_id})
        ask = stage.executor.call_tool
        await ask("conductor_add_note", {"title": "Cutoff", "text": "knob 3"}, by)
        await ask("conductor_add_task", {"title": "Label the cutoff knob"}, by)
        await ask("conductor_create_mode", {"name": "Cutoff mode"}, by)
        everything = await ask("conductor_recall", {"query": "cutoff", "limit": 20}, by)
        only = await ask("conductor_recall", {"query": "cutoff", "kinds": ["conversation"]}, by)
        assert isinstance(everything.result, RecallResult)
        assert isinstance(only.result, RecallResult)
        return said.conversation_id, everything.result, only.result

    past, everything, only = asyncio.run(play())

    assert {one.kind for one in everything.found} == {"conversation", "note", "task", "plan"}
    assert {one.id for one in only.found} == {past}, "nothing of the present conversation"
    assert {one.who for one in only.found} == {"user", "assistant"}
    assert everything.searched.startswith("words alone: ")


def test_recall_finds_the_same_meaning_in_other_words(tmp_path: Path, library: KnowledgeBase):
    stage = Stage(tmp_path, Scripted("first"), knowledge=library)
    call(stage, "add_note", title="Rehearsal", text="The drummer cannot come on Thursday.")
    call(stage, "add_note", title="Groceries", text="Milk, bread and coffee.")
    found = call(stage, "recall", query="percussionist is absent")
    assert found["searched"] == "words and meaning"
    assert [one["title"] for one in found["found"]] == ["Rehearsal"]


def test_a_search_rereads_a_limited_number_of_texts_and_the_rest_the_next_time(
    library: KnowledgeBase,
):
    embedder, meanings = library.get_index().embedder, EmbeddingCache()
    assert embedder is not None
    texts = [f"text {n}" for n in range(MAX_NEW_VECTORS_PER_CALL + 2)]
    assert meanings.get_or_compute_vectors(texts, embedder)[-2:] == [None, None]
    assert all(one is not None for one in meanings.get_or_compute_vectors(texts, embedder))


def test_a_ranking_of_nothing_is_empty(library: KnowledgeBase):
    embedder = library.get_index().embedder
    assert embedder is not None
    assert rank_by_meaning("x", [], embedder, EmbeddingCache()) == []
    assert (
        rank_by_words("x", [])
        == rank_by_words("the", ["the", ""])
        == fuse_rankings([])
        == fuse_rankings([[], []])
        == []
    )
    assert fuse_rankings([[3, 1], [1, 2]]) == [1, 3, 2]


def test_abilities_are_made_when_they_are_first_used(stage: Stage):
    assert isinstance(stage.abilities, AppAbilities)
    assert "recall" not in vars(stage.abilities)
    assert isinstance(stage.plans, Plans)
