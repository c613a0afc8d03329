"""Replaces an unknown word by the most similar word of the index, if one is similar enough."""

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

MIN_CORRECTED_WORD_LETTERS = 5


class SpellingCorrector:
    """Finds the word of an index that is most similar to a misspelled word."""

    def __init__(self, word_counts: Iterable[tuple[str, int]]) -> None:
        """Store the words of an index with their frequencies, grouped by their first letter."""
        self._frequencies = {
            word: count for word, count in word_counts if word.isalpha() and len(word) > 2
        }
        self._words_by_first_letter: dict[str, list[str]] = defaultdict(list)
        for word in self._frequencies:
            self._words_by_first_letter[word[0]].append(word)
        self.find_similar_word = lru_cache(maxsize=2_000)(self._find_most_similar_word)

    def _find_most_similar_word(self, word: str) -> str | None:
        """Return the most similar known word.

        Return None if no word is similar enough, or the text is not a plain word.
        """
        if (
            len(word) < MIN_CORRECTED_WORD_LETTERS
            or not word.isalpha()
            or word in self._frequencies
        ):
            return None
        max_distance = 1 if len(word) < 7 else 2
        best: tuple[int, int, str] | None = None
        for candidate in self._words_by_first_letter.get(word[0], ()):
            if (
                abs(len(candidate) - len(word)) > max_distance
                or len(candidate) < MIN_CORRECTED_WORD_LETTERS
            ):
                continue
            distance = compute_edit_distance(word, candidate, max_distance)
            if distance <= max_distance and (
                best is None or (distance, -self._frequencies[candidate], candidate) < best
            ):
                best = (distance, -self._frequencies[candidate], candidate)
        return best[2] if best else None


def is_misspelling(word: str, name: str) -> bool:
    """Return whether a word differs from a name by one typing error.

    Two would be too many: products of a family, such as Minilogue and Monologue, differ by two letters.
    """
    if not (word.isalpha() and name.isalpha()) or word[0] != name[0]:
        return False
    is_long = min(len(word), len(name)) >= MIN_CORRECTED_WORD_LETTERS
    return is_long and compute_edit_distance(word, name, 1) <= 1


def compute_edit_distance(first: str, second: str, max_distance: int) -> int:
    """Return the Damerau-Levenshtein distance of two words.

    A longer distance than `max_distance` is returned as `max_distance + 1`.
    """
    row_before_last: list[int] = []
    last_row = list(range(len(second) + 1))
    for row, letter in enumerate(first, 1):
        current_row = [row] + [0] * len(second)
        for column, other_letter in enumerate(second, 1):
            current_row[column] = min(
                last_row[column] + 1,
                current_row[column - 1] + 1,
                last_row[column - 1] + (letter != other_letter),
            )
            is_swap = row > 1 and column > 1 and letter == second[column - 2]
            if is_swap and first[row - 2] == other_letter:
                current_row[column] = min(current_row[column], row_before_last[column - 2] + 1)
        if min(current_row) > max_distance:
            return max_distance + 1
        row_before_last, last_row = last_row, current_row
    return last_row[-1]
