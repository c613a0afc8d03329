"""Fits the relevance of search results when the index is built, from known questions, small talk and the
authors' questions.

The known questions use the words of the texts, unlike those of users. Therefore the questions that authors
wrote for their sections are used as well, each as if it were not in the index: without its own vector, and
by the words of the texts alone. As they are many and short, all of them together weigh as much as all known
questions when the classifier is trained. The features of a message are computed by a classifier that was
trained without it (cross-fitting).
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from conductor.knowledge import calibration, lexical
from conductor.knowledge.calibration import CalibrationQuestion, LogisticCurve
from conductor.knowledge.database import IndexContents
from conductor.knowledge.embedder import Embedder, Vectors, compute_cosine_similarities
from conductor.knowledge.query_classifier import (
    QueryClassifier,
    TrainingMessages,
    train_query_classifier,
)
from conductor.knowledge.ranking import ChunkRanking, compute_relevance_features
from conductor.knowledge.search import KnowledgeIndex, SearchQuery
from conductor.knowledge.thesaurus import Thesaurus

RelevanceFeatures = tuple[float, ...]
RelevanceFeaturePair = tuple[RelevanceFeatures, RelevanceFeatures]
"""The features of a message by words alone, and those by words and meaning."""
AuthorQuestion = tuple[int | None, str]
"""A question that an author wrote for a section, with the row of its vector or None."""
CROSS_VALIDATION_FOLDS = 5
MIN_EXAMPLES_PER_CURVE = 3


def fit_relevance_curves(
    contents: IndexContents,
    questions: Sequence[CalibrationQuestion],
    embedder: Embedder | None,
    thesaurus: Thesaurus,
) -> IndexContents:
    """Return the contents of an index with the query classifier and the fitted curves.

    There is one curve for words alone and one for words and meaning.
    """
    answerable = [item.text for item in questions if item.facts]
    small_talk = [item.text for item in questions if not item.facts]
    if min(len(answerable), len(small_talk)) < MIN_EXAMPLES_PER_CURVE:
        return contents
    curves, classifier = _fit_curves_by_kind(
        KnowledgeIndex(contents, embedder, thesaurus), answerable, small_talk
    )
    fitted = {kind: curve.to_json() for kind, curve in curves.items()}
    fitted |= {"wording": json.dumps(classifier.term_log_odds)}
    if classifier.direction is not None:
        fitted["direction"] = classifier.direction.to_json()
    meta = {f"calibration_{kind}": item for kind, item in fitted.items()}
    return replace(
        contents, meta={**contents.meta, **meta}, small_talk=classifier.small_talk_vectors
    )


def _fit_curves_by_kind(
    index: KnowledgeIndex, answerable: Sequence[str], small_talk_texts: Sequence[str]
) -> tuple[dict[str, LogisticCurve], QueryClassifier]:
    answerable_rankings, small_talk_rankings = (
        [index.rank_chunks(SearchQuery(text)) for text in kind]
        for kind in (answerable, small_talk_texts)
    )
    author_questions = list(_list_author_questions(index.contents))
    prepared = [index.prepare_text(text) for text in answerable]
    questions = TrainingMessages(
        [*prepared, *(text for _, text in author_questions)],
        np.array(
            [max(1.0, len(author_questions) / len(answerable))] * len(answerable)
            + [1.0] * len(author_questions)
        ),
        _stack_vectors(index, answerable_rankings, author_questions),
    )
    small_talk = TrainingMessages(
        [index.prepare_text(text) for text in small_talk_texts],
        np.ones(len(small_talk_texts)),
        _stack_vectors(index, small_talk_rankings, ()),
    )
    classified_questions, classified_small_talk = _cross_validate_classifier(questions, small_talk)
    sample = range(0, len(author_questions), max(1, len(author_questions) // len(answerable)))
    classified_questions = [
        *classified_questions[: len(answerable_rankings)],
        *(classified_questions[len(answerable_rankings) + row] for row in sample),
    ]
    question_features = [_compute_ranking_features(index, each) for each in answerable_rankings]
    question_features += _compute_author_features(index, [author_questions[row] for row in sample])
    small_talk_features = [_compute_ranking_features(index, each) for each in small_talk_rankings]
    curves = {
        kind: calibration.fit_logistic_curve(
            _select_curve_features(kind, question_features, classified_questions),
            _select_curve_features(kind, small_talk_features, classified_small_talk),
        )
        for kind in (("lexical", "fused") if index.has_embedding_model else ("lexical",))
    }
    return curves, train_query_classifier(questions, small_talk)


def _select_curve_features(
    kind: str, pairs: Sequence[RelevanceFeaturePair], classified: Sequence[RelevanceFeatures]
) -> list[RelevanceFeatures]:
    """Return the features of each message that a kind of curve uses."""
    if kind == "fused":
        return [(*ranked, *own) for (_, ranked), own in zip(pairs, classified, strict=True)]
    return [(*ranked, own[0]) for (ranked, _), own in zip(pairs, classified, strict=True)]


def _cross_validate_classifier(
    questions: TrainingMessages, small_talk: TrainingMessages
) -> tuple[list[RelevanceFeatures], list[RelevanceFeatures]]:
    """Return the features of each message, computed by a classifier that was trained without that message."""
    found: tuple[dict[int, RelevanceFeatures], dict[int, RelevanceFeatures]] = ({}, {})
    for fold in range(CROSS_VALIDATION_FOLDS):
        held_out = [
            np.arange(len(group.texts)) % CROSS_VALIDATION_FOLDS == fold
            for group in (questions, small_talk)
        ]
        classifier = train_query_classifier(
            questions.select_rows(~held_out[0]), small_talk.select_rows(~held_out[1])
        )
        for features_by_row, messages, rows in zip(
            found, (questions, small_talk), held_out, strict=True
        ):
            for row in np.flatnonzero(rows).tolist():
                vector = None if messages.vectors is None else messages.vectors[row]
                features_by_row[row] = classifier.compute_features(messages.texts[row], vector)
    return tuple(
        [features_by_row[row] for row in range(len(features_by_row))] for features_by_row in found
    )  # type: ignore[return-value]


def _stack_vectors(
    index: KnowledgeIndex,
    rankings: Sequence[ChunkRanking],
    author_questions: Sequence[AuthorQuestion],
) -> Vectors | None:
    if not index.has_embedding_model:
        return None
    of_rankings = np.stack([each.vector for each in rankings if each.vector is not None])
    return np.vstack(
        [
            of_rankings,
            index.contents.vectors[[row for row, _ in author_questions if row is not None]],
        ]
    )


def _compute_ranking_features(index: KnowledgeIndex, ranking: ChunkRanking) -> RelevanceFeaturePair:
    lexicon = index.contents.lexicon
    dense = ranking.dense if index.has_embedding_model else None
    return (
        compute_relevance_features(lexicon, ranking.terms, ranking.lexical, None),
        compute_relevance_features(lexicon, ranking.terms, ranking.lexical, dense),
    )


def _compute_author_features(
    index: KnowledgeIndex, author_questions: Sequence[AuthorQuestion]
) -> Iterator[RelevanceFeaturePair]:
    """Yield the features of each question of an author, computed as if the question were not in the index."""
    chunks = index.contents.chunks
    lexicon = lexical.build_lexicon([chunk.model_copy(update={"ask": ()}) for chunk in chunks])
    for row, text in author_questions:
        terms = index.weigh_search_terms(text)
        scores = lexicon.score_chunks(terms)
        dense = (
            _compute_cosines_without_question(index, row)
            if index.has_embedding_model and row is not None
            else None
        )
        yield (
            compute_relevance_features(lexicon, terms, scores, None),
            compute_relevance_features(lexicon, terms, scores, dense),
        )


def _compute_cosines_without_question(index: KnowledgeIndex, row: int) -> Vectors:
    cosines = compute_cosine_similarities(index.contents.vectors, index.contents.vectors[row])
    cosines[row] = -1
    return index.get_best_cosine_per_chunk(cosines)


def _list_author_questions(contents: IndexContents) -> Iterator[AuthorQuestion]:
    """Yield the questions that authors wrote for their sections."""
    rows = {vector_id: row for row, vector_id in enumerate(contents.vector_ids)}
    for chunk in contents.chunks:
        for part, text in enumerate(chunk.ask, 1):
            yield rows.get(f"{chunk.id}|{part}"), text
