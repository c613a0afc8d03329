"""Normalises the questions to the calculator, and formats the numbers in its answers."""

import math
import re
import unicodedata
from typing import NamedTuple

from conductor.errors import InvalidParams

MAX_QUESTION_LENGTH = 300
MAX_NUMBER_DIGITS = 40
MAX_NESTING = 20
NUMBER_PATTERN = r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,3})?"
"""Matches a number in a text that is in lower case."""
TO_PATTERN = r"\s+(?:to|in|into|as)\s+"
_ASCII_EQUIVALENTS = str.maketrans(
    {
        **dict.fromkeys("\u2212\u2013\u2014\u2010\u2011", "-"),
        **dict.fromkeys("\u00d7\u22c5\u00b7\u2217", "*"),
        **dict.fromkeys("\u00f7\u2215\u2044", "/"),
        "\u221a": " sqrt ",
        "\u03c0": " pi ",
        "\u00b5": "u",
        "\u03bc": "u",
        "\u2126": "ohm",
        "\u03a9": "ohm",
        "\u00b0": " deg",
        "\u266f": "#",
        "\u266d": "b",
        "\u2018": "'",
        "\u2019": "'",
        "\u00b2": "^2",
        "\u00b3": "^3",
    }
)
_POLITE_PREFIX = re.compile(
    r"^(?:please\s+)?(?:(?:what(?:'s| is| are)|calculate|compute|convert|how (?:much|many) (?:is|are))\s+)",
    re.IGNORECASE,
)


class CalculatorAnswer(NamedTuple):
    """The answer of the calculator as text and number, with related answers."""

    result: str
    value: float | None = None
    related: tuple[str, ...] = ()
    """Answers to other readings of the question, and the same value in other forms."""


def normalize_question(text: str) -> str:
    """Return a question as one line of ASCII, without polite phrases such as "please".

    Raises:
        InvalidParams: the question is too long, nested too deeply, or has unsupported characters.
    """
    if len(text) > MAX_QUESTION_LENGTH:
        raise InvalidParams(
            f"this is longer than {MAX_QUESTION_LENGTH} characters; ask for less at once"
        )
    ascii_text = unicodedata.normalize("NFKC", text.translate(_ASCII_EQUIVALENTS)).translate(
        _ASCII_EQUIVALENTS
    )
    unsupported = next(
        (
            character
            for character in ascii_text
            if not (" " <= character <= "~" or character in "\t\n\r")
        ),
        None,
    )
    if unsupported is not None:
        raise InvalidParams(
            f"the character U+{ord(unsupported):04X} has no meaning here; leave it out"
        )
    line = " ".join(ascii_text.split()).rstrip("?=. ")
    _reject_deep_nesting(line)
    return _POLITE_PREFIX.sub("", line).strip()


def _reject_deep_nesting(line: str) -> None:
    if re.search(rf"\d{{{MAX_NUMBER_DIGITS + 1}}}", line.replace("_", "")):
        raise InvalidParams(
            f"a number has more than {MAX_NUMBER_DIGITS} digits; write it as 1.5e60"
        )
    depth = 0
    for character in line:
        depth += (character in "([{") - (character in ")]}")
        if depth > MAX_NESTING:
            raise InvalidParams(f"brackets are more than {MAX_NESTING} deep; ask for less at once")


def format_number(value: float) -> str:
    """Return a number as text with up to 12 digits; whole numbers of up to 40 digits are exact.

    Raises:
        InvalidParams: the value is NaN or infinite.
    """
    if isinstance(value, int):
        return str(value) if abs(value) < 10**MAX_NUMBER_DIGITS else f"{value:.11e}"
    if not math.isfinite(value):
        raise InvalidParams("the result is not a number that can be shown: it is too large")
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.12g}"


def build_calculator_answer(
    value: float, unit: str = "", related: tuple[str, ...] = ()
) -> CalculatorAnswer:
    """Return an answer that consists of a number, its unit and related answers."""
    words = f"{format_number(value)} {unit}".strip()
    return CalculatorAnswer(words, float(value), related)
