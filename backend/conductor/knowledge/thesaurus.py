"""Other words for the same thing, from `thesaurus.toml`: they count too, but less than what was said."""

import tomllib
from collections.abc import Iterable
from pathlib import Path

from conductor.errors import ConfigError
from conductor.knowledge.text import words

WEIGHT = 0.4
Group = tuple[str, ...]


def read(path: Path) -> tuple[Group, ...]:
    """Return the groups of a file; none when there is no file.

    Raises:
        ConfigError: the file cannot be used.
    """
    if not path.is_file():
        return ()
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8")).get("group", [])
        return tuple(tuple(str(word) for word in group["words"]) for group in found)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise ConfigError(f"{path}: {error}; it has [[group]] tables with `words`") from None


class Thesaurus:
    """Phrases that stand for each other."""

    def __init__(self, groups: Iterable[Group]) -> None:
        self._phrases: dict[tuple[str, ...], set[int]] = {}
        self._groups = [[tuple(words(phrase)) for phrase in group] for group in groups]
        for number, group in enumerate(self._groups):
            for phrase in filter(None, group):
                self._phrases.setdefault(phrase, set()).add(number)
        self._longest = max(map(len, self._phrases), default=0)

    def others(self, said: list[str]) -> dict[str, float]:
        """Return the weighted terms that stand for phrases in what was said."""
        numbers: set[int] = set()
        for at in range(len(said)):
            for length in range(1, min(self._longest, len(said) - at) + 1):
                numbers |= self._phrases.get(tuple(said[at : at + length]), set())
        known = set(said)
        return {
            term: WEIGHT
            for number in sorted(numbers)
            for phrase in self._groups[number]
            for term in phrase
            if term not in known
        }
