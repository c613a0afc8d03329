"""Recognises the names of controllers that have no profile, and builds the answer about them.

Without this, a question about such a controller finds the text of a similar one, with other numbers and a high
relevance. The names are in `knowledge/models.toml`; a model that has a profile is not in the list.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypedDict, cast

from conductor.domain.knowledge import Chunk, ScoredChunk
from conductor.errors import ConfigError
from conductor.knowledge.text import estimate_tokens, split_words

NO_PROFILE_SOURCE = "device/no-profile"
MIN_DISTINCT_NAME_CHARACTERS = 4
"""The shortest model name that is recognised without its maker."""
MAX_MODEL_NAME_WORDS = 6
"""The largest number of words in a model name."""
_LATER_GENERATION = re.compile(r"mk[2-9]")
"""The second and later generations of a device, which may send other numbers than the first."""
_ROMAN_NUMERALS = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5"}


class _ManufacturerFields(TypedDict):
    name: str
    models: list[str]


def read_known_models(path: Path) -> dict[str, list[str]]:
    """Return the names of each model in a file, by title: the full name, and short names that need no maker.

    Raises:
        ConfigError: the file is not valid; the message says why.
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
    return title, [title, *([plain] if is_distinct and plain == model else []), *short_names]


def normalise_model_name(name: str) -> str:
    """Return a name in the form in which names are compared: `lpd8mk2` for `LPD8 mkII`."""
    return "".join(_split_name_words(name))


def _split_name_words(text: str) -> list[str]:
    return [
        re.sub(r"mk(i{1,3}|iv|v)$", lambda found: f"mk{_ROMAN_NUMERALS[found[1]]}", word)
        for word in split_words(text)
    ]


class MentionedModel(NamedTuple):
    """A model without a profile that a text mentions."""

    title: str
    mentions_known_device: bool
    """Whether the text mentions a device with a profile too."""


class UnknownModelFinder:
    """Finds the names of models without a profile in a text."""

    def __init__(
        self, models: Mapping[str, Sequence[str]], known: Mapping[str, Iterable[str]]
    ) -> None:
        """Prepare the model names for searches. `known` contains the names of each device with a profile, by
        its id.
        """
        self._known_names = {
            normalise_model_name(name) for names in known.values() for name in names
        }
        self._known_names = {key for key in self._known_names if len(key) > 2}
        self._title_by_name = {
            key: title
            for title, names in models.items()
            for name in names
            if (key := normalise_model_name(name)) not in self._known_names
        }

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
        named = [(start, end) for start, end, key in spans if key in self._known_names]
        known, unknown = self._split_generations(words, named)
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
            return None
        title = unknown[max(unmatched, key=lambda span: span[1] - span[0])]
        return MentionedModel(title, bool(separate))

    def _split_generations(
        self, words: Sequence[str], known: Sequence[tuple[int, int]]
    ) -> tuple[list[tuple[int, int]], dict[tuple[int, int], str]]:
        """Separate names of devices with a profile from names of later generations without one."""
        found: list[tuple[int, int]] = []
        later: dict[tuple[int, int], str] = {}
        for start, end in known:
            whole = (start, end + (2 if words[end : end + 1] == ["mk"] else 1))
            mark = "".join(words[end : whole[1]])
            is_known = "".join(words[whole[0] : whole[1]]) in self._known_names
            if _LATER_GENERATION.fullmatch(mark) and not is_known:
                later[whole] = " ".join(words[whole[0] : whole[1]])
            else:
                found.append((start, end))
        return found, later


def _is_span_within(span: tuple[int, int], other: tuple[int, int]) -> bool:
    return span != other and other[0] <= span[0] and span[1] <= other[1]


def build_unknown_model_answer(title: str) -> ScoredChunk:
    """Build the search result for a model without a profile."""
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
    """Return the answer about a model without a profile by its chunk id, or None for any other chunk id."""
    source, _, slug = chunk_id.partition("#")
    if source != NO_PROFILE_SOURCE or not re.fullmatch(r"[a-z0-9-]{1,80}", slug):
        return None
    return build_unknown_model_answer(slug.replace("-", " ")).chunk
