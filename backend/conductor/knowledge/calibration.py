"""Converts scores to a relevance between 0 and 1, with curves that are fitted to known questions and small
talk.

Raw scores cannot be compared between indexes, because they grow with the index. When an index is built, a
logistic curve is fitted to the features of questions that the index answers and of messages that need no
text. A threshold such as 0.35 therefore keeps its meaning.
"""

import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from conductor.errors import ConfigError
from conductor.knowledge.text import normalise_text

NEWTON_ITERATIONS = 60
CURVE_RIDGE_PENALTY = 0.02
DISCRIMINANT_RIDGE_PENALTY = 0.01


@dataclass(frozen=True)
class CalibrationQuestion:
    """A known message with the facts that a useful chunk contains.

    Small talk, which needs no chunk, has no facts.
    """

    text: str
    facts: tuple[str, ...] = ()

    def is_answered_by(self, text: str) -> bool:
        """Return whether a text contains all facts of the question.

        A fact such as `a|b` is contained if either side is.
        """
        plain = normalise_for_comparison(text)
        return all(
            any(normalise_for_comparison(part) in plain for part in fact.split("|"))
            for fact in self.facts
        )


def normalise_for_comparison(text: str) -> str:
    """Return a text in lower case with one space between words, so that texts can be compared."""
    return " ".join(normalise_text(text).lower().split())


def read_small_talk_messages(path: Path) -> tuple[CalibrationQuestion, ...]:
    """Return the small-talk messages in a file without duplicates, or an empty tuple if the file does not
    exist.

    Raises:
        ConfigError: The file is invalid or cannot be read.
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
    return tuple(CalibrationQuestion(line) for line in dict.fromkeys(lines))


def read_calibration_questions(path: Path) -> tuple[CalibrationQuestion, ...]:
    """Return the calibration questions in a file, or an empty tuple if the file does not exist.

    Raises:
        ConfigError: The file is invalid or cannot be read.
    """
    if not path.is_file():
        return ()
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8")).get("query", [])
        return tuple(
            CalibrationQuestion(str(row["text"]), tuple(map(str, row["facts"]))) for row in rows
        )
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise ConfigError(
            f"{path}: {error}; expected [[query]] tables with `text` and `facts`"
        ) from None


@dataclass(frozen=True)
class LogisticCurve:
    """A logistic curve: relevance = 1 / (1 + e^-(offset + weights · features))."""

    offset: float
    weights: tuple[float, ...]

    def predict_probability(self, features: Sequence[float]) -> float:
        """Return the probability that a chunk with these features is useful."""
        return float(1 / (1 + np.exp(-np.clip(self.compute_margin(features), -30, 30))))

    def compute_margin(self, features: "Sequence[float] | np.ndarray") -> float:
        """Return the signed distance of the features from the boundary between useful and useless."""
        return self.offset + float(np.dot(self.weights, features))

    def to_json(self) -> str:
        """Return the curve as JSON text, as it is stored in the index."""
        return json.dumps([round(number, 6) for number in (self.offset, *self.weights)])

    @classmethod
    def from_json(cls, text: str) -> "LogisticCurve":
        """Return the curve that `to_json` has written as JSON text."""
        offset, *weights = json.loads(text)
        return cls(float(offset), tuple(map(float, weights)))


def fit_linear_discriminant(
    useful: "np.ndarray", useless: "np.ndarray", weights: "np.ndarray | None" = None
) -> LogisticCurve:
    """Return the linear discriminant that separates useful vectors from useless ones.

    `weights` contains the weight of each useful vector. Without it, all of them have the same weight.
    """
    rows = np.vstack([useful, useless]).astype(float)
    target = np.array([1.0] * len(useful) + [-1.0] * len(useless))
    useful_weights = np.ones(len(useful)) if weights is None else weights
    row_weights = np.concatenate(
        [0.5 * useful_weights / useful_weights.sum(), np.full(len(useless), 0.5 / len(useless))]
    )
    mean = row_weights @ rows
    centred = rows - mean
    covariance = (centred * row_weights[:, None]).T @ centred + DISCRIMINANT_RIDGE_PENALTY * np.eye(
        rows.shape[1]
    )
    coefficients = np.linalg.solve(covariance, (centred * row_weights[:, None]).T @ target)
    return LogisticCurve(float(-mean @ coefficients), tuple(map(float, coefficients)))


def fit_logistic_curve(
    useful: Sequence[Sequence[float]], useless: Sequence[Sequence[float]]
) -> LogisticCurve:
    """Fit a logistic curve in which all useful examples together weigh as much as all useless ones."""
    rows = np.array([*useful, *useless], float)
    mean, deviation = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    table = np.column_stack([np.ones(len(rows)), (rows - mean) / deviation])
    target = np.array([1.0] * len(useful) + [0.0] * len(useless))
    row_weights = np.where(target == 1, 0.5 / len(useful), 0.5 / len(useless))
    coefficients = _fit_coefficients(table, target, row_weights)
    weights = coefficients[1:] / deviation
    return LogisticCurve(float(coefficients[0] - weights @ mean), tuple(map(float, weights)))


def _fit_coefficients(
    table: "np.ndarray", target: "np.ndarray", row_weights: "np.ndarray"
) -> "np.ndarray":
    """Return the coefficients of a logistic regression with ridge regularisation, computed by Newton's
    method.
    """
    coefficients = np.zeros(table.shape[1])
    penalty = np.diag([0.0, *[CURVE_RIDGE_PENALTY] * (table.shape[1] - 1)])
    for _ in range(NEWTON_ITERATIONS):
        predicted = 1 / (1 + np.exp(-np.clip(table @ coefficients, -30, 30)))
        gradient = table.T @ (row_weights * (target - predicted)) - penalty @ coefficients
        hessian = (table * (row_weights * predicted * (1 - predicted))[:, None]).T @ table + penalty
        coefficients = coefficients + np.linalg.solve(
            hessian + 1e-9 * np.eye(len(coefficients)), gradient
        )
    return coefficients
