"""Validates the names in tool arguments.

Letters that look alike, invisible characters and paths are refused.
"""

import re
import unicodedata
from typing import Annotated

from pydantic import AfterValidator, Field

from conductor.base.invisible_chars import (
    EMOJI_SELECTOR,
    RARE_SPACES,
    ZERO_WIDTH_JOINER,
    has_hidden,
)

_PATH_PATTERN = re.compile(r"(^|[/\\])\.\.([/\\]|$)|^[/\\~]")
_EMOJI_PATTERN = re.compile(
    rf"(?<=[^\s\w{ZERO_WIDTH_JOINER}{EMOJI_SELECTOR}]){EMOJI_SELECTOR}"
    rf"|(?<=[0-9#*]){EMOJI_SELECTOR}(?=\u20e3)|(?<=[^\s\w{ZERO_WIDTH_JOINER}]){ZERO_WIDTH_JOINER}"
)
"""The invisible characters that can be part of an emoji. All others are refused."""
_LETTER_ALPHABETS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE")


def _validate_name(name: str) -> str:
    if has_hidden(_EMOJI_PATTERN.sub("", name), keep=RARE_SPACES):
        raise ValueError("a name must not have invisible characters")
    if _PATH_PATTERN.search(name):
        raise ValueError("a name must not look like a path")
    if unicodedata.normalize("NFKC", name) != name:
        raise ValueError(
            f"write the name with plain letters: `{unicodedata.normalize('NFKC', name)}`"
        )
    for word in re.findall(r"\w+", name):
        alphabets = {
            kind for char in word for kind in _LETTER_ALPHABETS if _is_in_alphabet(char, kind)
        }
        if len(alphabets) > 1:
            raise ValueError(f"`{word}` mixes letters of several alphabets")
    return name


def _is_in_alphabet(char: str, alphabet: str) -> bool:
    return unicodedata.name(char, "").startswith(alphabet)


ConfigName = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(_validate_name)]
