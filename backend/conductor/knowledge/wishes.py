"""Splits a message that asks for several things, because a single vector cannot be near the texts about
all of them.
"""

import re

from conductor.knowledge.text import STOP_WORDS, split_words

MAX_WISHES = 4
MIN_CONTENT_WORDS = 2
"""A part of a message is a wish if it has at least this many words that are not stop words."""
MIN_CONTENT_WORDS_AT_CONJUNCTION = 3
"""The smallest number of such words in a part after a conjunction without a comma, which mostly joins only
two words.
"""
MIN_WORDS = 6
"""A message with fewer words is not split."""
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
    """Return the parts of an English message that ask for different things, or the whole message if there
    is only one.

    A part with too few words belongs to the part before it, as in "pads and knobs".
    """
    if len(text.split()) < MIN_WORDS:
        return [text]
    wishes: list[str] = []
    for sentence in _SENTENCE_END.split(text):
        wishes += _split_sentence(sentence)
    wishes = [wish for wish in wishes if _count_content_words(wish) >= MIN_CONTENT_WORDS]
    return wishes[:MAX_WISHES] if len(wishes) > 1 else [text]


def _split_sentence(sentence: str) -> list[str]:
    """Return the parts of a sentence between commas and conjunctions, each with enough words of its own."""
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
