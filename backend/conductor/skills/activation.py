"""Chooses the skills that a message needs, without a model and in well under a millisecond.

Bundled skills are recognised by keywords (`keywords.py`), other skills by the words in their names and
descriptions.
"""

import re
import unicodedata
from collections.abc import Mapping
from typing import NamedTuple

from conductor.skills.keywords import KEYWORDS_BY_SKILL

MIN_ACTIVATION_SCORE = 2.0
MAX_ACTIVATED_SKILLS = 2
MIN_SHARE_OF_BEST_SCORE = 0.6
"""A second skill is chosen only if its score is at least this share of the best score."""
MAX_MESSAGE_CHARACTERS = 2_000
MENTIONED_NAME_SCORE = 10.0
NAME_WORD_SCORE, DESCRIPTION_WORD_SCORE, MIN_SHARED_WORDS = 1.0, 0.7, 2
STOP_WORDS = frozenset(
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


class SkillMatch(NamedTuple):
    """A skill that matches a message, with its score."""

    score: float
    name: str


def choose_skills(message: str, skills: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of at most two skills that match a message, best first.

    `skills` contains the description of each skill, by its name.
    """
    text = _normalize_message(message)
    matches = [SkillMatch(_score_skill(text, name, words), name) for name, words in skills.items()]
    ranked = sorted(
        (match for match in matches if match.score >= MIN_ACTIVATION_SCORE),
        key=lambda match: (-match.score, match.name),
    )
    return tuple(
        match.name
        for match in ranked[:MAX_ACTIVATED_SKILLS]
        if match.score >= ranked[0].score * MIN_SHARE_OF_BEST_SCORE
    )


def _score_skill(text: str, name: str, description: str) -> float:
    if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text):
        return MENTIONED_NAME_SCORE
    if name in KEYWORDS_BY_SKILL:
        return sum(row.weight for row in KEYWORDS_BY_SKILL[name] if row.pattern.search(text))
    return _score_shared_words(text, name, description)


def _score_shared_words(text: str, name: str, description: str) -> float:
    words, name_words = _extract_stemmed_words(text), _extract_stemmed_words(name.replace("-", " "))
    shared = words & (name_words | _extract_stemmed_words(_normalize_message(description)))
    if len(shared) < MIN_SHARED_WORDS:
        return 0.0
    return sum(NAME_WORD_SCORE if word in name_words else DESCRIPTION_WORD_SCORE for word in shared)


def _extract_stemmed_words(text: str) -> set[str]:
    return {_stem_word(word) for word in re.findall(r"[^\W_]{2,}", text) if word not in STOP_WORDS}


def _stem_word(word: str) -> str:
    for ending in ("ing", "ies", "es", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def _normalize_message(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text[:MAX_MESSAGE_CHARACTERS]).casefold()
    return " ".join(plain.replace("\u2019", "'").split())
