"""Recognises the names of controllers that have no profile, and builds the answer about them.

Without this, a question about such a controller would find the text of a similar one, with other numbers
and a high relevance. The names are in `knowledge/models.toml`. A model that has a profile is not in the
list.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypedDict, cast

from conductor.domain.knowledge import Chunk, ScoredChunk
from conductor.errors import ConfigError
from conductor.knowledge.text import estimate_tokens, split_words

NO_PROFILE_SOURCE = "device/no-profile"
MIN_DISTINCT_NAME_CHARACTERS = 4
"""A shorter model name is recognised only after its maker."""
MAX_MODEL_NAME_WORDS = 6
"""The maximum number of words in a model name."""
_KEY_COUNTS = frozenset(("25", "32", "37", "49", "61", "73", "76", "88"))
"""Numbers of keys, which may stand between the name of a keyboard and its generation."""
_EVERYDAY_MAKER_TEXT = """
ableton avid boss drop evolution frontier gemini icon ion mackie microsoft mine native nintendo one sony
stanton steinberg torso waves zoom
"""
_EVERYDAY_MAKERS = frozenset(_EVERYDAY_MAKER_TEXT.split())
"""Makers whose name is also an everyday word, an app, or a subject of the reference texts."""
_GENERIC_TEXT = """
box button buttons cc channel checksum controller controllers daw desk device drum drums fader faders foot
gamepad gear grid gs id keyboard keyboards keys knob knobs led leds midi mixer mode note notes pad pads
patch pedal pedals piano product program rotary sampler sequencer sound stage surface synth synthesizer
synths sysex tastatur teclado clavier tastiera xg
"""
_GENERIC_WORDS = frozenset(_GENERIC_TEXT.split())
"""Words that follow the name of a maker but are no model."""
_CONTROL_WORD_TEXT = """
button buttons encoder encoders fader faders jog key keys knob knobs light lights pad pads pedal slider sliders
stick strip transport wheel wheels
"""
_CONTROL_WORDS = frozenset(_CONTROL_WORD_TEXT.split())
MAX_NAME_WORDS_BEFORE = 2
MAX_WORDS_OF_BARE_QUESTION = 4
"""A message of so few words that names a model asks about it, whatever the other word is."""
MIN_SERIES_LETTERS = 6
"""The shortest name of a series that is told from other words by a number alone, as in `MiniLab 4`."""
_NUMBER_QUESTION_PATTERN = re.compile(
    r"[?\uff1f]|\b(which|what|cc|ccs|note|notes|midi|default|leds?|layout|chart|numbers?)\b",
    re.IGNORECASE,
)
"""Matches a message that asks for the numbers of a device."""
NUMBERED_NAME = re.compile(
    r"(?<!\w\.)\b(?!(?i:any|some|every)1\b)(?=[\w-]*\d|[A-Z]{2,}-[A-Z]+\b)[A-Za-z][\w-]{2,}+\b"
    r"(?!\.[a-z][a-z0-9]{1,4}\b)",
    re.ASCII,
)
"""A name of letters and digits such as DDJ-400, or OP-Z, but not that of a file such as take3.wav."""
_SENTENCE_END = re.compile(r"(?<=[.!?\uff1f])\s+|\n")
_BEFORE_DEVICES_TEXT = """
a an ma mein meine meinem meinen meu mi minha mio mia mon my um uma un una une
"""
_WORDS_BEFORE_DEVICES = frozenset(_BEFORE_DEVICES_TEXT.split())
"""Words that often precede the name of a device, but rarely that of an app."""
MAX_MODEL_WORDS = 3
"""At most this many words after a maker are read as the name of a model."""
_LATER_GENERATION = re.compile(r"mk[2-9]")
"""The second and later generations of a device, which may send other numbers than the first."""
_MARK = re.compile(r"\bmark (?=[2-9ivIV])", re.IGNORECASE)
_NUMBERED_SUCCESSOR = re.compile(r"[2-9]|v[2-9]|gen[2-9]")
_COUNTED_NOUNS = frozenset(
    [
        "banks",
        "buttons",
        "faders",
        "keys",
        "knobs",
        "notes",
        "of",
        "pads",
        "ports",
        "times",
        "units",
    ]
)
"""Words after a number that is not part of a name, as in "my LPD8 2 pads"."""
_VARIANT_WORDS = frozenset(
    ("plus", "xl", "se", "air", "max", "lite", "studio", "wireless", "elite")
)
"""Words that turn the name of a device into the name of another one."""
_ROMAN_NUMERALS = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5"}


class _ManufacturerFields(TypedDict):
    name: str
    models: list[str]


def read_known_models(path: Path) -> dict[str, list[str]]:
    """Return the names of each model in a file, by title: the full name, and short names that need no maker.

    Raises:
        ConfigError: The file is invalid. The message says why.
    """
    if not path.is_file():
        return {}
    try:
        makers = cast(
            list[_ManufacturerFields], tomllib.loads(path.read_text(encoding="utf-8"))["makers"]
        )
        return dict(
            _list_model_names(each["name"], model) for each in makers for model in each["models"]
        )
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path}: {error}") from None


def _list_model_names(maker: str, model_text: str) -> tuple[str, list[str]]:
    model, *short_names = model_text.split("|")
    plain = model.removeprefix("!")
    key = normalise_model_name(plain)
    is_distinct = (
        len(key) >= MIN_DISTINCT_NAME_CHARACTERS and not key.isalpha() and not key.isdigit()
    )
    title = plain if plain.startswith(maker) else f"{maker} {plain}"
    own_name = [model] if plain != model or is_distinct else []
    return title, [title, *own_name, *short_names]


def read_makers(path: Path) -> list[str]:
    """Return the names of the makers in a file.

    Raises:
        ConfigError: The file is invalid. The message says why.
    """
    if not path.is_file():
        return []
    try:
        makers = cast(
            list[_ManufacturerFields], tomllib.loads(path.read_text(encoding="utf-8"))["makers"]
        )
        names = [each["name"] for each in makers]
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path}: {error}") from None
    return names


def asks_for_numbers(text: str) -> bool:
    """Return whether an English text asks for the numbers of a device, or names a kind of control."""
    return bool(_NUMBER_QUESTION_PATTERN.search(text)) or not _CONTROL_WORDS.isdisjoint(
        split_words(text)
    )


def find_name_before(text: str, name: str) -> str:
    """Return a name with the capitalised words directly before it, such as `Synido TempoPAD P16` for `P16`."""
    words = re.findall(r"[\w.+-]+", text.partition(name)[0])[-MAX_NAME_WORDS_BEFORE:]
    before: list[str] = []
    for word in reversed(words):
        if not word[0].isupper() or word.lower() in _GENERIC_WORDS:
            break
        before.insert(0, word)
    return " ".join([*before, name])


def is_asked_about_as_device(text: str, name: str) -> bool:
    """Return whether a text asks for the numbers of a device with this name, which may also be the name of
    an app.

    That is the case if the name and the question are in the same sentence, or if the words around the name
    are typical of a device: `my Foo`, `Foo pads`.
    """
    asks = bool(_NUMBER_QUESTION_PATTERN.search(text))
    for sentence in _SENTENCE_END.split(text):
        before, found, after = sentence.partition(name)
        if not found:
            continue
        words_before, words_after = split_words(before)[-1:], split_words(after)[:1]
        if (
            _NUMBER_QUESTION_PATTERN.search(sentence)
            or not _GENERIC_WORDS.isdisjoint((*words_before, *words_after))
            or (asks and not _WORDS_BEFORE_DEVICES.isdisjoint(words_before))
        ):
            return True
    return False


def normalise_model_name(name: str) -> str:
    """Return a name in the form in which names are compared: `lpd8mk2` for `LPD8 mkII`."""
    return "".join(_split_name_words(name))


def _split_name_words(text: str) -> list[str]:
    plain = _MARK.sub(r"mk", text)
    return [
        re.sub(r"mk(i{1,3}|iv|v)$", lambda found: f"mk{_ROMAN_NUMERALS[found[1]]}", word)
        for word in split_words(plain)
    ]


class MentionedModel(NamedTuple):
    """A controller model that a text mentions and that has no device profile."""

    title: str
    mentions_known_device: bool
    """Whether the text also mentions a device that has a profile."""


class UnknownModelFinder:
    """Finds the names of controller models that have no device profile in a text."""

    def __init__(
        self,
        models: Mapping[str, Sequence[str]],
        known: Mapping[str, Iterable[str]],
        makers: Iterable[str] = (),
    ) -> None:
        """Prepare the names of models for searches.

        `known` contains the names of each device with a profile, by its id.
        """
        known = {device: tuple(names) for device, names in known.items()}
        self._known_devices = known
        self._known_names = {
            normalise_model_name(name) for names in known.values() for name in names
        }
        self._known_names = {key for key in self._known_names if len(key) > 2}
        self._title_by_name = {
            key: title
            for title, names in models.items()
            for name in names
            if not name.startswith("!")
            and (key := normalise_model_name(name)) not in self._known_names
        }
        self._everyday_names = {
            name.removeprefix("!"): title
            for title, names in models.items()
            for name in names
            if name.startswith("!") and normalise_model_name(name) not in self._known_names
        }
        self._makers_by_first_word: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for maker in makers:
            maker_words = tuple(split_words(maker))
            self._makers_by_first_word.setdefault(maker_words[0], []).append((maker_words, maker))

    def find_unknown_model(self, text: str) -> MentionedModel | None:
        """Return the model without a profile that a text mentions, or None.

        If two names overlap, the longer one counts: `BeatStep Pro` is not a BeatStep.
        """
        words = _split_name_words(text)
        spans = [
            (start, start + length, "".join(words[start : start + length]))
            for start in range(len(words))
            for length in range(1, min(MAX_MODEL_NAME_WORDS, len(words) - start) + 1)
        ]
        named = [
            (start, end)
            for start, end, key in spans
            if key in self._known_names or self._is_known_size(words[start:end])
        ]
        known, unknown = self._split_generations(words, named)
        unknown |= {
            (start, end): " ".join(words[start:end])
            for start, end, key in spans
            if self._is_of_known_series(key)
        }
        unknown |= {
            (start, end): self._title_by_name[key]
            for start, end, key in spans
            if key in self._title_by_name
        }
        unmatched = [
            span for span in unknown if not any(_is_span_within(span, other) for other in known)
        ]
        separate = [
            span for span in known if not any(_is_span_within(span, other) for other in unmatched)
        ]
        if not unmatched:
            return None if named else self._find_everyday_name(text)
        title = unknown[max(unmatched, key=lambda span: span[1] - span[0])]
        return MentionedModel(title, bool(separate))

    def _is_of_known_series(self, key: str) -> bool:
        """Return whether a name is that of a known device with another number: `MiniLab 4` for `MiniLab 3`."""
        series = key[:-1]
        is_name = series.isalpha() and len(series) >= MIN_SERIES_LETTERS and key[-1:].isdigit()
        return is_name and key not in self._known_names and self._has_numbered_sibling(series)

    def _has_numbered_sibling(self, name: str) -> bool:
        """Return whether a number after a name is part of names like it, as in `MiniLab 3`."""
        return any(f"{name}{number}" in self._known_names for number in range(1, 10))

    def _is_known_size(self, words: Sequence[str]) -> bool:
        """Return whether the words name a keyboard with a profile, together with its number of keys:
        `Launchkey 49 MK2`.
        """
        counts = [at for at, word in enumerate(words) if word in _KEY_COUNTS]
        if len(counts) != 1 or len(words) < 3 or counts[0] in (0, len(words) - 1):
            return False
        return "".join([*words[: counts[0]], *words[counts[0] + 1 :]]) in self._known_names

    def _find_everyday_name(self, text: str) -> MentionedModel | None:
        """Return a model whose name is also an everyday phrase, such as `Push 3`, if the text is a question."""
        if not _NUMBER_QUESTION_PATTERN.search(text):
            return None
        for name, title in self._everyday_names.items():
            if re.search(rf"\b{re.escape(name)}\b", text):
                return MentionedModel(title, False)
        return None

    def find_by_maker(
        self, text: str, english: str, is_in_texts: Callable[[str, str], bool]
    ) -> MentionedModel | None:
        """Return a model that is in no list but follows the name of a maker: `Samson Graphite 49`.

        The word after the maker is a model if it contains a digit or is capitalised, and if no text mentions it
        together with the maker, which `is_in_texts` tells. `english` is the text in English.
        """
        pieces = re.findall(r"[\w+/:.-]+", text)
        if len(pieces) > MAX_WORDS_OF_BARE_QUESTION and not asks_for_numbers(english):
            return None
        plain = ["".join(split_words(piece)) for piece in pieces]
        for start, first_word in enumerate(plain):
            for maker_words, maker in self._makers_by_first_word.get(first_word, ()):
                end = start + len(maker_words)
                if tuple(plain[start:end]) != maker_words:
                    continue
                model = self._extract_model_words(
                    maker, pieces[end : end + MAX_MODEL_WORDS], is_in_texts
                )
                is_sure = maker.lower() not in _EVERYDAY_MAKERS or _is_model_code(model)
                if model and is_sure:
                    return MentionedModel(" ".join([maker, *model]), False)
        return None

    def _extract_model_words(
        self, maker: str, pieces: Sequence[str], is_in_texts: Callable[[str, str], bool]
    ) -> list[str]:
        """Return the words at the start of `pieces` that name a model."""
        model: list[str] = []
        for piece in pieces:
            word = piece.strip(".:-/")
            has_digit = any(map(str.isdigit, word))
            if not word or not (has_digit or word[0].isupper()) or word.lower() in _GENERIC_WORDS:
                break
            model.append(word)
        if not model or model[0].isdigit():
            return []
        codes = [word for word in model if any(map(str.isdigit, word))]
        is_known = all(is_in_texts(maker, word) for word in (model[0], *codes))
        return [] if is_known else model

    def find_makers(self, text: str) -> frozenset[str]:
        """Return the makers that a text mentions, without those whose name is an everyday word."""
        words = split_words(text)
        return frozenset(
            maker
            for start, first_word in enumerate(words)
            for maker_words, maker in self._makers_by_first_word.get(first_word, ())
            if tuple(words[start : start + len(maker_words)]) == maker_words
            and maker.lower() not in _EVERYDAY_MAKERS
        )

    def list_devices_of_others(self, makers: Iterable[str]) -> list[str]:
        """Return the ids of the devices with a profile that none of these makers makes."""
        prefixes = tuple(makers)
        return [
            device
            for device, names in self._known_devices.items()
            if not any(str(name).startswith(prefixes) for name in names)
        ]

    def _split_generations(
        self, words: Sequence[str], known: Sequence[tuple[int, int]]
    ) -> tuple[list[tuple[int, int]], dict[tuple[int, int], str]]:
        """Separate the names of devices that have a profile from those of later generations that have none."""
        found: list[tuple[int, int]] = []
        later: dict[tuple[int, int], str] = {}
        for start, end in known:
            whole = (start, end + (2 if words[end : end + 1] == ["mk"] else 1))
            mark = "".join(words[end : whole[1]])
            is_known = "".join(words[whole[0] : whole[1]]) in self._known_names
            is_counted = words[whole[1] : whole[1] + 1] and words[whole[1]] in _COUNTED_NOUNS
            is_counted = is_counted and not self._has_numbered_sibling("".join(words[start:end]))
            is_other = (
                _LATER_GENERATION.fullmatch(mark)
                or mark in _VARIANT_WORDS
                or (_NUMBERED_SUCCESSOR.fullmatch(mark) and not is_counted)
            )
            if is_other and not is_known:
                later[whole] = " ".join(words[whole[0] : whole[1]])
            else:
                found.append((start, end))
        return found, later


def _is_model_code(words: Sequence[str]) -> bool:
    """Return whether the first word of a name is a code such as `GMX` or `L-12`, not a word such as `Live`."""
    return bool(words) and len(words[0]) > 1 and words[0].upper() == words[0]


def _is_span_within(span: tuple[int, int], other: tuple[int, int]) -> bool:
    return span != other and other[0] <= span[0] and span[1] <= other[1]


def build_unknown_model_answer(title: str) -> ScoredChunk:
    """Return the search result for a model without a profile."""
    content = (
        f"{title}: there is no profile of this model yet, so its notes, CC numbers, channels and lights are "
        "not known here. Do not use the numbers of another device, not even of one with a similar name. Two "
        "ways to get them: learn it by playing (`conductor learn --profile`, or in Devices), or import a "
        "profile in Devices. For a single control, MIDI Learn shows what it sends."
    )
    slug = "-".join(split_words(title))
    chunk = Chunk(
        id=f"{NO_PROFILE_SOURCE}#{slug}",
        domain="device",
        source=NO_PROFILE_SOURCE,
        source_title="Models without a profile",
        section_path=(title, "No profile yet"),
        content=content,
        tokens=estimate_tokens(content),
    )
    return ScoredChunk(chunk=chunk, score=1.0, lexical=0.0, dense=0.0)


def find_unknown_model_answer(chunk_id: str) -> Chunk | None:
    """Return the answer about a model without a profile by its chunk id, or None for another id."""
    source, _, slug = chunk_id.partition("#")
    if source != NO_PROFILE_SOURCE or not re.fullmatch(r"[a-z0-9-]{1,80}", slug):
        return None
    return build_unknown_model_answer(slug.replace("-", " ")).chunk
