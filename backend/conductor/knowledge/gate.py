"""What the gate is calibrated with when the index is built: known questions, small talk, and ways to ask.

The known questions are worded like the texts. So the ways to ask that authors wrote count as questions too,
each as if nobody had written it down: without its own vector, and by words of the texts alone.

Nearness alone does not tell a question in everyday words from small talk about the same things. So a direction
is found in which the vectors of questions lie as seen from those of small talk; how far a message is in it is
one more thing that the curve goes by. For the curve each message is judged by a direction made without it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from conductor.knowledge import calibration, lexical
from conductor.knowledge.calibration import Curve, Question
from conductor.knowledge.database import Contents
from conductor.knowledge.embedder import Embedder, Vectors
from conductor.knowledge.search import Asked, Index, Ranking, features
from conductor.knowledge.thesaurus import Thesaurus

Rows = list[tuple[float, ...]]
PARTS = 5
FEWEST = 3


def calibrated(
    contents: Contents,
    questions: Sequence[Question],
    embedder: Embedder | None,
    thesaurus: Thesaurus,
) -> Contents:
    """Add the curves: one for words alone, one for words and meaning, and the direction that it needs."""
    useful = [each.text for each in questions if each.facts]
    useless = [each.text for each in questions if not each.facts]
    if min(len(useful), len(useless)) < FEWEST:
        return contents
    curves = {"lexical": _by_words(Index(contents, None, thesaurus), useful, useless)}
    if embedder is not None:
        curves |= _by_meaning(Index(contents, embedder, thesaurus), useful, useless)
    found = {f"calibration_{kind}": each.to_json() for kind, each in curves.items()}
    return replace(contents, meta={**contents.meta, **found})


def _by_words(index: Index, useful: Sequence[str], useless: Sequence[str]) -> Curve:
    good, bad = (
        [_features(index, index.rank(Asked(one)), None) for one in kind]
        for kind in (useful, useless)
    )
    return calibration.fit(good, bad)


def _by_meaning(index: Index, useful: Sequence[str], useless: Sequence[str]) -> dict[str, Curve]:
    good, bad = ([index.rank(Asked(one)) for one in kind] for kind in (useful, useless))
    ways = list(_ways(index.contents))
    on = np.vstack([_vectors(good), index.contents.vectors[[row for row, _ in ways]]])
    off = _vectors(bad)
    towards, kin_on, kin_off = _crossed(on, off)
    some = range(0, len(ways), max(1, len(ways) // len(good)))
    rows = [_features(index, *each) for each in zip(good, kin_on, strict=False)]
    rows += _asked_anew(index, [(*ways[at], kin_on[len(good) + at]) for at in some])
    rest = [_features(index, *each) for each in zip(bad, kin_off, strict=True)]
    return {"fused": calibration.fit(rows, rest), "direction": towards}


def _crossed(on: Vectors, off: Vectors) -> tuple[Curve, list[float], list[float]]:
    """Give the direction, and how far each is in one that was made without it."""
    kin = [np.zeros(len(on)), np.zeros(len(off))]
    for part in range(PARTS):
        mine = [np.arange(len(each)) % PARTS == part for each in (on, off)]
        towards = calibration.direction(on[~mine[0]], off[~mine[1]])
        for each, vectors, chosen in zip(kin, (on, off), mine, strict=True):
            each[chosen] = [towards.total(vector) for vector in vectors[chosen]]
    return calibration.direction(on, off), kin[0].tolist(), kin[1].tolist()


def _vectors(rankings: Sequence[Ranking]) -> Vectors:
    return np.stack([each.vector for each in rankings if each.vector is not None])


def _features(index: Index, ranking: Ranking, kin: float | None) -> tuple[float, ...]:
    lexicon = index.contents.lexicon
    return features(lexicon, ranking.terms, ranking.lexical, ranking.dense, kin)


def _asked_anew(index: Index, ways: Sequence[tuple[int, str, float]]) -> Rows:
    """Give the features of ways to ask, each as if nobody had written it."""
    contents = index.contents
    plain = lexical.build([chunk.model_copy(update={"ask": ()}) for chunk in contents.chunks])
    found: Rows = []
    for row, text, kin in ways:
        cosines = contents.vectors @ contents.vectors[row]
        cosines[row] = -1
        terms = index.terms(text)
        found.append(features(plain, terms, plain.scores(terms), index.best_of_each(cosines), kin))
    return found


def _ways(contents: Contents) -> Iterator[tuple[int, str]]:
    """Give each way to ask, with the row of its vector."""
    rows = {one: row for row, one in enumerate(contents.vector_ids)}
    for chunk in contents.chunks:
        for part, text in enumerate(chunk.ask, 1):
            yield rows[f"{chunk.id}|{part}"], text
