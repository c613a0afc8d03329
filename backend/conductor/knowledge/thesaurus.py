"""Finds synonyms in `thesaurus.toml`. A synonym counts less than a word of the message itself."""

import tomllib
from collections.abc import Iterable
from pathlib import Path

from conductor.errors import ConfigError
from conductor.knowledge.text import words

WEIGHT = 0.4
Group = tuple[str, ...]


def read(path: Path) -> tuple[Group, ...]:
    """Read the groups of synonyms in a file. Return none if the file does not exist.

    Raises:
        ConfigError: the file cannot be read.
    """
    if not path.is_file():
        return ()
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8")).get("group", [])
        return tuple(tuple(str(word) for word in group["words"]) for group in found)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise ConfigError(f"{path}: {error}; it has [[group]] tables with `words`") from None


class Thesaurus:
    """Groups of phrases that have the same meaning."""

    def __init__(self, groups: Iterable[Group]) -> None:
        self._phrases: dict[tuple[str, ...], set[int]] = {}
        self._groups = [[tuple(words(phrase)) for phrase in group] for group in groups]
        for number, group in enumerate(self._groups):
            for phrase in filter(None, group):
                self._phrases.setdefault(phrase, set()).add(number)
        self._longest = max(map(len, self._phrases), default=0)

    def find_synonyms(self, text_words: list[str]) -> dict[str, float]:
        """Return the weighted synonyms of all phrases in a text."""
        numbers: set[int] = set()
        for at in range(len(text_words)):
            for length in range(1, min(self._longest, len(text_words) - at) + 1):
                numbers |= self._phrases.get(tuple(text_words[at : at + length]), set())
        known = set(text_words)
        return {
            term: WEIGHT
            for number in sorted(numbers)
            for phrase in self._groups[number]
            for term in phrase
            if term not in known
        }
