"""Distinguishes questions that the knowledge base may answer from small talk.

Similarity alone does not separate a question in everyday words from small talk about the same subject
("best guitar pedal"). The classifier uses three features: where the vector of the message lies between
small talk and questions, how similar it is to known small talk, and how often its words occur in each.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import log

import numpy as np

from conductor.knowledge import calibration
from conductor.knowledge.calibration import LogisticCurve
from conductor.knowledge.embedder import (
    VECTOR_DIMENSION_COUNT,
    Vectors,
    compute_cosine_similarities,
)
from conductor.knowledge.text import split_words, stem_word

NEAREST_NEIGHBOR_COUNT = 3
"""The mean similarity to this many most similar small-talk messages is a feature."""
MIN_MESSAGE_WEIGHT_PER_TERM = 3
"""A word counts only if at least this many messages contain it."""


@dataclass(frozen=True)
class TrainingMessages:
    """Known messages with their weights and vectors. `vectors` is None if only words are searched."""

    texts: Sequence[str]
    weights: "np.ndarray"
    vectors: Vectors | None = None

    def select_rows(self, rows: "np.ndarray") -> "TrainingMessages":
        """Return the messages for which a boolean mask is true."""
        vectors = None if self.vectors is None else self.vectors[rows]
        return TrainingMessages(
            [self.texts[row] for row in np.flatnonzero(rows).tolist()], self.weights[rows], vectors
        )


@dataclass(frozen=True)
class QueryClassifier:
    """A trained classifier, whose features help to tell questions from small talk."""

    term_log_odds: Mapping[str, float]
    """The log odds that a message with a word is a question, by word."""
    direction: LogisticCurve | None = None
    small_talk_vectors: Vectors = field(
        default_factory=lambda: np.zeros((0, VECTOR_DIMENSION_COUNT), np.float32)
    )
    """The vectors of the known small-talk messages."""

    def compute_features(self, text: str, vector: Vectors | None) -> tuple[float, ...]:
        """Return the features of a message for the fitted relevance.

        Without a vector, only the feature of its words is returned.
        """
        odds = [
            self.term_log_odds[term]
            for term in extract_classifier_terms(text)
            if term in self.term_log_odds
        ]
        term_score = sum(odds) / (len(odds) + 1)
        if vector is None or self.direction is None:
            return (term_score,)
        similarities = np.sort(compute_cosine_similarities(self.small_talk_vectors, vector))[
            -NEAREST_NEIGHBOR_COUNT:
        ]
        return (term_score, self.direction.compute_margin(vector), float(similarities.mean()))


def train_query_classifier(
    questions: TrainingMessages, small_talk: TrainingMessages
) -> QueryClassifier:
    """Train a classifier with known questions and small talk."""
    term_log_odds = _compute_term_log_odds(questions, small_talk)
    if questions.vectors is None or small_talk.vectors is None:
        return QueryClassifier(term_log_odds)
    direction = calibration.fit_linear_discriminant(
        questions.vectors, small_talk.vectors, questions.weights
    )
    return QueryClassifier(term_log_odds, direction, small_talk.vectors)


def extract_classifier_terms(text: str) -> set[str]:
    """Return the terms of a message for the classifier.

    These are its stemmed words, the pairs of adjacent words, and the first word with the prefix `^`.
    """
    stems = [stem_word(word) for word in split_words(text)]
    pairs = (f"{first} {second}" for first, second in pairwise(stems))
    return {*stems, *pairs, *(f"^{word}" for word in stems[:1])}


def _compute_term_log_odds(
    questions: TrainingMessages, small_talk: TrainingMessages
) -> dict[str, float]:
    in_questions, in_small_talk = _sum_term_weights(questions), _sum_term_weights(small_talk)
    balance = (small_talk.weights.sum() + 1) / (questions.weights.sum() + 1)
    return {
        term: round(log((in_questions[term] + 0.5) / (in_small_talk[term] + 0.5) * balance), 3)
        for term in sorted({*in_questions, *in_small_talk})
        if in_questions[term] + in_small_talk[term] >= MIN_MESSAGE_WEIGHT_PER_TERM
    }


def _sum_term_weights(messages: TrainingMessages) -> dict[str, float]:
    counts: dict[str, float] = defaultdict(float)
    for text, weight in zip(messages.texts, messages.weights.tolist(), strict=True):
        for term in extract_classifier_terms(text):
            counts[term] += weight
    return counts
