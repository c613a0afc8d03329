"""The words of a slash command: quoted texts stay whole, and a reader takes phrases off the front."""

import re
from collections.abc import Iterable
from typing import NamedTuple

_WORD = re.compile(r'"([^"]*)"|“([^”]*)”|(\S+)')
_JOINED = re.compile(r"(pad|note|cc|knob|fader|encoder)s?([0-9]+(?:\+[0-9]+)*)", re.IGNORECASE)
_DURATION = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,3})?)(ms|s)?", re.IGNORECASE)
_UNITS = {
    **dict.fromkeys(("ms", "milliseconds", "millisecond", "msec"), 1),
    **dict.fromkeys(("s", "sec", "seconds", "second"), 1000),
}


class Unclear(Exception):
    """What was written cannot be read; the message says why and what to write instead."""


class Word(NamedTuple):
    text: str
    quoted: bool = False

    def low(self) -> str:
        """Return it as it is compared: what is quoted is never one of the grammar's words."""
        return '"' if self.quoted else self.text.casefold()


def split_words(text: str) -> list[Word]:
    """Split at spaces, but not inside double quotes; `pad36` counts as two words."""
    words: list[Word] = []
    for match in _WORD.finditer(text):
        straight, curly, plain = match.groups()
        if plain is None:
            words.append(Word(curly if straight is None else straight, quoted=True))
            continue
        joined = _JOINED.fullmatch(plain)
        words += [Word(part) for part in (joined.groups() if joined else (plain,))]
    return words


def joined(words: Iterable[Word]) -> str:
    """Return words as one text."""
    return " ".join(word.text for word in words)


class Words:
    """Words that are read from the front."""

    def __init__(self, words: Iterable[Word]) -> None:
        self.words = list(words)

    def __bool__(self) -> bool:
        return bool(self.words)

    def take(self, *phrases: str) -> str | None:
        """Take the first of these phrases that comes next; longer ones should stand first."""
        for phrase in phrases:
            parts = phrase.split()
            if [word.low() for word in self.words[: len(parts)]] == parts:
                del self.words[: len(parts)]
                return phrase
        return None

    def take_last(self, *phrases: str) -> str | None:
        """Take the first of these phrases that stands at the end."""
        for phrase in phrases:
            parts = phrase.split()
            if [word.low() for word in self.words[-len(parts) :]] == parts:
                del self.words[-len(parts) :]
                return phrase
        return None

    def next(self, what: str) -> Word:
        """Take the next word.

        Raises:
            Unclear: there is none.
        """
        if not self.words:
            raise Unclear(f"{what} is missing")
        return self.words.pop(0)

    def rest(self, what: str) -> str:
        """Take all that is left as one text."""
        if not self.words:
            raise Unclear(f"{what} is missing")
        text = joined(self.words)
        self.words = []
        return text

    def number(self, what: str, low: int, high: int) -> int:
        """Take a whole number."""
        word = self.next(f"{what} ({low} to {high})")
        number = whole(word.text.removesuffix("%"))
        if number is None or not low <= number <= high:
            raise Unclear(f"`{word.text}` is not {what} ({low} to {high})")
        return number

    def maybe_number(self, low: int, high: int) -> int | None:
        """Take a whole number if one comes next."""
        number = whole(self.words[0].text.removesuffix("%")) if self.words else None
        if number is None or not low <= number <= high:
            return None
        self.words.pop(0)
        return number

    def duration_ms(self) -> int | None:
        """Take a time such as `500ms`, `500 ms` or `0.5 s` if one comes next; a bare number is in ms."""
        match = _DURATION.fullmatch(self.words[0].text) if self.words else None
        if match is None or self.words[0].quoted:
            return None
        self.words.pop(0)
        unit = match[2] or (self.take(*_UNITS) or "ms")
        return round(float(match[1]) * _UNITS[unit.lower()])

    def end(self) -> None:
        """Check that nothing is left.

        Raises:
            Unclear: something is.
        """
        if self.words:
            raise Unclear(f"`{joined(self.words)}` is not understood here")

    def cut_at(self, *separators: str) -> "Words | None":
        """Cut at the first of these words: what stands before it is given, what follows is kept."""
        for index, word in enumerate(self.words):
            if word.low() in separators:
                before = Words(self.words[:index])
                self.words = self.words[index + 1 :]
                return before
        return None


def whole(text: str) -> int | None:
    """Read a whole number of at most 5 digits."""
    return int(text) if re.fullmatch(r"[+-]?[0-9]{1,5}", text) else None
