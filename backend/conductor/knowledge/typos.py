"""Corrects unknown words by the most similar word of the index, if any is similar enough."""

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

SHORTEST = 5


class Spelling:
    """Corrects spelling by the words of an index."""

    def __init__(self, common: Iterable[tuple[str, int]]) -> None:
        """Prepare the words of an index, given with their frequencies."""
        self._common = {word: often for word, often in common if word.isalpha() and len(word) > 2}
        self._by_start: dict[str, list[str]] = defaultdict(list)
        for word in self._common:
            self._by_start[word[0]].append(word)
        self.nearest = lru_cache(maxsize=2_000)(self._nearest)

    def _nearest(self, word: str) -> str | None:
        """Return the most similar known word. Return None if none is similar or the text is not a plain
        word.
        """
        if len(word) < SHORTEST or not word.isalpha() or word in self._common:
            return None
        most = 1 if len(word) < 7 else 2
        best: tuple[int, int, str] | None = None
        for other in self._by_start.get(word[0], ()):
            if abs(len(other) - len(word)) > most or len(other) < SHORTEST:
                continue
            away = distance(word, other, most)
            if away <= most and (best is None or (away, -self._common[other], other) < best):
                best = (away, -self._common[other], other)
        return best[2] if best else None


def distance(one: str, other: str, most: int) -> int:
    """Return the Damerau-Levenshtein distance of two words, or `most + 1` if it exceeds `most`."""
    before: list[int] = []
    above = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        now = [row] + [0] * len(other)
        for column, mark in enumerate(other, 1):
            now[column] = min(
                above[column] + 1, now[column - 1] + 1, above[column - 1] + (letter != mark)
            )
            is_swap = row > 1 and column > 1 and letter == other[column - 2]
            if is_swap and one[row - 2] == mark:
                now[column] = min(now[column], before[column - 2] + 1)
        if min(now) > most:
            return most + 1
        before, above = above, now
    return above[-1]
