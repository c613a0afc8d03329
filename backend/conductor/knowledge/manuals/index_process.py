"""The process that indexes manuals, one after the other, with a low priority.

It writes its progress to standard output, as lines of JSON, and ends when all manuals are indexed or when its
parent does. If it is killed, the next one continues at the page that was reached.
"""

import json
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from conductor.base.json_types import JsonObject
from conductor.base.single_instance import InstanceLock
from conductor.errors import AlreadyRunning, NotAvailable
from conductor.knowledge.embedder import VECTOR_DIMENSION_COUNT, OnnxEmbedder
from conductor.knowledge.manuals.layout import PageText
from conductor.knowledge.manuals.passages import Passage, split_page
from conductor.knowledge.manuals.reading import ReadPages, read_pages
from conductor.knowledge.manuals.store import MAX_ATTEMPTS, ManualStore, NewPage, OpenManual

PROCESS_NICENESS = 15
"""Lower than that of the chat and of the processes that run mappings, which must not wait for it."""
OTHER_PROCESS_EXIT_CODE = 3
"""The exit code if another process already indexes the manuals of this folder."""
DATABASE_EXIT_CODE = 4
"""The exit code if the database cannot be used now. The manual itself is not at fault."""
PAGES_PER_STEP = 4
"""How many pages are written at once. After a kill, at most these are read again."""
MIN_LETTERS_PER_PAGE = 20
"""With fewer letters on average, the pages are images."""
SCAN_PROBLEM = (
    "it has no text, because its pages are images; recognise the text first, for example with"
    " `ocrmypdf in.pdf out.pdf`, and add the new file"
)

UNREAD_PROBLEM = (
    "{} of {} pages have no text that can be read; if they are images, recognise the text first, for example"
    " with `ocrmypdf --skip-text in.pdf out.pdf`, and add the new file"
)


def main(arguments: Sequence[str]) -> int:
    """Index all manuals that wait. `arguments` are the folder of the manuals and the language model."""
    folder, model = Path(arguments[0]), Path(arguments[1])
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    if sys.platform != "win32":
        os.nice(PROCESS_NICENESS)
    try:
        lock = InstanceLock(folder)
    except AlreadyRunning:
        return OTHER_PROCESS_EXIT_CODE
    except NotAvailable as problem:
        _write_message({"problem": str(problem)})
        return DATABASE_EXIT_CODE
    store = ManualStore(folder)
    embedder = OnnxEmbedder(model)
    code = index_waiting(store, embedder if embedder.has_model_files else None)
    store.close()
    lock.release_lock()
    return code


def index_waiting(store: ManualStore, embedder: OnnxEmbedder | None) -> int:
    """Index all manuals that wait, and return the exit code of the process."""
    try:
        _Indexer(store, embedder).index_all()
        store.unmark_if_finished()
    except NotAvailable as problem:  # raised by the database; the file itself may be fine
        with suppress(NotAvailable):
            store.forget_attempt()
        _write_message({"problem": str(problem)})
        return DATABASE_EXIT_CODE
    return 0


def _exit_with_parent() -> None:
    """End the process when standard input does. SQLite undoes a step that is not complete."""
    while sys.stdin.buffer.read(1):
        pass
    os._exit(0)


class _UnreadableFile(Exception):
    """A file cannot be read. The message says why."""


class _Indexer:
    def __init__(self, store: ManualStore, embedder: OnnxEmbedder | None) -> None:
        self._store = store
        self._embedder = embedder

    def index_all(self) -> None:
        """Index all manuals that wait.

        Raises:
            NotAvailable: The database cannot be used.
        """
        self._store.reset_other_embedders(self._embedder_id)
        while (manual := self._store.begin_next_manual()) is not None:
            try:
                self._index_manual(manual)
            except _UnreadableFile as problem:
                self._store.fail_manual(manual.number, str(problem))
            _report(manual.number, 0, 0)

    @property
    def _embedder_id(self) -> str:
        return "" if self._embedder is None else self._embedder.id

    def _index_manual(self, manual: OpenManual) -> None:
        """Index the pages of a manual that are missing.

        Raises:
            _UnreadableFile: The file cannot be read.
            NotAvailable: The database cannot be used.
        """
        if manual.attempts > MAX_ATTEMPTS:
            raise _UnreadableFile(
                f"the reader ended {MAX_ATTEMPTS} times at page {manual.done_pages + 1};"
                " save the file again with another program, or remove this page"
            )
        total, unread = manual.pages, 0
        if not total or manual.done_pages < total:
            for read in _read_pages(manual):
                total = read.total
                unread += sum(not page.text.strip() for page in read.pages)
                if not self._append(manual, read):
                    return  # removed by the user
        self._finish(manual.number, total, unread)

    def _append(self, manual: OpenManual, read: ReadPages) -> bool:
        title = read.title or manual.title
        for start in range(0, len(read.pages), PAGES_PER_STEP):
            some = read.pages[start : start + PAGES_PER_STEP]
            pages = [
                self._build_page(read.first + start + at, page, manual, title)
                for at, page in enumerate(some)
            ]
            if not self._store.append_pages(
                manual.number, pages, manual.carried, title=title, total=read.total
            ):
                return False
            _report(manual.number, pages[-1].page, read.total)
        return True

    def _build_page(self, number: int, page: PageText, manual: OpenManual, title: str) -> NewPage:
        passages = split_page(number, page, manual.carried)
        texts = [_build_embedded_text(title, passage) for passage in passages]
        if self._embedder is None:
            import numpy as np

            vectors = np.zeros((len(texts), VECTOR_DIMENSION_COUNT), np.float32)
        else:
            vectors = self._embedder.embed_texts(texts)
        return NewPage(number, page.text, passages, vectors)

    def _finish(self, number: int, total: int, unread: int) -> None:
        letters = self._store.count_letters(number)
        if letters < MIN_LETTERS_PER_PAGE * min(total, 3):
            self._store.fail_manual(number, SCAN_PROBLEM)
            return
        problem = UNREAD_PROBLEM.format(unread, total) if unread > total / 4 else ""
        self._store.finish_manual(number, self._embedder_id, problem)


def _read_pages(manual: OpenManual) -> Iterator[ReadPages]:
    try:
        yield from read_pages(manual.file, manual.done_pages + 1)
    except NotAvailable as problem:
        raise _UnreadableFile(str(problem).removeprefix("it cannot be read: ")) from None


def _build_embedded_text(title: str, passage: Passage) -> str:
    return f"{' > '.join([title, *passage.path])}\n{passage.content}"


def _report(number: int, done: int, total: int) -> None:
    _write_message({"manual": number, "done": done, "total": total})


def _write_message(message: JsonObject) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()
