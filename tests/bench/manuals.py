"""The user's manuals: which questions find the right page, and how a search grows with a large collection."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from tests.bench.rows import Row, ms
from tests.knowledge import score
from tests.support.manuals import (
    NAMES,
    Manual,
    Question,
    build_manual,
    read_messages,
    read_questions,
)

from conductor.base.resource_paths import DATABASE_FILE, find_knowledge_paths
from conductor.domain.knowledge import ScoredChunk
from conductor.knowledge.database import IndexContents, read_index
from conductor.knowledge.library import KnowledgeBase
from conductor.knowledge.manuals.passages import Carried, Passage
from conductor.knowledge.manuals.search import ManualSearch
from conductor.knowledge.manuals.store import ManualStore, NewPage

RECALL_AIM = 0.95
QUERY_AIM_MS, MEMORY_AIM_MB = 60.0, 250.0
PASSAGES_PER_MANUAL = 5_000
WORDS_PER_PASSAGE = 80
INDEX_TIMEOUT_S = 900.0
QUERIES = (
    "how do I change the filter cutoff with a controller",
    "which note does the pad send",
    "reset the device to factory settings",
    "sustain pedal is inverted",
    "NRPN for the envelope attack",
    "sysex message for the colours of the pads",
    "what is the address of the universe",
    "store a program in a bank",
)


def measure(passages: int) -> list[Row]:
    """Ask the questions about five manuals, and time searches among so many passages."""
    return [*_quality(), *_large_collection(passages)]


def _quality() -> list[Row]:
    with TemporaryDirectory() as folder:
        manuals = {name: build_manual(name, Path(folder)) for name in NAMES}
        home = Path(folder) / "home"
        seconds = _index(home, manuals)
        library = KnowledgeBase(home)
        rows = _recall(library, manuals)
        library.close()
    pages = sum(manual.pages for manual in manuals.values())
    indexed = f"{pages} pages in {seconds:.0f} s at low priority"
    return [*rows, Row("manuals: index five manuals", indexed)]


def _index(home: Path, manuals: dict[str, Manual]) -> float:
    """Index the manuals in the process that the app uses, and return how long it took."""
    paths = find_knowledge_paths(home)
    store = ManualStore(paths.own / "manuals")
    for manual in manuals.values():
        store.add_file(manual.path, manual.path.name, "")
    began = time.monotonic()
    command = (sys.executable, "-m", "conductor", "--manuals-process")
    with subprocess.Popen(
        [*command, str(store.folder), str(paths.model_file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    ) as process:
        process.wait(INDEX_TIMEOUT_S)
    store.close()
    return time.monotonic() - began


def _recall(library: KnowledgeBase, manuals: dict[str, Manual]) -> list[Row]:
    questions = read_questions(manuals)
    strangers = read_questions(manuals, "strangers.toml")
    index = library.get_index()
    ways: dict[str, Callable[[str], Sequence[ScoredChunk]]] = {
        "among the manuals": lambda text: library.manuals.find_passages(index, text)[:5],
        "with all other texts": lambda text: library.search_chunks(text, 5),
        "in the prompt": lambda text: library.retrieve_for_message(text).found,
    }
    rows: list[Row] = []
    for way, find in ways.items():
        rows += [
            _measure_recall(f"manuals: {way}", questions, find),
            _measure_recall(f"manuals: {way}, a stranger's questions", strangers, find),
        ]
    sets = score.sets()
    small_talk = [one.text for one in [*sets["offtopic"], *sets["stranger-offtopic"]]]
    share, wishes = (_measure_told(library, each) for each in (small_talk, read_messages()))
    return [
        *rows,
        Row("manuals: off-topic messages", f"{share:.3f}", "0.05", share <= 0.05),
        Row("manuals: ordinary wishes that get a passage", f"{wishes:.3f}"),
    ]


def _measure_told(library: KnowledgeBase, messages: Sequence[str]) -> float:
    """Return the share of messages that get a passage of a manual."""
    found = [library.retrieve_for_message(each).found for each in messages]
    return sum(any(one.chunk.domain == "manual" for one in each) for each in found) / len(messages)


def _measure_recall(
    name: str, questions: list[Question], find: Callable[[str], Sequence[ScoredChunk]]
) -> Row:
    places = [_find_place(find(one.text), one) for one in questions]
    first, five = (sum(place < most for place in places) / len(places) for most in (1, 5))
    measured = f"recall@1 {first:.3f} @5 {five:.3f}"
    return Row(name, measured, f"@5 {RECALL_AIM}", five >= RECALL_AIM)


def _find_place(found: Sequence[ScoredChunk], question: Question) -> int:
    source = f"manual/{question.manual}"
    places = [
        at
        for at, one in enumerate(found)
        if one.chunk.source == source and one.chunk.page in question.pages
    ]
    return places[0] if places else len(found) + 5


def _large_collection(passages: int) -> list[Row]:
    with TemporaryDirectory() as folder:
        home = Path(folder)
        _fill(find_knowledge_paths(home).own / "manuals", passages)
        ways = {
            "signs, then exact": _run(home, "signs"),
            "all vectors (numpy)": _run(home, "exact"),
        }
        size_mb = (find_knowledge_paths(home).own / "manuals" / "manuals.db").stat().st_size / 1e6
    rows: list[Row] = []
    for way, found in ways.items():
        measured = (
            f"p50 {ms(found['p50'])} p95 {ms(found['p95'])} ms (CPU {ms(found['cpu'])}), {found['mb']:.0f} MB,"
            f" of the 10 nearest {found['recall']:.3f}"
        )
        aim = f"p95 {QUERY_AIM_MS:g} ms, {MEMORY_AIM_MB:g} MB"
        met = found["p95"] <= QUERY_AIM_MS and found["mb"] <= MEMORY_AIM_MB
        is_ours = way.startswith("signs")
        rows.append(
            Row(
                f"manuals: {passages:,} passages, {way}",
                measured,
                aim if is_ours else "",
                met if is_ours else None,
            )
        )
    return [*rows, Row(f"manuals: {passages:,} passages on disk", f"{size_mb:.0f} MB")]


def _fill(folder: Path, passages: int) -> None:
    """Write passages with words and vectors like those of the texts that ship."""
    contents = read_index(find_knowledge_paths(Path("/nowhere")).index / DATABASE_FILE)
    store = ManualStore(folder)
    chance = np.random.default_rng(1)
    words = [word for chunk in contents.chunks for word in chunk.content.split()]
    for number in range(passages // PASSAGES_PER_MANUAL):
        path = folder.parent / f"manual {number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"manual {number}")
        store.add_file(path, path.name, "")
        manual = store.begin_next_manual()
        assert manual is not None
        vectors = _mix_vectors(contents, chance, PASSAGES_PER_MANUAL)
        starts = chance.integers(0, len(words) - WORDS_PER_PASSAGE, PASSAGES_PER_MANUAL)
        texts = [" ".join(words[start : start + WORDS_PER_PASSAGE]) for start in starts]
        pages = [
            NewPage(at + 1, "", [Passage(at + 1, (f"Section {at}",), text)], vectors[at : at + 1])
            for at, text in enumerate(texts)
        ]
        store.append_pages(
            manual.number, pages, Carried(), title=f"Manual {number}", total=len(pages)
        )
        store.finish_manual(manual.number, "")
        path.unlink()
    store.close()


def _mix_vectors(contents: IndexContents, chance: np.random.Generator, count: int) -> "np.ndarray":
    """Return vectors between those of two texts, which are about as near to each other as real ones."""
    real = contents.vectors
    one, other = (real[chance.integers(0, len(real), count)] for _ in range(2))
    share = chance.uniform(0.5, 1, (count, 1)).astype(np.float32)
    mixed = one * share + other * (1 - share)
    mixed += 0.02 * chance.standard_normal(mixed.shape).astype(np.float32)
    return (mixed / np.linalg.norm(mixed, axis=1, keepdims=True)).astype(np.float32)


def _run(home: Path, way: str) -> dict[str, float]:
    """Measure a way to search in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.manuals", str(home), way],
        capture_output=True,
        check=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return json.loads(done.stdout.splitlines()[-1])


def _search_in_process(home: Path, way: str) -> dict[str, float]:
    paths = find_knowledge_paths(home)
    contents = read_index(paths.index / DATABASE_FILE)
    vectors = _mix_vectors(contents, np.random.default_rng(2), 100)
    del contents
    search = ManualSearch(paths.own / "manuals")
    stored = None
    times: list[float] = []
    cpu_times: list[float] = []
    found_of: list[list[str]] = []
    if way == "exact":
        stored = _read_vectors(paths.own / "manuals")
    for at, vector in enumerate(vectors):
        terms: dict[str, float] = dict.fromkeys(QUERIES[at % len(QUERIES)].split(), 1.0)
        began, cpu_began = time.perf_counter(), time.process_time()
        if stored is None:
            passages = search.find_passages(" ".join(terms), terms, vector)
            nearest = sorted(passages, key=lambda one: -one.dense)[:10]
            found_of.append([str(one.row["number"]) for one in nearest])
        else:
            found_of.append([str(row + 1) for row in np.argsort(-(stored @ vector))[:10]])
        times.append(1000 * (time.perf_counter() - began))
        cpu_times.append(1000 * (time.process_time() - cpu_began))
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    stored = _read_vectors(paths.own / "manuals") if stored is None else stored
    hits = sum(
        len({str(row + 1) for row in np.argsort(-(stored @ vector))[:10]} & set(found))
        for vector, found in zip(vectors, found_of, strict=True)
    )
    p50, p95 = np.percentile(times[1:], (50, 95)).tolist()
    recall = hits / (10 * len(vectors))
    cpu = float(np.percentile(cpu_times[1:], 95))
    return {"p50": p50, "p95": p95, "cpu": cpu, "mb": resident / 1e6, "recall": recall}


def _read_vectors(folder: Path) -> "np.ndarray":
    store = ManualStore(folder)
    with store.transaction() as database:
        rows = [row[0] for row in database.execute("SELECT vector FROM passages ORDER BY number")]
    store.close()
    return np.frombuffer(b"".join(rows), "<f2").astype(np.float32).reshape(len(rows), -1)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_search_in_process(Path(sys.argv[1]), sys.argv[2])) + "\n")
