"""Recall: gathers what was said, noted and planned, and has it ranked by words and by meaning."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from conductor.domain.notes import Kind, Note, Recalled, Recollection, Task
from conductor.domain.plan import ConfigPlan
from conductor.errors import ConductorError
from conductor.knowledge.hybrid import Meanings, by_meaning, by_words, fuse_rankings

if TYPE_CHECKING:
    from conductor.knowledge.embedder import Embedder
    from conductor.storage.message_search import MessageSearch
    from conductor.storage.notes import Notes
    from conductor.storage.tasks import Tasks

WORDED, LATEST = 100, 300
"""How many of a kind are looked at: those with words of the query, and the latest."""
PLANS = 100
SHOWN = 700
Pool = tuple[list[Recollection], list[Recollection]]
"""What has words of a query, best first, and what else may mean the same."""
BOTH, ALONE = "words and meaning", "words alone: {}"


class Recall:
    """Its calls may come from several threads; they wait, so call them from one."""

    def __init__(
        self,
        past: "MessageSearch",
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
        """Return what has to do with a query, best first, but nothing of the present conversation."""
        gathered: dict[Kind, Callable[[], Pool]] = {
            "note": lambda: self._of_notes(query),
            "task": lambda: self._of_tasks(query),
            "plan": lambda: _of_plans(query, plans),
            "conversation": lambda: self._said(query, present),
        }
        pools = [gathered[kind]() for kind in gathered if not kinds or kind in kinds]
        there = list(dict.fromkeys(one for pool in pools for each in pool for one in each))
        rows = {one: row for row, one in enumerate(there)}
        orders = [[rows[one] for one in worded] for worded, _ in pools]
        embedder, searched = self._model()
        if embedder is not None:
            texts = [f"{one.title}\n{one.text}" for one in there]
            orders.append(by_meaning(query, texts, embedder, self._meanings))
        best = [there[row] for row in fuse_rankings(orders)[:limit]]
        return Recalled(found=tuple(map(_short, best)), searched=searched)

    def _model(self) -> "tuple[Embedder | None, str]":
        try:
            found = self._embedder()
        except ConductorError as error:
            return None, ALONE.format(str(error)[:300])
        return found, BOTH if found is not None else ALONE.format("there is no language model")

    def _said(self, query: str, present: str | None) -> Pool:
        return self._past.search(query, present, WORDED), self._past.latest(present, LATEST)

    def _of_notes(self, query: str) -> Pool:
        worded, latest = self._notes.find(query, limit=WORDED), self._notes.find(limit=LATEST)
        return [_note(one) for one in worded], [_note(one) for one in latest]

    def _of_tasks(self, query: str) -> Pool:
        worded, latest = (
            self._tasks.find(asked, done=None, limit=limit)
            for asked, limit in ((query, WORDED), ("", LATEST))
        )
        return [_task(one) for one in worded], [_task(one) for one in latest]


def _of_plans(query: str, plans: Sequence[ConfigPlan]) -> Pool:
    there = [_plan(one) for one in plans[:PLANS]]
    worded = by_words(query, [f"{one.title} {one.text}"[:200] for one in there])
    return [there[row] for row in worded], there


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
