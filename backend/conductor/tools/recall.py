"""Searches past conversations, notes, tasks and plans, and ranks the results by words and by meaning."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from conductor.domain.notes import Kind, Note, RecallResult, Recollection, Task
from conductor.domain.plan import ConfigPlan
from conductor.errors import ConductorError
from conductor.knowledge.hybrid import Meanings, by_meaning, by_words, fuse_rankings

if TYPE_CHECKING:
    from conductor.knowledge.embedder import Embedder
    from conductor.storage.message_search import MessageSearch
    from conductor.storage.notes import Notes
    from conductor.storage.tasks import Tasks

MAX_MATCHES, MAX_LATEST = 100, 300
"""Entries of each kind to rank: those that match words of the query, and the latest."""
PLANS = 100
SHOWN = 700
Pool = tuple[list[Recollection], list[Recollection]]
"""Entries that match words of the query (best first), and further candidates by meaning."""
BOTH, ALONE = "words and meaning", "words alone: {}"


class RecordSearch:
    """A search over all stored records. Thread-safe. It blocks, so call it in a worker thread."""

    def __init__(
        self,
        messages: "MessageSearch",
        notes: "Notes",
        tasks: "Tasks",
        embedder: "Callable[[], Embedder | None]",
    ) -> None:
        """Create the search.

        `embedder` returns the language model, or raises a `ConductorError` if there is none.
        """
        self._messages = messages
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
    ) -> RecallResult:
        """Return the entries related to a query, best first.

        Skip entries of the conversation `present`.
        """
        gathered: dict[Kind, Callable[[], Pool]] = {
            "note": lambda: self._search_notes(query),
            "task": lambda: self._search_tasks(query),
            "plan": lambda: _search_plans(query, plans),
            "conversation": lambda: self._search_messages(query, present),
        }
        pools = [gathered[kind]() for kind in gathered if not kinds or kind in kinds]
        entries = list(dict.fromkeys(entry for pool in pools for part in pool for entry in part))
        rows = {entry: row for row, entry in enumerate(entries)}
        orders = [[rows[entry] for entry in matches] for matches, _ in pools]
        embedder, searched = self._load_model()
        if embedder is not None:
            texts = [f"{entry.title}\n{entry.text}" for entry in entries]
            orders.append(by_meaning(query, texts, embedder, self._meanings))
        best = [entries[row] for row in fuse_rankings(orders)[:limit]]
        return RecallResult(found=tuple(map(_shorten, best)), searched=searched)

    def _load_model(self) -> "tuple[Embedder | None, str]":
        try:
            found = self._embedder()
        except ConductorError as error:
            return None, ALONE.format(str(error)[:300])
        return found, BOTH if found is not None else ALONE.format("there is no language model")

    def _search_messages(self, query: str, present: str | None) -> Pool:
        return self._messages.search(query, present, MAX_MATCHES), self._messages.latest(
            present, MAX_LATEST
        )

    def _search_notes(self, query: str) -> Pool:
        matches, latest = (
            self._notes.find(query, limit=MAX_MATCHES),
            self._notes.find(limit=MAX_LATEST),
        )
        return list(map(_from_note, matches)), list(map(_from_note, latest))

    def _search_tasks(self, query: str) -> Pool:
        matches, latest = (
            self._tasks.find(asked, done=None, limit=limit)
            for asked, limit in ((query, MAX_MATCHES), ("", MAX_LATEST))
        )
        return list(map(_from_task, matches)), list(map(_from_task, latest))


def _search_plans(query: str, plans: Sequence[ConfigPlan]) -> Pool:
    entries = list(map(_from_plan, plans[:PLANS]))
    matches = by_words(query, [f"{entry.title} {entry.text}"[:200] for entry in entries])
    return [entries[row] for row in matches], entries


def _from_note(note: Note) -> Recollection:
    text = "\n".join(filter(None, [note.text, " ".join(note.tags)]))
    return Recollection(
        kind="note", id=note.note_id, title=note.title, at=note.updated_at, text=text
    )


def _from_task(task: Task) -> Recollection:
    state = "done" if task.done else f"due {task.due}" if task.due else "open"
    text = "\n".join(filter(None, [state, task.text, " ".join(task.tags)]))
    return Recollection(
        kind="task", id=task.task_id, title=task.title, at=task.updated_at, text=text
    )


def _from_plan(plan: ConfigPlan) -> Recollection:
    changes = "\n".join(change.description for change in plan.changes)
    text = f"{plan.status}\n{changes}"
    return Recollection(
        kind="plan", id=plan.plan_id, title=plan.description, at=plan.created_at, text=text
    )


def _shorten(entry: Recollection) -> Recollection:
    if len(entry.text) <= SHOWN:
        return entry
    return entry.model_copy(update={"text": f"{entry.text[:SHOWN]}..."})
