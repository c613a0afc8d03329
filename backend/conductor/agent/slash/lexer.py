"""Splits a slash command into words.

The parsers consume the words one by one, and quoted text is a single word.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

_WORD_PATTERN = re.compile(r'"([^"]*)"|“([^”]*)”|(\S+)')
_COMPOUND_PATTERN = re.compile(
    r"(pad|note|cc|knob|fader|encoder)s?([0-9]+(?:\+[0-9]+)*)", re.IGNORECASE
)
_DURATION_PATTERN = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,3})?)(ms|s)?", re.IGNORECASE)
_MS_PER_UNIT = {
    **dict.fromkeys(("ms", "milliseconds", "millisecond", "msec"), 1),
    **dict.fromkeys(("s", "sec", "seconds", "second"), 1000),
}


class SlashSyntaxError(Exception):
    """Raised when a command cannot be parsed. The message says why, and what to write instead."""


class Word(NamedTuple):
    """A word of a slash command, with the information whether the user quoted it."""

    text: str
    quoted: bool = False

    def get_casefolded_text(self) -> str:
        """Return the word in lower case for comparison with keywords.

        A quoted word never equals a keyword.
        """
        return '"' if self.quoted else self.text.casefold()


def split_words(text: str) -> list[Word]:
    """Split a command at spaces outside double quotes.

    A number after letters is split too: `pad36` becomes two words.
    """
    words: list[Word] = []
    for match in _WORD_PATTERN.finditer(text):
        straight, curly, plain = match.groups()
        if plain is None:
            words.append(Word(curly if straight is None else straight, quoted=True))
            continue
        compound = _COMPOUND_PATTERN.fullmatch(plain)
        words += [Word(part) for part in (compound.groups() if compound else (plain,))]
    return words


def join_words(words: Iterable[Word]) -> str:
    """Return the words as one text, separated by spaces, for names and error messages."""
    return " ".join(word.text for word in words)


class WordReader:
    """Reads the words of a slash command from the front or from the end, and removes each word that it
    returns.
    """

    def __init__(self, words: Iterable[Word]) -> None:
        self.words = list(words)

    def __bool__(self) -> bool:
        return bool(self.words)

    def take_phrase(self, *phrases: str) -> str | None:
        """Remove one of the given phrases from the front and return it. Return None if the words start with
        none of them.

        The first phrase that matches wins, so list a longer phrase before its own beginning.
        """
        for phrase in phrases:
            parts = phrase.split()
            if [word.get_casefolded_text() for word in self.words[: len(parts)]] == parts:
                del self.words[: len(parts)]
                return phrase
        return None

    def take_last_phrase(self, *phrases: str) -> str | None:
        """Remove one of the given phrases from the end and return it. Return None if the words end with
        none of them.

        The first phrase that matches wins.
        """
        for phrase in phrases:
            parts = phrase.split()
            if [word.get_casefolded_text() for word in self.words[-len(parts) :]] == parts:
                del self.words[-len(parts) :]
                return phrase
        return None

    def take_word(self, expected: str) -> Word:
        """Remove the next word and return it. `expected` names the word in the error message.

        Raises:
            SlashSyntaxError: No word is left.
        """
        if not self.words:
            raise SlashSyntaxError(f"{expected} is missing")
        return self.words.pop(0)

    def take_remaining_text(self, expected: str) -> str:
        """Remove all remaining words and return them as one text.

        Raises:
            SlashSyntaxError: No word is left.
        """
        if not self.words:
            raise SlashSyntaxError(f"{expected} is missing")
        text = join_words(self.words)
        self.words = []
        return text

    def take_number(self, expected: str, low: int, high: int) -> int:
        """Remove a whole number from the front and return it.

        Raises:
            SlashSyntaxError: The next word is not a number from `low` to `high`.
        """
        word = self.take_word(f"{expected} ({low} to {high})")
        number = parse_int(word.text.removesuffix("%"))
        if number is None or not low <= number <= high:
            raise SlashSyntaxError(f"`{word.text}` is not {expected} ({low} to {high})")
        return number

    def take_optional_number(self, low: int, high: int) -> int | None:
        """Remove a whole number from the front and return it.

        Return None if the next word is not a number from `low` to `high`.
        """
        number = parse_int(self.words[0].text.removesuffix("%")) if self.words else None
        if number is None or not low <= number <= high:
            return None
        self.words.pop(0)
        return number

    def take_duration_ms(self) -> int | None:
        """Remove a duration such as `500ms`, `500 ms` or `0.5 s` from the front and return it in milliseconds.

        A number without a unit is in milliseconds. Return None if no duration comes next.
        """
        match = _DURATION_PATTERN.fullmatch(self.words[0].text) if self.words else None
        if match is None or self.words[0].quoted:
            return None
        self.words.pop(0)
        unit = match[2] or (self.take_phrase(*_MS_PER_UNIT) or "ms")
        return round(float(match[1]) * _MS_PER_UNIT[unit.lower()])

    def require_no_more_words(self) -> None:
        """Check that the parser has consumed all words.

        Raises:
            SlashSyntaxError: A word is left.
        """
        if self.words:
            raise SlashSyntaxError(f"`{join_words(self.words)}` is not understood here")

    def split_at_first_word(self, *separators: str) -> "WordReader | None":
        """Remove the first of the given words, and return a reader of the words before it.

        This reader keeps the words after it. Return None if none of the given words occurs.
        """
        for index, word in enumerate(self.words):
            if word.get_casefolded_text() in separators:
                before = WordReader(self.words[:index])
                self.words = self.words[index + 1 :]
                return before
        return None


def parse_int(text: str) -> int | None:
    """Return a whole number of at most five digits, or None for any other text."""
    return int(text) if re.fullmatch(r"[+-]?[0-9]{1,5}", text) else None
