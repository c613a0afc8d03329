"""Names that tools may give: what looks like another name, or like a path, is refused."""

import re
import unicodedata
from typing import Annotated

from pydantic import AfterValidator, Field

_PATH = re.compile(r"(^|[/\\])\.\.([/\\]|$)|^[/\\~]")
_JOINER = "\u200d"
"""Joins emoji; any other invisible character is refused."""
_ALPHABETS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE")


def _plain(name: str) -> str:
    if any(unicodedata.category(char) in _INVISIBLE and char != _JOINER for char in name):
        raise ValueError("a name must not have invisible characters")
    if _PATH.search(name):
        raise ValueError("a name must not look like a path")
    if unicodedata.normalize("NFKC", name) != name:
        raise ValueError(
            f"write the name with plain letters: `{unicodedata.normalize('NFKC', name)}`"
        )
    for word in re.findall(r"\w+", name):
        alphabets = {kind for char in word for kind in _ALPHABETS if _is(char, kind)}
        if len(alphabets) > 1:
            raise ValueError(f"`{word}` mixes letters of several alphabets")
    return name


_INVISIBLE = ("Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp")


def _is(char: str, alphabet: str) -> bool:
    return unicodedata.name(char, "").startswith(alphabet)


Name = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(_plain)]
