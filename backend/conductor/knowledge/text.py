"""Splits text into normalised words, so that numbers and names of protocols match in any spelling."""

import math
import re
import threading
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

from conductor.base.invisible_chars import remove_hidden

MAX_QUERY_CHARACTERS = 2_000
"""Only this many characters at the start of a message are used for the search."""
_LETTERS_OR_DIGITS = re.compile(r"0x[0-9a-f]+|\d+(?:\.\d+)+|[^\W\d_]+|\d+")
_WORD_PATTERN = re.compile(r"[\w.]+(?:[-'\u2019/][\w.]+)*")
_HEX_BYTE = re.compile(r"\$(?=[0-9a-f]{2}\b)|\b([0-9a-f]{2})h\b", re.IGNORECASE)
_HEX_NUMBER = re.compile(r"0[xX][0-9A-Fa-f]+")
_CAMEL_BOUNDARY = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NUMBERED_WORDS_TEXT = """
cc ch channel code group mk mode note nrpn op opcode pad page port program rpn table universe
usage
"""
WORDS_JOINED_WITH_NUMBERS = frozenset(_NUMBERED_WORDS_TEXT.split())
"""Words that form a name with the number after them: CC 64 and CC64 are the same."""
COMPOUND_WORDS = frozenset({("note", "on"), ("note", "off"), ("art", "net"), ("sys", "ex")})
_STOP_WORDS_TEXT = """
a about actually after again all also am an and any are as at be because been before being but by
can could did do does doing done dont down each even ever every for from get gets getting give go
goes going got had has have having he help her here hers hi him his how i id if ill im in into is
isn't it its ive just know let lets like me mean might more most much must my myself need never no
nor not now of oh ok on once one only or other our out over own please really same say says see
she should so some something than thanks that thats the their theirs them then there these they
thing things this those to too two under until up us use used using very want wants was we well
were what whats when where which while who whom why will with would yes you your yours
"""
STOP_WORDS = frozenset(_STOP_WORDS_TEXT.split())


def normalise_text(text: str) -> str:
    """Return a text in Unicode form NFKD, without control characters and diacritics."""
    plain = remove_hidden(unicodedata.normalize("NFKD", text))
    return "".join(character for character in plain if not unicodedata.combining(character))


def tokenize(text: str) -> list[str]:
    """Return the words of a text for comparison: in lower case, stemmed, and with names of protocols in
    all spellings.
    """
    pieces = _HEX_BYTE.sub(_normalise_hex_byte, normalise_text(text))
    found = [
        word for piece in _WORD_PATTERN.findall(pieces) for word in _split_letters_and_digits(piece)
    ]
    return [*_join_compounds(found), *(stem_word(word) for word in found if word not in STOP_WORDS)]


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case, not stemmed and including stop words."""
    return re.findall(r"[a-z0-9]+", normalise_text(text).lower())


def _normalise_hex_byte(found: re.Match[str]) -> str:
    return f"0x{found[1]}" if found[1] else "0x"


def _split_letters_and_digits(piece: str) -> Iterator[str]:
    """Yield the runs of letters and of digits in a word, and the whole word if it has several runs."""
    spaced = _CAMEL_BOUNDARY.sub(
        " ", _HEX_NUMBER.sub(lambda found: found[0].lower(), piece)
    ).lower()
    spaced = spaced.replace("'s", "").replace("\u2019s", "")
    runs = _LETTERS_OR_DIGITS.findall(spaced)
    yield from runs
    for run in runs:
        if run.startswith("0x"):
            yield f"0x{run[2:].lstrip('0') or '0'}" if run[2:3] == "0" else run[2:]
    whole = re.sub(r"[^\w.]|\s", "", spaced)
    if 1 < len(runs) <= 3 and len(whole) <= 24 and not whole.startswith("0x"):
        yield whole


def _join_compounds(found: list[str]) -> Iterator[str]:
    for word, after in pairwise(found):
        if (word in WORDS_JOINED_WITH_NUMBERS and after.isdigit()) or (
            word,
            after,
        ) in COMPOUND_WORDS:
            yield word + after


@lru_cache(maxsize=50_000)
def stem_word(word: str) -> str:
    """Return the stem of an English word, so that "mapping" and "mapped" match."""
    if not word.isalpha() or not word.isascii() or len(word) < 4:
        return word
    return _stemmers.get().stemWord(word)


class _ThreadStemmers(threading.local):
    """Keeps one stemmer per thread, because a stemmer holds the word that it works on."""

    _stemmer: Any = None

    def get(self) -> Any:
        if self._stemmer is None:
            import snowballstemmer

            self._stemmer = snowballstemmer.stemmer("english")
        return self._stemmer


_stemmers = _ThreadStemmers()


def estimate_tokens(text: str) -> int:
    """Return the approximate number of tokens of a text, at least a quarter of its characters.

    For tables, TOML and bytes in hex, the number of characters alone would give too few.
    """
    letters = re.findall(r"[^\W\d_]+", text)
    digits = re.findall(r"\d+", text)
    rule = (
        1.05 * len(letters)
        + 0.18 * sum(max(0, len(run) - 7) for run in letters)
        + 1.4 * sum(math.ceil(len(run) / 3) for run in digits)
        + 0.9 * len(re.findall(r"[^\w\s]+|_+", text))
        + 1.1 * len(re.findall(r"\n+", text))
    )
    return max(math.ceil(len(text) / 4), math.ceil(rule))
