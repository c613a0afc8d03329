"""Prepares messages for searches: in English, and with the spelling corrected."""

import re
from functools import cached_property

from conductor.knowledge import query_hints
from conductor.knowledge.database import IndexContents
from conductor.knowledge.embedder import Embedder
from conductor.knowledge.text import MAX_QUERY_CHARACTERS, STOP_WORDS, split_words, stem_word
from conductor.knowledge.translation import Translator
from conductor.knowledge.typos import SpellingCorrector

_WORD = re.compile(r"\b[a-zA-Z]{4,30}\b")
_LOWER_CASE_WORD = re.compile(r"(?<![\w./-])[a-zà-ÿ]{4,}(?![\w./-])")
"""A lower-case word that is no part of a name, path or address."""
MIN_KNOWN_WORD_LETTERS = 3
MAX_SPELLING_CORRECTIONS = 20
"""The largest number of words that are spell-checked, because each unknown word is compared with all words of
the index.
"""


class QueryTexts:
    """Knows which words occur in the texts of an index and in the vocabulary of its model."""

    def __init__(
        self, contents: IndexContents, embedder: Embedder | None, translator: Translator
    ) -> None:
        self._contents = contents
        self._embedder = embedder
        self._translator = translator

    @cached_property
    def _spelling_corrector(self) -> SpellingCorrector:
        return SpellingCorrector(self._contents.spelling.items())

    def prepare_text(self, text: str) -> str:
        """Return a message in English and with its spelling corrected.

        The capitalised words of other languages that are not translated are kept, because most are names. The
        others tell nothing: they would only move the vector and lower the share of words that are found.
        """
        start = text[:MAX_QUERY_CHARACTERS]
        translated = self._translator.translate(start)
        if not any(map(str.isalnum, translated)):
            return start
        if translated == start:
            return self.correct_spelling(start)
        known_only = _LOWER_CASE_WORD.sub(
            lambda found: found[0] if self._is_known_word(found[0]) else "", translated
        )
        return known_only if any(map(str.isalnum, known_only)) else translated

    def correct_spelling(self, text: str) -> str:
        """Replace unknown words in a text by the most similar words of the index."""
        return _WORD.sub(lambda found: self._correct_word(found[0]), text, MAX_SPELLING_CORRECTIONS)

    def has_known_words(self, text: str) -> bool:
        """Return whether the index or the model knows any word of a text, which is false for random letters."""
        candidates = split_words(self.prepare_text(text))
        return query_hints.has_technical_term(text) or any(map(self._is_known_word, candidates))

    def _is_known_word(self, word: str) -> bool:
        if len(word) < MIN_KNOWN_WORD_LETTERS and not any(letter.isdigit() for letter in word):
            return False  # two letters occur in many texts as codes
        is_common = self._embedder is not None and self._embedder.is_common_word(word)
        return is_common or word in STOP_WORDS or stem_word(word) in self._contents.lexicon.terms

    def _correct_word(self, word: str) -> str:
        lower_case = word.lower()
        if stem_word(lower_case) in self._contents.lexicon.terms or lower_case in STOP_WORDS:
            return word
        if self._embedder is not None and self._embedder.is_common_word(lower_case):
            return word
        return self._spelling_corrector.find_similar_word(lower_case) or word
