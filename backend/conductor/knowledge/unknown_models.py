"""Recognises controllers without a profile by their name, and answers for them.

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
from conductor.knowledge.text import estimate_tokens, plain_words

SOURCE = "device/no-profile"
MIN_LETTERS = 4
"""The shortest model name that is recognised without its maker."""
LONGEST_RUN = 6
"""The largest number of words that a name is searched in."""
_GENERATION = re.compile(r"mk[2-9]")
"""The second and later generations of a device, which may send other numbers than the first."""
_ROMAN = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5"}


class _Maker(TypedDict):
    name: str
    models: list[str]


def read_models(path: Path) -> dict[str, list[str]]:
    """Return the names of each model in a file: the full name, and those that count without the maker.

    Raises:
        ConfigError: the file is not valid; says why.
    """
    if not path.is_file():
        return {}
    try:
        makers = cast(list[_Maker], tomllib.loads(path.read_text(encoding="utf-8"))["makers"])
        return dict(_list_names(each["name"], model) for each in makers for model in each["models"])
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path}: {error}") from None


def _list_names(maker: str, written: str) -> tuple[str, list[str]]:
    model, *alone = written.split("|")
    plain = model.removeprefix("!")
    key = join_words(plain)
    is_distinct = len(key) >= MIN_LETTERS and not key.isalpha() and not key.isdigit()
    title = plain if plain.startswith(maker) else f"{maker} {plain}"
    return title, [title, *([plain] if is_distinct and plain == model else []), *alone]


def join_words(name: str) -> str:
    """Return a name in the form in which names are compared: `lpd8mk2` for `LPD8 mkII`."""
    return "".join(_split_words(name))


def _split_words(text: str) -> list[str]:
    return [
        re.sub(r"mk(i{1,3}|iv|v)$", lambda found: f"mk{_ROMAN[found[1]]}", word)
        for word in plain_words(text)
    ]


class NamedModel(NamedTuple):
    """A model without a profile that a text mentions."""

    title: str
    beside_known: bool
    """Whether the text mentions a device with a profile too."""


class UnknownModels:
    """The models without a profile."""

    def __init__(
        self, models: Mapping[str, Sequence[str]], known: Mapping[str, Iterable[str]]
    ) -> None:
        """Prepare the names. `known` contains the names of each device with a profile, by its id."""
        self._known = {join_words(name) for names in known.values() for name in names}
        self._known = {key for key in self._known if len(key) > 2}
        self._titles = {
            key: title
            for title, names in models.items()
            for name in names
            if (key := join_words(name)) not in self._known
        }

    def find(self, text: str) -> NamedModel | None:
        """Return the model without a profile that a text mentions, or None.

        If two names overlap, the longer one counts: `BeatStep Pro` is not a BeatStep.
        """
        words = _split_words(text)
        spans = [
            (start, start + length, "".join(words[start : start + length]))
            for start in range(len(words))
            for length in range(1, min(LONGEST_RUN, len(words) - start) + 1)
        ]
        named = [(start, end) for start, end, key in spans if key in self._known]
        known, unknown = self._split_generations(words, named)
        unknown |= {
            (start, end): self._titles[key] for start, end, key in spans if key in self._titles
        }
        free = [span for span in unknown if not any(_is_within(span, other) for other in known)]
        beside = [span for span in known if not any(_is_within(span, other) for other in free)]
        if not free:
            return None
        title = unknown[max(free, key=lambda span: span[1] - span[0])]
        return NamedModel(title, bool(beside))

    def _split_generations(
        self, words: Sequence[str], known: Sequence[tuple[int, int]]
    ) -> tuple[list[tuple[int, int]], dict[tuple[int, int], str]]:
        """Separate names of devices with a profile from names of later generations without one."""
        found: list[tuple[int, int]] = []
        later: dict[tuple[int, int], str] = {}
        for start, end in known:
            whole = (start, end + (2 if words[end : end + 1] == ["mk"] else 1))
            mark = "".join(words[end : whole[1]])
            is_known = "".join(words[whole[0] : whole[1]]) in self._known
            if _GENERATION.fullmatch(mark) and not is_known:
                later[whole] = " ".join(words[whole[0] : whole[1]])
            else:
                found.append((start, end))
        return found, later


def _is_within(span: tuple[int, int], other: tuple[int, int]) -> bool:
    return span != other and other[0] <= span[0] and span[1] <= other[1]


def build_answer(title: str) -> ScoredChunk:
    """Build the search result for a model without a profile."""
    content = (
        f"{title}: there is no profile of this model yet, so its notes, CC numbers, channels and lights are "
        "not known here. Do not use the numbers of another device, not even of one with a similar name. Two "
        "ways to get them: learn it by playing (`conductor learn --profile`, or in Devices), or import a "
        "profile in Devices. For a single control, MIDI Learn shows what it sends."
    )
    slug = "-".join(plain_words(title))
    chunk = Chunk(
        id=f"{SOURCE}#{slug}",
        domain="device",
        source=SOURCE,
        source_title="Models without a profile",
        section_path=(title, "No profile yet"),
        content=content,
        tokens=estimate_tokens(content),
    )
    return ScoredChunk(chunk=chunk, score=1.0, lexical=0.0, dense=0.0)


def find_answer(chunk_id: str) -> Chunk | None:
    """Return the answer with this id, or None if the id is not that of such an answer."""
    source, _, slug = chunk_id.partition("#")
    if source != SOURCE or not re.fullmatch(r"[a-z0-9-]{1,80}", slug):
        return None
    return build_answer(slug.replace("-", " ")).chunk
