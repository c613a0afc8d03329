"""What the gate is calibrated with when the index is built: known questions, small talk, and ways to ask.

The known questions are worded like the texts. So the ways to ask that authors wrote count as questions too,
each as if nobody had written it down: without its own vector, and by words of the texts alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from conductor.knowledge import calibration, lexical
from conductor.knowledge.calibration import Curve, Question
from conductor.knowledge.database import Contents
from conductor.knowledge.embedder import Embedder
from conductor.knowledge.search import Asked, Index, features
from conductor.knowledge.thesaurus import Thesaurus

Rows = list[tuple[float, ...]]


def calibrated(
    contents: Contents,
    questions: Sequence[Question],
    embedder: Embedder | None,
    thesaurus: Thesaurus,
) -> Contents:
    """Add the curves: one for words alone, and one for words and meaning."""
    curves = {"lexical": _curve(Index(contents, None, thesaurus), questions)}
    if embedder is not None:
        curves["fused"] = _curve(Index(contents, embedder, thesaurus), questions)
    found = {f"calibration_{kind}": each.to_json() for kind, each in curves.items() if each}
    return replace(contents, meta={**contents.meta, **found})


def _curve(index: Index, questions: Sequence[Question]) -> Curve | None:
    useful = [_features(index, each.text) for each in questions if each.facts]
    useless = [_features(index, each.text) for each in questions if not each.facts]
    if index.has_model and useful:
        useful += _asked_anew(index, len(useful))
    return calibration.fit(useful, useless)


def _features(index: Index, text: str) -> tuple[float, ...]:
    ranking = index.rank(Asked(text))
    lexicon = index.contents.lexicon
    return features(
        lexicon, ranking.terms, ranking.lexical, ranking.dense, with_model=index.has_model
    )


def _asked_anew(index: Index, most: int) -> Rows:
    """Give the features of ways to ask, taken evenly from all."""
    contents = index.contents
    plain = lexical.build([chunk.model_copy(update={"ask": ()}) for chunk in contents.chunks])
    ways = list(_ways(contents))
    rows = {one: row for row, one in enumerate(contents.vector_ids)}
    found: Rows = []
    for key, text in ways[:: max(1, len(ways) // most)]:
        cosines = contents.vectors @ contents.vectors[rows[key]]
        cosines[rows[key]] = -1
        terms = index.terms(text)
        dense = index.best_of_each(cosines)
        found.append(features(plain, terms, plain.scores(terms), dense, with_model=True))
    return found


def _ways(contents: Contents) -> Iterator[tuple[str, str]]:
    for chunk in contents.chunks:
        for part, text in enumerate(chunk.ask, 1):
            yield f"{chunk.id}|{part}", text
