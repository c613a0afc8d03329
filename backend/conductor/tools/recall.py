"""Searches past conversations, notes, tasks and plans, and ranks the results by words and by meaning."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from conductor.domain.notes import Note, RecallResult, Recollection, RecordKind, Task
from conductor.domain.plan import ConfigPlan
from conductor.errors import ConductorError
from conductor.knowledge.hybrid import EmbeddingCache, fuse_rankings, rank_by_meaning, rank_by_words

if TYPE_CHECKING:
    from conductor.knowledge.embedder import Embedder
    from conductor.storage.message_search import MessageSearch
    from conductor.storage.notes import Notes
    from conductor.storage.tasks import Tasks

MAX_MATCHING_RECORDS, MAX_LATEST_RECORDS = 100, 300
"""How many entries of each kind are ranked: those that match words of the query, and the latest ones."""
MAX_SEARCHED_PLANS = 100
MAX_SHOWN_TEXT_LENGTH = 700
MatchingAndLatest = tuple[list[Recollection], list[Recollection]]
"""The entries that match words of the query, best first, and the entries that are ranked by meaning only."""
RANKED_BY_WORDS_AND_MEANING, RANKED_BY_WORDS_ONLY = "words and meaning", "words alone: {}"


class RecordSearch:
    """Searches conversations, notes, tasks and plans.

    Safe in any thread, but slow, so call it in a worker thread.
    """

    def __init__(
        self,
        messages: "MessageSearch",
        notes: "Notes",
        tasks: "Tasks",
        embedder: "Callable[[], Embedder | None]",
    ) -> None:
        """Create a search.

        `embedder` returns the model that embeds texts. Without a model, it returns None or raises a
        `ConductorError`.
        """
        self._messages = messages
        self._notes = notes
        self._tasks = tasks
        self._embedder = embedder
        self._meanings = EmbeddingCache()

    def __call__(
        self,
        query: str,
        kinds: Sequence[RecordKind],
        limit: int,
        current_conversation: str | None,
        plans: Sequence[ConfigPlan],
    ) -> RecallResult:
        """Return the entries that match a query, best first. The current conversation is not searched."""
        searches: dict[RecordKind, Callable[[], MatchingAndLatest]] = {
            "note": lambda: self._search_notes(query),
            "task": lambda: self._search_tasks(query),
            "plan": lambda: _search_plans(query, plans),
            "conversation": lambda: self._search_messages(query, current_conversation),
        }
        pools = [searches[kind]() for kind in searches if not kinds or kind in kinds]
        entries = list(dict.fromkeys(entry for pool in pools for part in pool for entry in part))
        rows = {entry: row for row, entry in enumerate(entries)}
        orders = [[rows[entry] for entry in matches] for matches, _ in pools]
        embedder, searched = self._load_embedding_model()
        if embedder is not None:
            texts = [f"{entry.title}\n{entry.text}" for entry in entries]
            orders.append(rank_by_meaning(query, texts, embedder, self._meanings))
        best = [entries[row] for row in fuse_rankings(orders)[:limit]]
        return RecallResult(found=tuple(map(_shorten_shown_text, best)), searched=searched)

    def _load_embedding_model(self) -> "tuple[Embedder | None, str]":
        try:
            embedder = self._embedder()
        except ConductorError as error:
            return None, RANKED_BY_WORDS_ONLY.format(str(error)[:300])
        if embedder is None:
            return None, RANKED_BY_WORDS_ONLY.format("there is no language model")
        return embedder, RANKED_BY_WORDS_AND_MEANING

    def _search_messages(self, query: str, current_conversation: str | None) -> MatchingAndLatest:
        matches = self._messages.search_messages(query, current_conversation, MAX_MATCHING_RECORDS)
        return matches, self._messages.list_latest_messages(
            current_conversation, MAX_LATEST_RECORDS
        )

    def _search_notes(self, query: str) -> MatchingAndLatest:
        matches, latest = (
            self._notes.find_notes(query, limit=MAX_MATCHING_RECORDS),
            self._notes.find_notes(limit=MAX_LATEST_RECORDS),
        )
        return list(map(_note_to_recollection, matches)), list(map(_note_to_recollection, latest))

    def _search_tasks(self, query: str) -> MatchingAndLatest:
        matches = self._tasks.find_tasks(query, done=None, limit=MAX_MATCHING_RECORDS)
        latest = self._tasks.find_tasks("", done=None, limit=MAX_LATEST_RECORDS)
        return list(map(_task_to_recollection, matches)), list(map(_task_to_recollection, latest))


def _search_plans(query: str, plans: Sequence[ConfigPlan]) -> MatchingAndLatest:
    entries = list(map(_plan_to_recollection, plans[:MAX_SEARCHED_PLANS]))
    matches = rank_by_words(query, [f"{entry.title} {entry.text}"[:200] for entry in entries])
    return [entries[row] for row in matches], entries


def _note_to_recollection(note: Note) -> Recollection:
    text = "\n".join(filter(None, [note.text, " ".join(note.tags)]))
    return Recollection(
        kind="note", id=note.note_id, title=note.title, at=note.updated_at, text=text
    )


def _task_to_recollection(task: Task) -> Recollection:
    state = "done" if task.done else f"due {task.due}" if task.due else "open"
    text = "\n".join(filter(None, [state, task.text, " ".join(task.tags)]))
    return Recollection(
        kind="task", id=task.task_id, title=task.title, at=task.updated_at, text=text
    )


def _plan_to_recollection(plan: ConfigPlan) -> Recollection:
    changes = "\n".join(change.description for change in plan.changes)
    text = f"{plan.status}\n{changes}"
    return Recollection(
        kind="plan", id=plan.plan_id, title=plan.description, at=plan.created_at, text=text
    )


def _shorten_shown_text(entry: Recollection) -> Recollection:
    if len(entry.text) <= MAX_SHOWN_TEXT_LENGTH:
        return entry
    return entry.model_copy(update={"text": f"{entry.text[:MAX_SHOWN_TEXT_LENGTH]}..."})
