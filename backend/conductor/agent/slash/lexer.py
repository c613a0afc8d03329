"""Splits a slash command into words, which parsers remove one by one. Quoted text stays one word."""

import re
from collections.abc import Iterable
from typing import NamedTuple

_WORD = re.compile(r'"([^"]*)"|“([^”]*)”|(\S+)')
_COMPOUND = re.compile(r"(pad|note|cc|knob|fader|encoder)s?([0-9]+(?:\+[0-9]+)*)", re.IGNORECASE)
_DURATION = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,3})?)(ms|s)?", re.IGNORECASE)
_UNITS = {
    **dict.fromkeys(("ms", "milliseconds", "millisecond", "msec"), 1),
    **dict.fromkeys(("s", "sec", "seconds", "second"), 1000),
}


class Unclear(Exception):
    """A command cannot be parsed; the message says why and what to write instead."""


class Word(NamedTuple):
    text: str
    quoted: bool = False

    def folded(self) -> str:
        """Return a word in the form used for comparison. A quoted word never matches a keyword."""
        return '"' if self.quoted else self.text.casefold()


def split_words(text: str) -> list[Word]:
    """Split at spaces outside of double quotes; `pad36` counts as two words."""
    words: list[Word] = []
    for match in _WORD.finditer(text):
        straight, curly, plain = match.groups()
        if plain is None:
            words.append(Word(curly if straight is None else straight, quoted=True))
            continue
        compound = _COMPOUND.fullmatch(plain)
        words += [Word(part) for part in (compound.groups() if compound else (plain,))]
    return words


def join_words(words: Iterable[Word]) -> str:
    """Join words with spaces."""
    return " ".join(word.text for word in words)


class Words:
    """The remaining words of a command, consumed mostly from the front."""

    def __init__(self, words: Iterable[Word]) -> None:
        self.words = list(words)

    def __bool__(self) -> bool:
        return bool(self.words)

    def take(self, *phrases: str) -> str | None:
        """Remove a phrase from the front and return it. Of the given phrases, list longer ones first."""
        for phrase in phrases:
            parts = phrase.split()
            if [word.folded() for word in self.words[: len(parts)]] == parts:
                del self.words[: len(parts)]
                return phrase
        return None

    def take_last(self, *phrases: str) -> str | None:
        """Remove a phrase from the end and return it. Of the given phrases, the first that matches is used."""
        for phrase in phrases:
            parts = phrase.split()
            if [word.folded() for word in self.words[-len(parts) :]] == parts:
                del self.words[-len(parts) :]
                return phrase
        return None

    def next(self, expected: str) -> Word:
        """Remove and return the next word.

        Raises:
            Unclear: No word is left.
        """
        if not self.words:
            raise Unclear(f"{expected} is missing")
        return self.words.pop(0)

    def rest(self, expected: str) -> str:
        """Remove and return all remaining words as one text."""
        if not self.words:
            raise Unclear(f"{expected} is missing")
        text = join_words(self.words)
        self.words = []
        return text

    def number(self, expected: str, low: int, high: int) -> int:
        """Remove and return a whole number."""
        word = self.next(f"{expected} ({low} to {high})")
        number = parse_int(word.text.removesuffix("%"))
        if number is None or not low <= number <= high:
            raise Unclear(f"`{word.text}` is not {expected} ({low} to {high})")
        return number

    def maybe_number(self, low: int, high: int) -> int | None:
        """Remove and return a whole number if one comes next, else None."""
        number = parse_int(self.words[0].text.removesuffix("%")) if self.words else None
        if number is None or not low <= number <= high:
            return None
        self.words.pop(0)
        return number

    def duration_ms(self) -> int | None:
        """Remove a duration such as `500ms`, `500 ms` or `0.5 s` if one comes next; a bare number is in ms."""
        match = _DURATION.fullmatch(self.words[0].text) if self.words else None
        if match is None or self.words[0].quoted:
            return None
        self.words.pop(0)
        unit = match[2] or (self.take(*_UNITS) or "ms")
        return round(float(match[1]) * _UNITS[unit.lower()])

    def end(self) -> None:
        """Check that no word is left.

        Raises:
            Unclear: A word is left.
        """
        if self.words:
            raise Unclear(f"`{join_words(self.words)}` is not understood here")

    def split_at(self, *separators: str) -> "Words | None":
        """Split at the first of these words. Return the words before it, and keep the words after it."""
        for index, word in enumerate(self.words):
            if word.folded() in separators:
                before = Words(self.words[:index])
                self.words = self.words[index + 1 :]
                return before
        return None


def parse_int(text: str) -> int | None:
    """Return a whole number of at most 5 digits, or None."""
    return int(text) if re.fullmatch(r"[+-]?[0-9]{1,5}", text) else None
