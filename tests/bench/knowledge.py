"""The library: what is found and injected, by each part of the search, and how long it takes."""

import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.rows import Row, ms
from tests.knowledge import score

from conductor.knowledge.library import KnowledgeBase
from conductor.knowledge.search import KnowledgeIndex
from conductor.knowledge.thesaurus import Thesaurus

RECALL_AIMS = {
    "held": (0.75, 0.95),
    "stranger-facts": (0.75, 0.95),
    "colloquial": (0.0, 0.85),
    "stranger-colloquial": (0.0, 0.85),
}
"""Aims for the first place and the first five; of the colloquial ones only the five count."""
OFF_TOPIC_AIM = 0.05
TIME_AIMS_MS = {"embed": 5.0, "search": 2.0, "pipeline": 15.0}
DISK_AIM_MB = 40.0
FIRST = "which controller is the sustain pedal"


def measure(queries: int) -> list[Row]:
    """Ask all questions that were set aside, and time so many."""
    with TemporaryDirectory() as home:
        began = time.perf_counter()
        library = KnowledgeBase(Path(home))
        library.retrieve_for_message(FIRST)
        cold_ms = 1000 * (time.perf_counter() - began)
        rows = [row for name in RECALL_AIMS for row in _found(library.get_index(), name)]
        rows.append(_off_topic(library.get_index()))
        rows += _times(library, queries)
        disk_mb = library.get_status().size_bytes / 1e6
    rows.append(Row("knowledge: from nothing to the first answer", f"{ms(cold_ms)} ms"))
    on_disk = Row("knowledge: on disk", f"{disk_mb:.1f} MB", f"{DISK_AIM_MB:g} MB")
    return [*rows, on_disk._replace(met=disk_mb < DISK_AIM_MB)]


def _found(index: KnowledgeIndex, name: str) -> list[Row]:
    """Return the recall of each part of the search, and of what passes the gate."""
    questions = score.sets()[name]
    plain = KnowledgeIndex(index.contents, index._embedder, Thesaurus(()))  # pyright: ignore[reportPrivateUsage]
    rows: list[Row] = []
    for way, order in score.ways(plain).items():
        reached = score.score(index, questions, order)
        measured = f"recall@1 {reached.recall_1:.3f} @5 {reached.recall_5:.3f}"
        rows.append(Row(f"knowledge, {name}: {way}", measured))
    passed = score.passed(index, questions)
    first, five = RECALL_AIMS[name]
    aim = f"@1 {first:.2f} @5 {five:.2f}" if first else f"@5 {five:.2f}"
    met = passed.recall_1 >= first and passed.recall_5 >= five
    measured = f"recall@1 {passed.recall_1:.3f} @5 {passed.recall_5:.3f}"
    return [*rows, Row(f"knowledge, {name}: after the gate", measured, aim, met)]


def _off_topic(index: KnowledgeIndex) -> Row:
    sets = score.sets()
    messages = [*sets["offtopic"], *sets["stranger-offtopic"]]
    rates = {
        kind: score.injected(index, messages, kind)["off-topic injected"]
        for kind in ("google", "litellm")
    }
    measured = f"injected {rates['google']:.3f}, for local models {rates['litellm']:.3f}"
    met = rates["google"] <= OFF_TOPIC_AIM
    return Row("knowledge: off-topic messages", measured, f"{OFF_TOPIC_AIM:.2f}", met)


def _times(library: KnowledgeBase, queries: int) -> list[Row]:
    texts = [one.text for questions in score.sets().values() for one in questions][:queries]
    rows: list[Row] = []
    for step, (half, most) in score.timings(library, texts).items():
        aim = TIME_AIMS_MS[step]
        measured = f"p50 {ms(half)} p99 {ms(most)} ms of {len(texts)}"
        rows.append(Row(f"knowledge: {step}", measured, f"{aim:g} ms", half <= aim))
    return rows
