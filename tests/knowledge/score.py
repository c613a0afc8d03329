"""How well knowledge is found: `python -m tests.knowledge.score [--set NAME] [--misses] [--json]`.

Each set is a TOML file of [[query]] tables: `text`, and the `facts` that a chunk must hold to answer it, none for
a message that nothing should be added to. The sets under `eval/` were never looked at while tuning, except those
whose name ends in `-open`. The sets of strangers have `targets` instead, the ids of the chunks that answer.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from tests.knowledge import strangers

from conductor.base.resource_paths import find_knowledge_paths
from conductor.knowledge import calibration, query_hints
from conductor.knowledge.calibration import CalibrationQuestion
from conductor.knowledge.library import KnowledgeBase
from conductor.knowledge.pipeline import retrieve_chunks
from conductor.knowledge.providers import DEFAULT_RETRIEVAL_LIMITS, get_retrieval_limits
from conductor.knowledge.ranking import RANKING_WEIGHTS, ChunkRanking
from conductor.knowledge.search import KnowledgeIndex, SearchQuery
from conductor.knowledge.thesaurus import Thesaurus

ROOT = Path(__file__).resolve().parents[2]
K = 5
ALL_STRANGERS = (*strangers.NAMES, *strangers.FURTHER_NAMES)
Order = Callable[[KnowledgeIndex, str], Sequence[int]]


@dataclass(frozen=True)
class Score:
    """What a way of ranking reached on the questions of a set."""

    recall_1: float
    recall_5: float
    mrr: float


def sets() -> dict[str, tuple[CalibrationQuestion, ...]]:
    """Return the questions by the name of their set."""
    files = [
        ROOT / "knowledge" / "calibration.toml",
        *sorted((ROOT / "tests/knowledge/eval").glob("*.toml")),
    ]
    files = [file for file in files if file.stem not in ALL_STRANGERS]
    tuned = sorted((ROOT / "tests/knowledge/tuning").glob("*.toml"))
    found = {
        file.stem: calibration.read_calibration_questions(file) for file in files if file.is_file()
    }
    found |= {f"tuning-{file.stem}": calibration.read_calibration_questions(file) for file in tuned}
    known = calibration.read_small_talk_messages(ROOT / "knowledge" / "offtopic.toml")
    return {**found, "calibration": (*found["calibration"], *known)}


def texts(index: KnowledgeIndex) -> list[str]:
    """Return what is compared with the facts."""
    return [
        " ".join([chunk.source_title, *chunk.section_path, chunk.content]) for chunk in index.chunks
    ]


def score(index: KnowledgeIndex, questions: Sequence[CalibrationQuestion], order: Order) -> Score:
    """Rank for each question that has an answer."""
    answers = texts(index)
    places_found = [_place(order(index, one.text), one, answers) for one in questions if one.facts]
    count = max(len(places_found), 1)
    return Score(
        sum(place == 1 for place in places_found) / count,
        sum(0 < place <= K for place in places_found) / count,
        sum(1 / place for place in places_found if place) / count,
    )


def _place(rows: Sequence[int], question: CalibrationQuestion, answers: Sequence[str]) -> int:
    """Return the place of the first answer among the first 20, or 0."""
    for place, row in enumerate(rows[:20], 1):
        if question.is_answered_by(answers[row]):
            return place
    return 0


def _by(numbers: "np.ndarray") -> list[int]:
    return [int(row) for row in np.lexsort((np.arange(len(numbers)), -numbers)) if numbers[row] > 0]


def ways(plain: KnowledgeIndex) -> dict[str, Order]:
    """Return each part's contribution; `plain` has no thesaurus."""

    def lexical(index: KnowledgeIndex, text: str) -> list[int]:
        return _by(plain.rank_chunks(SearchQuery(text)).lexical)

    def thesaurus(index: KnowledgeIndex, text: str) -> list[int]:
        return _by(index.rank_chunks(SearchQuery(text)).lexical)

    def dense(index: KnowledgeIndex, text: str) -> list[int]:
        return _by(index.rank_chunks(SearchQuery(text)).dense)

    def fused(index: KnowledgeIndex, text: str) -> list[int]:
        found = index.rank_chunks(SearchQuery(text))
        return _by(RANKING_WEIGHTS.lexical * _share(found.lexical) + _share(found.dense))

    def boosted(index: KnowledgeIndex, text: str) -> Sequence[int]:
        return index.rank_chunks(SearchQuery(text)).order

    return {
        "words": lexical,
        "+ thesaurus": thesaurus,
        "meaning": dense,
        "both": fused,
        "+ cues": boosted,
    }


def _share(numbers: "np.ndarray") -> "np.ndarray":
    best = numbers.max(initial=0)
    return numbers / best if best > 0 else numbers


def injected(
    index: KnowledgeIndex, questions: Sequence[CalibrationQuestion], kind: str
) -> dict[str, float]:
    """Return what the whole pipeline puts into prompts, for a kind of provider."""
    answers = {chunk.id: text for chunk, text in zip(index.chunks, texts(index), strict=True)}
    fit = get_retrieval_limits(kind)
    found = [
        (one, retrieve_chunks(index, SearchQuery(one.text, boosts=fit.boosts), fit))
        for one in questions
    ]
    asked = [(one, each) for one, each in found if one.facts]
    idle = [each for one, each in found if not one.facts]
    hits = sum(
        any(one.is_answered_by(answers[hit.chunk.id]) for hit in each.found) for one, each in asked
    )
    return {
        "answer injected": hits / len(asked) if asked else float("nan"),
        "off-topic injected": sum(bool(each.found) for each in idle) / len(idle)
        if idle
        else float("nan"),
        "chunks": statistics.fmean(len(each.found) for _, each in found),
        "tokens": statistics.fmean(each.tokens for _, each in found),
    }


def passed(index: KnowledgeIndex, questions: Sequence[CalibrationQuestion]) -> Score:
    """Return what is left after the gate, the fill and the budget, as at the terminal."""

    def order(index: KnowledgeIndex, text: str) -> list[int]:
        rows = {chunk.id: row for row, chunk in enumerate(index.chunks)}
        found = retrieve_chunks(
            index,
            SearchQuery(text, platform=query_hints.get_current_platform()),
            DEFAULT_RETRIEVAL_LIMITS,
        ).found
        return [rows[each.chunk.id] for each in found]

    return score(index, questions, order)


def timings(library: KnowledgeBase, queries: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Return the median and the 99th percentile in ms of embedding, searching and the pipeline."""
    index = library.get_index()
    embedder = index._embedder  # pyright: ignore[reportPrivateUsage]
    words_only = KnowledgeIndex(index.contents, None, index.thesaurus)
    steps: dict[str, Callable[[str], object]] = {
        "search": lambda text: words_only.rank_chunks(SearchQuery(text)),
        "pipeline": library.retrieve_for_message,
    }
    if embedder is not None:
        steps = {"embed": lambda text: embedder.embed_texts([text]), **steps}
    return {name: _spread([_ms(step, text) for text in queries]) for name, step in steps.items()}


def _ms(step: Callable[[str], object], text: str) -> float:
    begun = time.perf_counter()
    step(text)
    return (time.perf_counter() - begun) * 1e3


def _spread(times: Sequence[float]) -> tuple[float, float]:
    ordered = sorted(times)
    return ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]


def report(chosen: str | None) -> Iterator[str]:
    """Return everything, line by line."""
    with TemporaryDirectory() as home:
        begun = time.perf_counter()
        library = KnowledgeBase(Path(home))
        index = library.get_index()
        library.retrieve_for_message("which controller is the sustain pedal")
        cold_ms = (time.perf_counter() - begun) * 1e3
        plain = KnowledgeIndex(index.contents, index._embedder, Thesaurus(()))  # pyright: ignore[reportPrivateUsage]
        for name, questions in sets().items():
            if chosen in (None, name):
                yield from _of_set(name, questions, index, plain)
        for name in ALL_STRANGERS:
            if chosen in (None, name):
                yield from strangers.report_strangers(library, name)
        all_texts = [one.text for questions in sets().values() for one in questions][:150]
        yield "times in ms                  p50     p99"
        for name, (half, most) in timings(library, all_texts).items():
            yield f"  {name:<24} {half:7.2f} {most:7.2f}"
        status = library.get_status()
        yield f"  cold start {cold_ms:.0f} ms; {status.size_bytes / 1e6:.1f} MB on disk; {status.chunks} chunks"


def _of_set(
    name: str,
    questions: Sequence[CalibrationQuestion],
    index: KnowledgeIndex,
    plain: KnowledgeIndex,
) -> Iterator[str]:
    answered = sum(bool(one.facts) for one in questions)
    yield f"{name}: {answered} questions, {len(questions) - answered} messages that need nothing"
    if answered:
        yield "                recall@1  recall@5     MRR"
        for way, order in ways(plain).items():
            found = score(index, questions, order)
            yield f"  {way:<14} {found.recall_1:8.3f}  {found.recall_5:8.3f} {found.mrr:7.3f}"
        left = passed(index, questions)
        yield f"  after the gate {left.recall_1:8.3f}  {left.recall_5:8.3f} {left.mrr:7.3f}"
    for kind in ("google", "litellm"):
        rates = injected(index, questions, kind)
        yield f"  {kind:<14} " + ", ".join(f"{key} {rate:.3f}" for key, rate in rates.items())


def misses(name: str) -> Iterator[str]:
    """Return the questions of a set whose answer is not among the first, with what came first."""
    with TemporaryDirectory() as home:
        library = KnowledgeBase(Path(home))
        if name in ALL_STRANGERS:
            yield from strangers.list_misses(library, name)
            return
        index = library.get_index()
        answers = texts(index)
        for one in sets()[name]:
            ranking: ChunkRanking = index.rank_chunks(SearchQuery(one.text))
            gate = (
                DEFAULT_RETRIEVAL_LIMITS.threshold_with_term
                if ranking.has_technical_term
                else DEFAULT_RETRIEVAL_LIMITS.relevance_threshold
            )
            place = _place(ranking.order, one, answers)
            if not one.facts and ranking.relevance >= gate:
                yield f"INJECTED {ranking.relevance:.2f} {one.text!r}: {index.chunks[ranking.order[0]].id}"
            elif one.facts and not 0 < place <= K:
                there = sum(map(one.is_answered_by, answers))
                yield f"place {place or '-'} of {there} {one.text!r} {list(one.facts)}"
                yield from (f"      {index.chunks[row].id}" for row in ranking.order[:3])
            elif one.facts and ranking.relevance < gate:
                yield f"HELD BACK {ranking.relevance:.2f} place {place} {one.text!r}"


def main() -> int:
    """Print the report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--set", help="only this one")
    parser.add_argument("--misses", action="store_true", help="the questions of --set that fail")
    args = parser.parse_args()
    assert find_knowledge_paths(Path("/")).sources.is_dir(), "the sources are missing"
    for line in misses(args.set or "calibration") if args.misses else report(args.set):
        sys.stdout.write(f"{line}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
