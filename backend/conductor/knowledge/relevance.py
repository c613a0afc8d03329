"""Fits the relevance of search results when the index is built, from known questions, small talk and authors'
questions.

The known questions are worded like the texts. Therefore the questions that authors wrote for their sections are
used too, each as if it were not in the index: without its own vector, and by the words of the texts alone. They
are many and short, so all of them together weigh as much as all known questions when the classifier is trained.
The features of a message are computed by a classifier that was trained without it (cross-fitting).
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from conductor.knowledge import calibration, lexical
from conductor.knowledge.calibration import Curve, Question
from conductor.knowledge.database import Contents
from conductor.knowledge.embedder import Embedder, Vectors, cosines_of
from conductor.knowledge.query_classifier import Messages, QueryClassifier, train_classifier
from conductor.knowledge.search import Index, Query, Ranking, features
from conductor.knowledge.thesaurus import Thesaurus

Features = tuple[float, ...]
Near = tuple[Features, Features]
"""The features of a message by words alone, and by words and meaning."""
Way = tuple[int | None, str]
"""A question that an author wrote, with the row of its vector if it has one."""
PARTS = 5
FEWEST = 3


def fit_relevance(
    contents: Contents,
    questions: Sequence[Question],
    embedder: Embedder | None,
    thesaurus: Thesaurus,
) -> Contents:
    """Add the query classifier and the fitted curves, for words alone and with meaning, to the contents of an
    index.
    """
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
    good, bad = ([index.rank(Query(text)) for text in kind] for kind in (useful, useless))
    ways = list(_ways(index.contents))
    questions = Messages(
        [*useful, *(text for _, text in ways)],
        np.array([max(1.0, len(ways) / len(useful))] * len(useful) + [1.0] * len(ways)),
        _vectors(index, good, ways),
    )
    small_talk = Messages(useless, np.ones(len(useless)), _vectors(index, bad, ()))
    like_on, like_off = _cross_validate(questions, small_talk)
    some = range(0, len(ways), max(1, len(ways) // len(useful)))
    like_on = [*like_on[: len(good)], *(like_on[len(good) + at] for at in some)]
    near_on = [_read_features(index, each) for each in good]
    near_on += _features_of_ways(index, [ways[at] for at in some])
    near_off = [_read_features(index, each) for each in bad]
    curves = {
        kind: calibration.fit(_rows(kind, near_on, like_on), _rows(kind, near_off, like_off))
        for kind in (("lexical", "fused") if index.has_model else ("lexical",))
    }
    return curves, train_classifier(questions, small_talk)


def _rows(kind: str, near: Sequence[Near], like: Sequence[Features]) -> list[Features]:
    """Return the feature vectors for a kind of curve."""
    if kind == "fused":
        return [(*each, *its) for (_, each), its in zip(near, like, strict=True)]
    return [(*each, its[0]) for (each, _), its in zip(near, like, strict=True)]


def _cross_validate(on: Messages, off: Messages) -> tuple[list[Features], list[Features]]:
    """Return the features of each message, computed by a classifier that was trained without that message."""
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


def _read_features(index: Index, ranking: Ranking) -> Near:
    lexicon = index.contents.lexicon
    dense = ranking.dense if index.has_model else None
    return (
        features(lexicon, ranking.terms, ranking.lexical, None),
        features(lexicon, ranking.terms, ranking.lexical, dense),
    )


def _features_of_ways(index: Index, ways: Sequence[Way]) -> Iterator[Near]:
    """Yield the features of each author's question, computed as if the question were not in the index."""
    chunks = index.contents.chunks
    plain = lexical.build([chunk.model_copy(update={"ask": ()}) for chunk in chunks])
    for row, text in ways:
        terms = index.terms(text)
        found = plain.scores(terms)
        dense = _cosines_without(index, row) if index.has_model and row is not None else None
        yield features(plain, terms, found, None), features(plain, terms, found, dense)


def _cosines_without(index: Index, row: int) -> Vectors:
    cosines = cosines_of(index.contents.vectors, index.contents.vectors[row])
    cosines[row] = -1
    return index.best_of_each(cosines)


def _ways(contents: Contents) -> Iterator[Way]:
    """Yield the questions that authors wrote for their sections."""
    rows = {vector_id: row for row, vector_id in enumerate(contents.vector_ids)}
    for chunk in contents.chunks:
        for part, text in enumerate(chunk.ask, 1):
            yield rows.get(f"{chunk.id}|{part}"), text
