"""What a message is like, whatever it is near to: a question for these texts, or talk about other things.

Nearness alone does not tell a question in everyday words from small talk about the same things ("best guitar
pedal"). What does: a direction in which the vectors of questions lie as seen from those of small talk, how near
the message is to known small talk, and how its words are spread over both.
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
"""To so many messages of small talk the nearness is measured."""
FEWEST = 3
"""A word says something when so many messages have it."""


@dataclass(frozen=True)
class Messages:
    """Texts, how much each counts, and their vectors; none in a search by words alone."""

    texts: Sequence[str]
    weights: "np.ndarray"
    vectors: Vectors | None = None

    def only(self, rows: "np.ndarray") -> "Messages":
        """Return some of them."""
        vectors = None if self.vectors is None else self.vectors[rows]
        return Messages(
            [self.texts[row] for row in np.flatnonzero(rows).tolist()], self.weights[rows], vectors
        )


@dataclass(frozen=True)
class QueryClassifier:
    """What is known of questions and of small talk."""

    wording: Mapping[str, float]
    """How much each word speaks for a question."""
    towards: Curve | None = None
    others: Vectors = field(default_factory=lambda: np.zeros((0, SIZE), np.float32))
    """The vectors of small talk."""

    def features(self, text: str, vector: Vectors | None) -> tuple[float, ...]:
        """Return what tells a question from small talk; its words alone when there is no vector."""
        said = [self.wording[one] for one in marks(text) if one in self.wording]
        worded = sum(said) / (len(said) + 1)
        if vector is None or self.towards is None:
            return (worded,)
        near = np.sort(cosines_of(self.others, vector))[-NEAREST:]
        return (worded, self.towards.total(vector), float(near.mean()))


def train_classifier(questions: Messages, small_talk: Messages) -> QueryClassifier:
    """Learn from known messages."""
    wording = _wording(questions, small_talk)
    if questions.vectors is None or small_talk.vectors is None:
        return QueryClassifier(wording)
    towards = calibration.direction(questions.vectors, small_talk.vectors, questions.weights)
    return QueryClassifier(wording, towards, small_talk.vectors)


def marks(text: str) -> set[str]:
    """Return the words of a message, the pairs of them, and which is first."""
    said = [stem(word) for word in plain_words(text)]
    pairs = (f"{one} {after}" for one, after in pairwise(said))
    return {*said, *pairs, *(f"^{word}" for word in said[:1])}


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
