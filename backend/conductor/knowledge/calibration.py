"""Converts scores to a relevance between 0 and 1, with curves fitted to known questions and small talk.

A raw score means nothing by itself and grows with the index. When the index is built, a logistic curve is
fitted to the features of questions that the index answers and of messages that need no text, so that a
threshold such as 0.35 keeps its meaning.
"""

import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from conductor.errors import ConfigError
from conductor.knowledge.text import normalise

STEPS = 60
STIFFNESS = 0.02
RIDGE = 0.01


@dataclass(frozen=True)
class Question:
    """A message and the facts that an answering chunk contains. A message that needs no text has no facts."""

    text: str
    facts: tuple[str, ...] = ()

    def is_answered_by(self, text: str) -> bool:
        """Return whether a text contains all facts of the question. A fact such as `a|b` is present if either
        part is.
        """
        plain = flat(text)
        return all(any(flat(part) in plain for part in fact.split("|")) for fact in self.facts)


def flat(text: str) -> str:
    """Return a text in the form used for comparison: lower case, with one space between words."""
    return " ".join(normalise(text).lower().split())


def messages(path: Path) -> tuple[Question, ...]:
    """Read the small-talk messages of a file, without duplicates. Return none if the file does not exist.

    Raises:
        ConfigError: the file cannot be read.
    """
    if not path.is_file():
        return ()
    try:
        kinds = tomllib.loads(path.read_text(encoding="utf-8"))["messages"].values()
        lines = [line for kind in kinds for line in kind.strip().splitlines()]
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, AttributeError) as error:
        raise ConfigError(
            f"{path}: {error}; expected a table [messages] of texts, one message per line"
        ) from None
    return tuple(Question(line) for line in dict.fromkeys(lines))


def read(path: Path) -> tuple[Question, ...]:
    """Read the questions of a file. Return none if the file does not exist.

    Raises:
        ConfigError: the file cannot be read.
    """
    if not path.is_file():
        return ()
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8")).get("query", [])
        return tuple(Question(str(row["text"]), tuple(map(str, row["facts"]))) for row in rows)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise ConfigError(
            f"{path}: {error}; expected [[query]] tables with `text` and `facts`"
        ) from None


@dataclass(frozen=True)
class Curve:
    """A logistic curve: relevance = 1 / (1 + e^-(offset + weights · features))."""

    offset: float
    weights: tuple[float, ...]

    def relevance(self, features: Sequence[float]) -> float:
        """Return the probability that a chunk with these features is useful."""
        return float(1 / (1 + np.exp(-np.clip(self.total(features), -30, 30))))

    def total(self, features: "Sequence[float] | np.ndarray") -> float:
        """Return the signed distance from the decision boundary."""
        return self.offset + float(np.dot(self.weights, features))

    def to_json(self) -> str:
        """Serialize the curve as JSON text."""
        return json.dumps([round(number, 6) for number in (self.offset, *self.weights)])

    @classmethod
    def from_json(cls, text: str) -> "Curve":
        """Parse a curve from JSON text."""
        offset, *weights = json.loads(text)
        return cls(float(offset), tuple(map(float, weights)))


def direction(
    useful: "np.ndarray", useless: "np.ndarray", weights: "np.ndarray | None" = None
) -> Curve:
    """Return the linear discriminant that separates useful vectors from useless ones, given the weight of each
    vector.
    """
    rows = np.vstack([useful, useless]).astype(float)
    target = np.array([1.0] * len(useful) + [-1.0] * len(useless))
    counts = np.ones(len(useful)) if weights is None else weights
    share = np.concatenate([0.5 * counts / counts.sum(), np.full(len(useless), 0.5 / len(useless))])
    middle = share @ rows
    away = rows - middle
    spread = (away * share[:, None]).T @ away + RIDGE * np.eye(rows.shape[1])
    found = np.linalg.solve(spread, (away * share[:, None]).T @ target)
    return Curve(float(-middle @ found), tuple(map(float, found)))


def fit(useful: Sequence[Sequence[float]], useless: Sequence[Sequence[float]]) -> Curve:
    """Fit a logistic curve in which the useful and the useless examples have the same total weight."""
    rows = np.array([*useful, *useless], float)
    middle, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    table = np.column_stack([np.ones(len(rows)), (rows - middle) / spread])
    target = np.array([1.0] * len(useful) + [0.0] * len(useless))
    share = np.where(target == 1, 0.5 / len(useful), 0.5 / len(useless))
    found = _newton(table, target, share)
    weights = found[1:] / spread
    return Curve(float(found[0] - weights @ middle), tuple(map(float, weights)))


def _newton(table: "np.ndarray", target: "np.ndarray", share: "np.ndarray") -> "np.ndarray":
    """Return the coefficients of a ridge-regularised logistic regression, computed by Newton's method."""
    found = np.zeros(table.shape[1])
    hold = np.diag([0.0, *[STIFFNESS] * (table.shape[1] - 1)])
    for _ in range(STEPS):
        guess = 1 / (1 + np.exp(-np.clip(table @ found, -30, 30)))
        slope = table.T @ (share * (target - guess)) - hold @ found
        bend = (table * (share * guess * (1 - guess))[:, None]).T @ table + hold
        found = found + np.linalg.solve(bend + 1e-9 * np.eye(len(found)), slope)
    return found
