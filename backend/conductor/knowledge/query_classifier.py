"""Distinguishes questions that the knowledge base may answer from small talk.

Similarity alone does not separate a question in everyday words from small talk about the same things ("best
guitar pedal"). These features do: the position along the direction from small talk to questions, the similarity
to known small talk, and how often the words occur in each.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import log

import numpy as np

from conductor.knowledge import calibration
from conductor.knowledge.calibration import Curve
from conductor.knowledge.embedder import SIZE, Vectors, cosines_of
from conductor.knowledge.text import plain_words, stem

NEAREST = 3
"""The number of most similar small-talk messages whose mean similarity is a feature."""
FEWEST = 3
"""The smallest number of messages that must contain a word before the word counts."""


@dataclass(frozen=True)
class Messages:
    """Known messages with their weights and vectors. There are no vectors if only words are searched."""

    texts: Sequence[str]
    weights: "np.ndarray"
    vectors: Vectors | None = None

    def only(self, rows: "np.ndarray") -> "Messages":
        """Return only the messages that a boolean mask selects."""
        vectors = None if self.vectors is None else self.vectors[rows]
        return Messages(
            [self.texts[row] for row in np.flatnonzero(rows).tolist()], self.weights[rows], vectors
        )


@dataclass(frozen=True)
class QueryClassifier:
    """A classifier trained on questions and small talk."""

    wording: Mapping[str, float]
    """For each word, the log odds that a message with this word is a question."""
    towards: Curve | None = None
    others: Vectors = field(default_factory=lambda: np.zeros((0, SIZE), np.float32))
    """The vectors of the known small-talk messages."""

    def features(self, text: str, vector: Vectors | None) -> tuple[float, ...]:
        """Return the features of a message. Without a vector, only the feature of its words is returned."""
        odds = [self.wording[mark] for mark in marks(text) if mark in self.wording]
        worded = sum(odds) / (len(odds) + 1)
        if vector is None or self.towards is None:
            return (worded,)
        near = np.sort(cosines_of(self.others, vector))[-NEAREST:]
        return (worded, self.towards.total(vector), float(near.mean()))


def train_classifier(questions: Messages, small_talk: Messages) -> QueryClassifier:
    """Train a classifier on known questions and small talk."""
    wording = _wording(questions, small_talk)
    if questions.vectors is None or small_talk.vectors is None:
        return QueryClassifier(wording)
    towards = calibration.direction(questions.vectors, small_talk.vectors, questions.weights)
    return QueryClassifier(wording, towards, small_talk.vectors)


def marks(text: str) -> set[str]:
    """Return the stemmed words of a message, the pairs of adjacent words, and its first word marked as the
    first.
    """
    stems = [stem(word) for word in plain_words(text)]
    pairs = (f"{first} {second}" for first, second in pairwise(stems))
    return {*stems, *pairs, *(f"^{word}" for word in stems[:1])}


def _wording(questions: Messages, small_talk: Messages) -> dict[str, float]:
    on, off = _counted(questions), _counted(small_talk)
    both = (small_talk.weights.sum() + 1) / (questions.weights.sum() + 1)
    return {
        mark: round(log((on[mark] + 0.5) / (off[mark] + 0.5) * both), 3)
        for mark in sorted({*on, *off})
        if on[mark] + off[mark] >= FEWEST
    }


def _counted(messages: Messages) -> dict[str, float]:
    found: dict[str, float] = defaultdict(float)
    for text, weight in zip(messages.texts, messages.weights.tolist(), strict=True):
        for mark in marks(text):
            found[mark] += weight
    return found
