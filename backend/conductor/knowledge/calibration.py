"""How sure a search is: scores become a relevance between 0 and 1 by known questions and small talk.

A raw score means nothing by itself and grows with the index. When the index is built, a logistic curve is
fitted to the best score of questions that it answers, and of messages that need nothing; so 0.35 keeps its
meaning.
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
    """A message, and what an answering chunk says; nothing for a message that needs nothing."""

    text: str
    facts: tuple[str, ...] = ()

    def is_answered_by(self, text: str) -> bool:
        """Return whether a text holds all facts; `a|b` means either."""
        plain = flat(text)
        return all(any(flat(one) in plain for one in fact.split("|")) for fact in self.facts)


def flat(text: str) -> str:
    """Return text for comparing: small letters, one space between words."""
    return " ".join(normalise(text).lower().split())


def messages(path: Path) -> tuple[Question, ...]:
    """Return the messages that need nothing of a file, each once; none when there is no file.

    Raises:
        ConfigError: the file cannot be used.
    """
    if not path.is_file():
        return ()
    try:
        kinds = tomllib.loads(path.read_text(encoding="utf-8"))["messages"].values()
        lines = [line for kind in kinds for line in kind.strip().splitlines()]
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, AttributeError) as error:
        raise ConfigError(
            f"{path}: {error}; it has a table [messages] of texts, one message a line"
        ) from None
    return tuple(Question(line) for line in dict.fromkeys(lines))


def read(path: Path) -> tuple[Question, ...]:
    """Return the questions of a file; none when there is no file.

    Raises:
        ConfigError: the file cannot be used.
    """
    if not path.is_file():
        return ()
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8")).get("query", [])
        return tuple(Question(str(row["text"]), tuple(map(str, row["facts"]))) for row in rows)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise ConfigError(
            f"{path}: {error}; it has [[query]] tables with `text` and `facts`"
        ) from None


@dataclass(frozen=True)
class Curve:
    """Relevance = 1 / (1 + e^-(offset + weights · features))."""

    offset: float
    weights: tuple[float, ...]

    def relevance(self, features: Sequence[float]) -> float:
        """Return how sure it is that something with these scores is of use."""
        return float(1 / (1 + np.exp(-np.clip(self.total(features), -30, 30))))

    def total(self, features: "Sequence[float] | np.ndarray") -> float:
        """Return how far on the one side or the other they are; 0 is between both."""
        return self.offset + float(np.dot(self.weights, features))

    def to_json(self) -> str:
        """Return it as text."""
        return json.dumps([round(number, 6) for number in (self.offset, *self.weights)])

    @classmethod
    def from_json(cls, text: str) -> "Curve":
        """Read it from text."""
        offset, *weights = json.loads(text)
        return cls(float(offset), tuple(map(float, weights)))


def direction(
    useful: "np.ndarray", useless: "np.ndarray", weights: "np.ndarray | None" = None
) -> Curve:
    """Return where useful vectors, weighed, lie as seen from useless ones, by a linear discriminant."""
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
    """Fit the curve, both kinds counting the same."""
    rows = np.array([*useful, *useless], float)
    middle, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    table = np.column_stack([np.ones(len(rows)), (rows - middle) / spread])
    target = np.array([1.0] * len(useful) + [0.0] * len(useless))
    share = np.where(target == 1, 0.5 / len(useful), 0.5 / len(useless))
    found = _newton(table, target, share)
    weights = found[1:] / spread
    return Curve(float(found[0] - weights @ middle), tuple(map(float, weights)))


def _newton(table: "np.ndarray", target: "np.ndarray", share: "np.ndarray") -> "np.ndarray":
    found = np.zeros(table.shape[1])
    hold = np.diag([0.0, *[STIFFNESS] * (table.shape[1] - 1)])
    for _ in range(STEPS):
        guess = 1 / (1 + np.exp(-np.clip(table @ found, -30, 30)))
        slope = table.T @ (share * (target - guess)) - hold @ found
        bend = (table * (share * guess * (1 - guess))[:, None]).T @ table + hold
        found = found + np.linalg.solve(bend + 1e-9 * np.eye(len(found)), slope)
    return found
