"""Recall: gathers what was said, noted and planned, and has it ranked by words and by meaning."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from conductor.domain.notes import Kind, Note, Recalled, Recollection, Task
from conductor.domain.plan import ConfigPlan
from conductor.errors import ConductorError
from conductor.knowledge.hybrid import Meanings, Text, rank

if TYPE_CHECKING:
    from conductor.knowledge.embedder import Embedder
    from conductor.storage.notes import Notes
    from conductor.storage.past import Past
    from conductor.storage.tasks import Tasks

BY_WORDS, LATEST, EACH = 200, 400, 300
"""How many messages are looked at, for their words and as the latest; how many notes, tasks and plans."""
SHOWN = 700
BOTH, ALONE = "words and meaning", "words alone: {}"


class Recall:
    """Its calls may come from several threads; they wait, so call them from one."""

    def __init__(
        self,
        past: "Past",
        notes: "Notes",
        tasks: "Tasks",
        embedder: "Callable[[], Embedder | None]",
    ) -> None:
        """Take where things are kept, and what gives the language model, or says why there is none."""
        self._past = past
        self._notes = notes
        self._tasks = tasks
        self._embedder = embedder
        self._meanings = Meanings()

    def __call__(
        self,
        query: str,
        kinds: Sequence[Kind],
        limit: int,
        present: str | None,
        plans: Sequence[ConfigPlan],
    ) -> Recalled:
        """Give what has to do with a query, best first, but nothing of the present conversation."""
        gathered: dict[Kind, Callable[[], list[Recollection]]] = {
            "note": lambda: self._of_notes(query),
            "task": lambda: self._of_tasks(query),
            "plan": lambda: [_plan(one) for one in plans[:EACH]],
            "conversation": lambda: self._said(query, present),
        }
        there = [one for kind in gathered if not kinds or kind in kinds for one in gathered[kind]()]
        embedder, searched = self._model()
        texts = [Text(one.title, one.text) for one in there]
        best = [there[row] for row in rank(query, texts, embedder, self._meanings)]
        return Recalled(found=tuple(map(_short, best[:limit])), searched=searched)

    def _model(self) -> "tuple[Embedder | None, str]":
        try:
            found = self._embedder()
        except ConductorError as error:
            return None, ALONE.format(str(error)[:300])
        return found, BOTH if found is not None else ALONE.format("there is no language model")

    def _said(self, query: str, present: str | None) -> list[Recollection]:
        found = self._past.with_words(query, present, BY_WORDS)
        found += self._past.latest(present, LATEST)
        return list({(one.id, one.at, one.text): one for one in found}.values())

    def _of_notes(self, query: str) -> list[Recollection]:
        found = {
            one.note_id: one
            for one in (*self._notes.find(query, limit=EACH), *self._notes.find(limit=EACH))
        }
        return [_note(one) for one in found.values()]

    def _of_tasks(self, query: str) -> list[Recollection]:
        found = {
            one.task_id: one
            for asked in (query, "")
            for one in self._tasks.find(asked, done=None, limit=EACH)
        }
        return [_task(one) for one in found.values()]


def _note(note: Note) -> Recollection:
    text = "\n".join(filter(None, [note.text, " ".join(note.tags)]))
    return Recollection(
        kind="note", id=note.note_id, title=note.title, at=note.updated_at, text=text
    )


def _task(task: Task) -> Recollection:
    state = "done" if task.done else f"due {task.due}" if task.due else "open"
    text = "\n".join(filter(None, [state, task.text, " ".join(task.tags)]))
    return Recollection(
        kind="task", id=task.task_id, title=task.title, at=task.updated_at, text=text
    )


def _plan(plan: ConfigPlan) -> Recollection:
    changes = "\n".join(change.description for change in plan.changes)
    text = f"{plan.status}\n{changes}"
    return Recollection(
        kind="plan", id=plan.plan_id, title=plan.description, at=plan.created_at, text=text
    )


def _short(one: Recollection) -> Recollection:
    if len(one.text) <= SHOWN:
        return one
    return one.model_copy(update={"text": f"{one.text[:SHOWN]}..."})
