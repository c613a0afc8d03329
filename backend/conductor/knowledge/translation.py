"""Replaces the words of German, French, Spanish, Italian, Portuguese and Japanese messages by English words.

The reference texts and the embedding model are English. A replacement word by word is enough for both,
because neither the word scores nor the mean of the token vectors depends much on grammar. The words are in
`knowledge/languages.toml`.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from conductor.errors import ConfigError
from conductor.knowledge import german
from conductor.knowledge.text import STOP_WORDS

LANGUAGES = ("de", "fr", "es", "it", "pt", "ja")
_STEMMERS = {
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "it": "italian",
    "pt": "portuguese",
}
MAX_PHRASE_WORDS = 5
MAX_SHORT_WORDS = 2
"""A message of at most this many words is in a language if all its words are known in that language."""
MIN_PART_LETTERS = 3
"""The length of the shortest part of a German compound."""
MIN_COMPOUND_LETTERS = 7
MIN_GERMAN_COMPOUND_LETTERS = 11
"""A compound of at least this length shows that a message is German."""
_LINKING_LETTERS = ("", "s", "n", "en", "es")
"""The letters that may join the parts of a German compound."""
MIN_JAPANESE_CHARACTERS = 2
_WORD = re.compile(r"(?<![^\W_])[^\W\d_]+(?![^\W_])")
"""A word, but not the letters in a name such as 3D or X11."""
_JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_JAPANESE_RUN = re.compile(
    r"(?:(?<![\d.])\d+)?[\u3005\u3040-\u30ff\u4e00-\u9fff]+(?:\d+[\u3005\u3040-\u30ff\u4e00-\u9fff]+)*"
)
"""Japanese words together with the numbers that count them, as in "2回"."""
_HIRAGANA_RUN = re.compile(r"[\u3040-\u309f]+")
_SPANISH_MARKS = re.compile(r"[\u00bf\u00a1]")
_LOOSE_MARKS = re.compile(r"(?<!\w)['\u2019\u00bf\u00a1]")
"""The apostrophe that remains of an elided word, and the marks that begin a Spanish sentence."""
_JOINERS = re.compile(r"[\s'\u2019-]*")
"""The characters that may separate the words of a phrase: spaces, an apostrophe as in "l'écran", or a
hyphen.
"""


class Vocabulary(NamedTuple):
    """Words of other languages with their English translations, and the words by which each language is
    recognised.
    """

    function_words: Mapping[str, str]
    """The words by which each language is recognised, such as articles."""
    rows: tuple[tuple[str, ...], ...]
    """One row for each meaning: the English words, then the phrases of each language, separated by commas."""


def read_vocabulary(path: Path) -> Vocabulary:
    """Return the vocabulary in a file, or an empty one if the file does not exist.

    Raises:
        ConfigError: The file is invalid. The message says why.
    """
    if not path.is_file():
        return Vocabulary({}, ())
    try:
        tables: Any = tomllib.loads(path.read_text(encoding="utf-8"))
        lines = str(tables["terms"]["rows"]).strip().splitlines()
        rows = tuple(tuple(cell.strip() for cell in line.split("|")) for line in lines)
        words = {str(name): str(text) for name, text in tables["function_words"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(f"{path}: {error}") from None
    if wrong := [row[0] for row in rows if len(row) != len(LANGUAGES) + 1]:
        raise ConfigError(
            f"{path}: the row {wrong[0]!r} needs {len(LANGUAGES) + 1} columns: English, "
            + ", ".join(LANGUAGES)
        )
    if unknown := sorted(words.keys() - {"en", *LANGUAGES}):
        raise ConfigError(
            f"{path}: the language {unknown[0]!r} in [function_words] is not known; use en, "
            + ", ".join(LANGUAGES)
        )
    return Vocabulary(words, rows)


class Translator:
    """Translates messages into English, word by word."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Prepare the vocabulary. The stemmers are loaded for the first message in another language."""
        self._vocabulary = vocabulary
        self._function_words = {
            language: frozenset(map(_fold_word, words.split()))
            for language, words in vocabulary.function_words.items()
        }
        self.translate = lru_cache(maxsize=200)(self._translate)

    def find_language(self, text: str) -> str | None:
        """Return the language of a text if it is one of `LANGUAGES`. Return None for English and for names.

        Words that only one language uses count most. English words count against all other languages.
        """
        if _JAPANESE.search(text):
            return "ja" if "ja" in self._function_words else None
        if _SPANISH_MARKS.search(text) and "es" in self._function_words:
            return "es"
        words = [_fold_word(word) for word in _WORD.findall(text)]
        english_words = STOP_WORDS | self._function_words.get("en", frozenset())
        english = sum(word in english_words for word in words)
        has_accents = any(not character.isascii() and character.isalpha() for character in text)
        best, best_score = None, 0.0
        for language, function_words in self._function_words.items():
            if language in ("en", "ja"):
                continue
            function = [word for word in words if word in function_words]
            own = sum(len(word) > 1 and word not in english_words for word in function)
            known = sum(self._is_known_word(language, word) for word in words if len(word) > 3)
            # a single short word such as "hat" or "ci" may also be a technical term in an English
            # message
            evidence = own + max(len(function) - own, has_accents, known)
            score = 2 * own + len(function) - own + known
            is_short = known + own == len(words) <= MAX_SHORT_WORDS
            if (
                own + known
                and (evidence > 1 or is_short)
                and score > max(best_score, 1.5 * english)
            ):
                best, best_score = language, score
        return best

    def _is_known_word(self, language: str, word: str) -> bool:
        """Return whether a word belongs to a language and is not one of the English words as well."""
        if word in self._english_words:
            return False
        is_compound = language == "de" and len(word) >= MIN_GERMAN_COMPOUND_LETTERS
        return word in self._words[language] or (is_compound and bool(self._split_compound(word)))

    @cached_property
    def _english_words(self) -> frozenset[str]:
        found = {
            _fold_word(word) for row in self._vocabulary.rows for word in _WORD.findall(row[0])
        }
        return frozenset({*found, *(f"{word}s" for word in found)})

    @cached_property
    def _phrases(self) -> dict[str, dict[tuple[str, ...], str]]:
        """Return the English words for each phrase, by language.

        Phrases are in lower case and without accents.
        """
        found: dict[str, dict[tuple[str, ...], str]] = {language: {} for language in LANGUAGES}
        for english, *cells in self._vocabulary.rows:
            for language, cell in zip(LANGUAGES, cells, strict=True):
                for phrase in filter(None, (each.strip() for each in cell.split(","))):
                    key = tuple(map(_fold_word, _WORD.findall(phrase)))
                    found[language].setdefault(key, english)
        return found

    @cached_property
    def _words(self) -> dict[str, frozenset[str]]:
        """Return all words that occur in the phrases of each language."""
        return {
            language: frozenset(word for phrase in phrases for word in phrase)
            for language, phrases in self._phrases.items()
        }

    @cached_property
    def _stems(self) -> dict[str, dict[tuple[str, ...], str]]:
        """Return the English words for the stems of each phrase, by language."""
        found: dict[str, dict[tuple[str, ...], str]] = {language: {} for language in LANGUAGES}
        for language in _STEMMERS:
            for phrase, english in self._phrases[language].items():
                stems = tuple(_stem(language, word) for word in phrase)
                found[language].setdefault(stems, english)
        return found

    @cached_property
    def _japanese(self) -> dict[str, str]:
        """Return the English words for each Japanese word."""
        cells = ((row[0], row[-1]) for row in self._vocabulary.rows)
        found: dict[str, str] = {}
        for english, cell in cells:
            for word in cell.split(","):
                found.setdefault(_normalise_japanese(word.strip()), english)
        return found

    def _translate(self, text: str) -> str:
        """Return a text in which known words are translated. An English text is returned unchanged."""
        language = self.find_language(text)
        if language is None:
            return text
        return (
            self._translate_japanese(text)
            if language == "ja"
            else self._translate_words(text, language)
        )

    def _translate_words(self, text: str, language: str) -> str:
        plain = unicodedata.normalize("NFC", text)
        spans = [(found.start(), found.end()) for found in _WORD.finditer(plain)]
        words = [_fold_word(plain[start:end]) for start, end in spans]
        pieces: list[str] = []
        at, end = 0, 0
        separated: dict[int, str] = {}
        if language == "de":
            separated = german.find_separated_verbs(plain, spans, words, self._find_german)
        while at < len(spans):
            length, english = self._match_phrase(language, words, spans, plain, at)
            if at in separated and length == 1:
                english = separated[at]
            pieces += [plain[end : spans[at][0]], english]
            end = spans[at + length - 1][1]
            at += length
        pieces.append(plain[end:])
        return _collapse_spaces(_LOOSE_MARKS.sub(" ", "".join(pieces)))

    def _match_phrase(
        self,
        language: str,
        words: list[str],
        spans: list[tuple[int, int]],
        text: str,
        at: int,
    ) -> tuple[int, str]:
        """Return how many words from the index `at` are replaced, and the English words that replace them."""
        stems = [_stem(language, word) for word in words[at : at + MAX_PHRASE_WORDS]]
        for length in range(min(MAX_PHRASE_WORDS, len(words) - at), 0, -1):
            between = [
                text[spans[row][1] : spans[row + 1][0]] for row in range(at, at + length - 1)
            ]
            if not all(_JOINERS.fullmatch(each) for each in between):
                continue
            exact = self._phrases[language].get(tuple(words[at : at + length]))
            if exact is not None:
                return length, exact
            if length == 1 and self._is_function_word(language, words[at]):
                return 1, ""
            if (by_stem := self._stems[language].get(tuple(stems[:length]))) is not None:
                return length, by_stem
        word = text[spans[at][0] : spans[at][1]]
        english = self._find_german_form(words[at]) if language == "de" else None
        return 1, word if english is None else english

    def _is_function_word(self, language: str, word: str) -> bool:
        found = self._function_words[language]
        return word in found or (language == "de" and german.replace_digraphs(word) in found)

    def _find_german_form(self, word: str) -> str | None:
        """Return the English words for an inflected German word or a compound, or None if it is unknown."""
        if (english := german.find_inflected(word, self._find_german)) is not None:
            return english
        parts = self._split_compound(word)
        return " ".join(parts) or german.find_last_part(word, self._find_german)

    def _split_compound(self, word: str) -> list[str]:
        """Return the English words for the parts of a German compound, or an empty list if a part is
        unknown.
        """
        if len(word) < MIN_COMPOUND_LETTERS:
            return []
        for end in range(len(word) - MIN_PART_LETTERS, MIN_PART_LETTERS - 1, -1):
            head = self._find_german(word[:end])
            if head is None:
                continue
            for link in _LINKING_LETTERS:
                if not word[end:].startswith(link):
                    continue
                tail = word[end + len(link) :]
                if len(tail) < MIN_PART_LETTERS:
                    continue
                rest = self._find_german(tail)
                if rest is not None:
                    return [head, rest]
                if parts := self._split_compound(tail):
                    return [head, *parts]
        return []

    def _find_german(self, word: str) -> str | None:
        found = self._phrases["de"].get((word,))
        if found is None and len(word) > MIN_PART_LETTERS:
            found = self._stems["de"].get((_stem("de", word),))
        return found

    def _translate_japanese(self, text: str) -> str:
        plain = _normalise_japanese(text)
        return _collapse_spaces(
            _JAPANESE_RUN.sub(lambda run: f" {' '.join(self._split_japanese(run[0]))} ", plain)
        )

    def _split_japanese(self, run: str) -> Iterator[str]:
        """Yield the English words for a run of Japanese without spaces, matching the longest known words first.

        Unknown words are kept, except those in hiragana, which are grammar.
        """
        at, unknown = 0, ""
        while at < len(run):
            length = next(
                (
                    length
                    for length in range(min(12, len(run) - at), 0, -1)
                    if run[at : at + length] in self._japanese
                ),
                0,
            )
            if not length:
                unknown += run[at]
                at += 1
                continue
            yield from _list_unknown(unknown)
            unknown = ""
            yield self._japanese[run[at : at + length]]
            at += length
        yield from _list_unknown(unknown)


def _collapse_spaces(text: str) -> str:
    return " ".join(text.split())


def _list_unknown(text: str) -> list[str]:
    return _HIRAGANA_RUN.sub(" ", text).split()


def _normalise_japanese(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()


def _fold_word(word: str) -> str:
    """Return a word in lower case and without accents."""
    decomposed = unicodedata.normalize("NFKD", word.lower().replace("ß", "ss"))
    return "".join(character for character in decomposed if not unicodedata.combining(character))


@lru_cache(maxsize=20_000)
def _stem(language: str, word: str) -> str:
    return _get_stemmer(language).stemWord(word)


@lru_cache(maxsize=len(_STEMMERS))
def _get_stemmer(language: str) -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer(_STEMMERS[language])
