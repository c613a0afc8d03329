"""Splits a message that asks for several things, because a single vector cannot be near the texts of all of
them.
"""

import re

from conductor.knowledge.text import STOP_WORDS, split_words

MAX_WISHES = 4
MIN_CONTENT_WORDS = 2
"""The smallest number of words that are no stop words in a wish."""
MIN_CONTENT_WORDS_AT_CONJUNCTION = 3
"""The smallest number at a conjunction without a comma, which mostly joins two words."""
MIN_WORDS = 6
"""Shorter messages are not split."""
_SENTENCE_END = re.compile(
    r"(?<=[a-z0-9)\"'\u3002])[.!?;\u3002\uff1f\uff01]+(?:\s+|$)|\n+", re.IGNORECASE
)
_MARKS = (",", ":", "\u3001")
_JOINT = re.compile(
    r"\s*[,:\u3001]\s+(?:and|plus|also|but|or|then)?\s*(?:also\s+|then\s+)?"
    r"|\s+(?:and|plus|also|as well as|and also|and then)\s+",
    re.IGNORECASE,
)


def split_wishes(text: str) -> list[str]:
    """Return the wishes of an English message, or a single one if it cannot be split.

    Parts without enough words of their own belong to the part before, as in "pads and knobs".
    """
    if len(text.split()) < MIN_WORDS:
        return [text]
    wishes: list[str] = []
    for sentence in _SENTENCE_END.split(text):
        wishes += _split_sentence(sentence)
    wishes = [wish for wish in wishes if _count_content_words(wish) >= MIN_CONTENT_WORDS]
    return wishes[:MAX_WISHES] if len(wishes) > 1 else [text]


def _split_sentence(sentence: str) -> list[str]:
    """Return the parts of a sentence at commas and conjunctions, each with enough words of its own."""
    parts: list[str] = []
    start = 0
    for joint in _JOINT.finditer(sentence):
        before, after = sentence[start : joint.start()], sentence[joint.end() :]
        has_mark = joint[0].strip()[:1] in _MARKS
        needed = MIN_CONTENT_WORDS if has_mark else MIN_CONTENT_WORDS_AT_CONJUNCTION
        if min(map(_count_content_words, (before, after))) >= needed:
            parts.append(before)
            start = joint.end()
    return [*parts, sentence[start:]]


def _count_content_words(text: str) -> int:
    return sum(word not in STOP_WORDS for word in split_words(text))
