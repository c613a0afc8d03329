"""Finds synonyms in `thesaurus.toml`. A search gives a synonym less weight than a word of the message."""

import tomllib
from collections.abc import Iterable
from pathlib import Path

from conductor.errors import ConfigError
from conductor.knowledge.text import tokenize

SYNONYM_WEIGHT = 0.4
SynonymGroup = tuple[str, ...]


def read_synonym_groups(path: Path) -> tuple[SynonymGroup, ...]:
    """Return the groups of synonyms in a file, or an empty tuple if the file does not exist.

    Raises:
        ConfigError: The file is invalid or cannot be read.
    """
    if not path.is_file():
        return ()
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8")).get("group", [])
        return tuple(tuple(str(word) for word in group["words"]) for group in found)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise ConfigError(f"{path}: {error}; expected [[group]] tables with `words`") from None


class Thesaurus:
    """Groups of phrases with the same meaning, in which synonyms of a message's words are looked up."""

    def __init__(self, groups: Iterable[SynonymGroup]) -> None:
        self._groups_by_phrase: dict[tuple[str, ...], set[int]] = {}
        self._groups = [[tuple(tokenize(phrase)) for phrase in group] for group in groups]
        for number, group in enumerate(self._groups):
            for phrase in filter(None, group):
                self._groups_by_phrase.setdefault(phrase, set()).add(number)
        self._longest_phrase = max(map(len, self._groups_by_phrase), default=0)

    def find_synonyms(self, words_of_text: list[str]) -> dict[str, float]:
        """Return the synonyms of all phrases in a text, with their weights."""
        numbers: set[int] = set()
        for start in range(len(words_of_text)):
            for length in range(1, min(self._longest_phrase, len(words_of_text) - start) + 1):
                numbers |= self._groups_by_phrase.get(
                    tuple(words_of_text[start : start + length]), set()
                )
        known = set(words_of_text)
        return {
            term: SYNONYM_WEIGHT
            for number in sorted(numbers)
            for phrase in self._groups[number]
            for term in phrase
            if term not in known
        }

    def find_complete_synonyms(self, said: set[str], found: set[str]) -> set[str]:
        """Return the words of the phrases in `found` that mean the same as a phrase in `said`.

        A part of a phrase alone, such as `start` of `start app`, means something else.
        """
        return {
            word
            for group in self._groups
            if any(phrase and said.issuperset(phrase) for phrase in group)
            for phrase in group
            if found.issuperset(phrase)
            for word in phrase
        }
