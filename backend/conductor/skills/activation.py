"""Chooses the skills that a message needs, without a model and in well under a millisecond.

Bundled skills are recognised by keywords (`keywords.py`), other skills by the words in their names and
descriptions.
"""

import re
import unicodedata
from collections.abc import Mapping
from typing import NamedTuple

from conductor.skills.keywords import KEYWORDS

ENOUGH = 2.0
AT_MOST = 2
SECOND_OF_FIRST = 0.6
"""A second skill is chosen only if its score is at least this share of the best score."""
LOOKED_AT = 2_000
NAMED = 10.0
WORD_OF_NAME, WORD_OF_DESCRIPTION, WORDS_NEEDED = 1.0, 0.7, 2
STOP = frozenset(
    [
        "a",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "by",
        "can",
        "create",
        "do",
        "does",
        "for",
        "from",
        "get",
        "has",
        "have",
        "help",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "make",
        "manage",
        "me",
        "my",
        "need",
        "not",
        "of",
        "on",
        "or",
        "set",
        "so",
        "some",
        "task",
        "tasks",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "to",
        "up",
        "use",
        "used",
        "user",
        "users",
        "using",
        "want",
        "wants",
        "was",
        "what",
        "when",
        "whenever",
        "where",
        "which",
        "will",
        "with",
        "work",
        "you",
        "your",
        "skill",
        "skills",
        "conductor",
        "midi",
    ]
)


class Fit(NamedTuple):
    """How well a skill, given by name, matches a message."""

    score: float
    name: str


def choose(message: str, skills: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of at most two skills that match a message, best first.

    `skills` maps names to descriptions.
    """
    text = _normalize(message)
    fits = [Fit(_score(text, name, words), name) for name, words in skills.items()]
    ranked = sorted(
        (fit for fit in fits if fit.score >= ENOUGH), key=lambda fit: (-fit.score, fit.name)
    )
    return tuple(
        fit.name for fit in ranked[:AT_MOST] if fit.score >= ranked[0].score * SECOND_OF_FIRST
    )


def _score(text: str, name: str, description: str) -> float:
    if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text):
        return NAMED
    if name in KEYWORDS:
        return sum(row.weight for row in KEYWORDS[name] if row.pattern.search(text))
    return _similarity(text, name, description)


def _similarity(text: str, name: str, description: str) -> float:
    words, name_words = _words(text), _words(name.replace("-", " "))
    shared = words & (name_words | _words(_normalize(description)))
    if len(shared) < WORDS_NEEDED:
        return 0.0
    return sum(WORD_OF_NAME if word in name_words else WORD_OF_DESCRIPTION for word in shared)


def _words(text: str) -> set[str]:
    return {_stem(word) for word in re.findall(r"[^\W_]{2,}", text) if word not in STOP}


def _stem(word: str) -> str:
    for ending in ("ing", "ies", "es", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def _normalize(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text[:LOOKED_AT]).casefold()
    return " ".join(plain.replace("\u2019", "'").split())
