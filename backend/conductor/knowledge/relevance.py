"""What the gate is calibrated with when the index is built: known questions, small talk, and ways to ask.

The known questions are worded like the texts. So the ways to ask that authors wrote count as questions too,
each as if nobody had written it down: without its own vector, and by words of the texts alone. They are many
and terse; so in learning what questions are like all of them count as much as all known ones. What a message
is like is judged, for the curve, by what was learned from other messages.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from conductor.knowledge import calibration, lexical
from conductor.knowledge.calibration import Curve, Question
from conductor.knowledge.database import Contents
from conductor.knowledge.embedder import Embedder, Vectors
from conductor.knowledge.query_classifier import Messages, QueryClassifier, train_classifier
from conductor.knowledge.search import Index, Query, Ranking, features
from conductor.knowledge.thesaurus import Thesaurus

Features = tuple[float, ...]
Near = tuple[Features, Features]
"""How near texts are: by words alone, and by words and meaning."""
Way = tuple[int | None, str]
"""A way to ask, and the row of its vector if there is one."""
PARTS = 5
FEWEST = 3


def fit_relevance(
    contents: Contents,
    questions: Sequence[Question],
    embedder: Embedder | None,
    thesaurus: Thesaurus,
) -> Contents:
    """Add the curves, one for words alone and one for words and meaning, and what messages are like."""
    useful = [each.text for each in questions if each.facts]
    useless = [each.text for each in questions if not each.facts]
    if min(len(useful), len(useless)) < FEWEST:
        return contents
    curves, like = _fitted(Index(contents, embedder, thesaurus), useful, useless)
    found = {kind: curve.to_json() for kind, curve in curves.items()}
    found |= {"wording": json.dumps(like.wording)}
    if like.towards is not None:
        found["direction"] = like.towards.to_json()
    meta = {f"calibration_{kind}": each for kind, each in found.items()}
    return replace(contents, meta={**contents.meta, **meta}, small_talk=like.others)


def _fitted(
    index: Index, useful: Sequence[str], useless: Sequence[str]
) -> tuple[dict[str, Curve], QueryClassifier]:
    good, bad = ([index.rank(Query(one)) for one in kind] for kind in (useful, useless))
    ways = list(_ways(index.contents))
    questions = Messages(
        [*useful, *(text for _, text in ways)],
        np.array([max(1.0, len(ways) / len(useful))] * len(useful) + [1.0] * len(ways)),
        _vectors(index, good, ways),
    )
    small_talk = Messages(useless, np.ones(len(useless)), _vectors(index, bad, ()))
    like_on, like_off = _crossed(questions, small_talk)
    some = range(0, len(ways), max(1, len(ways) // len(useful)))
    like_on = [*like_on[: len(good)], *(like_on[len(good) + at] for at in some)]
    near_on = [_near(index, each) for each in good]
    near_on += _asked_anew(index, [ways[at] for at in some])
    near_off = [_near(index, each) for each in bad]
    curves = {
        kind: calibration.fit(_rows(kind, near_on, like_on), _rows(kind, near_off, like_off))
        for kind in (("lexical", "fused") if index.has_model else ("lexical",))
    }
    return curves, train_classifier(questions, small_talk)


def _rows(kind: str, near: Sequence[Near], like: Sequence[Features]) -> list[Features]:
    """Return all features, or those that words alone tell."""
    if kind == "fused":
        return [(*each, *its) for (_, each), its in zip(near, like, strict=True)]
    return [(*each, its[0]) for (each, _), its in zip(near, like, strict=True)]


def _crossed(on: Messages, off: Messages) -> tuple[list[Features], list[Features]]:
    """Return what each message is like, judged by what the others teach."""
    found: tuple[dict[int, Features], dict[int, Features]] = ({}, {})
    for part in range(PARTS):
        mine = [np.arange(len(each.texts)) % PARTS == part for each in (on, off)]
        like = train_classifier(on.only(~mine[0]), off.only(~mine[1]))
        for judged, messages, rows in zip(found, (on, off), mine, strict=True):
            for row in np.flatnonzero(rows).tolist():
                vector = None if messages.vectors is None else messages.vectors[row]
                judged[row] = like.features(messages.texts[row], vector)
    return tuple([judged[row] for row in range(len(judged))] for judged in found)  # type: ignore[return-value]


def _vectors(index: Index, asked: Sequence[Ranking], ways: Sequence[Way]) -> Vectors | None:
    if not index.has_model:
        return None
    of_asked = np.stack([each.vector for each in asked if each.vector is not None])
    return np.vstack(
        [of_asked, index.contents.vectors[[row for row, _ in ways if row is not None]]]
    )


def _near(index: Index, ranking: Ranking) -> Near:
    lexicon = index.contents.lexicon
    dense = ranking.dense if index.has_model else None
    return (
        features(lexicon, ranking.terms, ranking.lexical, None),
        features(lexicon, ranking.terms, ranking.lexical, dense),
    )


def _asked_anew(index: Index, ways: Sequence[Way]) -> Iterator[Near]:
    """Return how near texts are to ways to ask, each as if nobody had written it."""
    chunks = index.contents.chunks
    plain = lexical.build([chunk.model_copy(update={"ask": ()}) for chunk in chunks])
    for row, text in ways:
        terms = index.terms(text)
        found = plain.scores(terms)
        dense = _without(index, row) if index.has_model and row is not None else None
        yield features(plain, terms, found, None), features(plain, terms, found, dense)


def _without(index: Index, row: int) -> Vectors:
    cosines = index.contents.vectors @ index.contents.vectors[row]
    cosines[row] = -1
    return index.best_of_each(cosines)


def _ways(contents: Contents) -> Iterator[Way]:
    """Return each way to ask."""
    rows = {one: row for row, one in enumerate(contents.vector_ids)}
    for chunk in contents.chunks:
        for part, text in enumerate(chunk.ask, 1):
            yield rows.get(f"{chunk.id}|{part}"), text
