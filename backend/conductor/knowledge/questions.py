"""Adds questions in the words of strangers to the chunks, so that a text is found by more than its own terms.

The questions of `knowledge/questions/*.toml` are kept apart from the texts, because they are as many as the
sections. The questions about devices are made from the summary of their profile and from what people call them.
"""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from conductor.domain.knowledge import Chunk
from conductor.errors import ConfigError

_NICKNAMES = "nicknames"
_SUBJECTS = {
    "Controls": "which notes and cc numbers do its pads, knobs, faders and buttons send",
    "Lights": "light up its buttons and pads, colours",
    "Good to know": "quirks, ports, modes and what to watch out for",
}
"""What a section of a device profile tells, by its heading."""


class WrittenQuestions(NamedTuple):
    """The questions of the files: by chunk id, and the names that people give to a device by profile id."""

    by_chunk: Mapping[str, tuple[str, ...]]
    nicknames: Mapping[str, tuple[str, ...]]


def read_written_questions(folder: Path) -> WrittenQuestions:
    """Read the questions of all files in a folder, which may not exist.

    Raises:
        ConfigError: a file is not valid; the message says which and why.
    """
    by_chunk: dict[str, tuple[str, ...]] = {}
    nicknames: dict[str, tuple[str, ...]] = {}
    for path in sorted(folder.glob("*.toml")):
        try:
            tables: Any = tomllib.loads(path.read_text(encoding="utf-8"))
            for source, rows in tables.items():
                questions = {str(key): _split(text) for key, text in rows.items()}
                if source == _NICKNAMES:
                    nicknames.update(questions)
                else:
                    by_chunk.update({f"{source}#{key}": text for key, text in questions.items()})
        except (ValueError, AttributeError) as error:
            raise ConfigError(
                f"{path}: {error}; expected a table for each document, with questions by section"
            ) from None
    return WrittenQuestions(by_chunk, nicknames)


def add_questions(chunks: Iterable[Chunk], written: WrittenQuestions) -> list[Chunk]:
    """Return the chunks with the questions of the files and those about devices."""
    return [
        chunk.model_copy(update={"ask": (*chunk.ask, *questions)}) if questions else chunk
        for chunk in chunks
        for questions in [_list_questions(chunk, written)]
    ]


def _list_questions(chunk: Chunk, written: WrittenQuestions) -> tuple[str, ...]:
    own = written.by_chunk.get(chunk.id, ())
    names = written.nicknames.get(chunk.device or "", ())
    return (*own, *_ask_about_device(chunk.title, names))


def _ask_about_device(title: str, names: Sequence[str]) -> list[str]:
    """Return a question for each name of a device and each subject of the section, as in "Lights; Good to
    know".
    """
    subjects = [text for heading, text in _SUBJECTS.items() if heading.lower() in title.lower()]
    return [f"{name}: {subject}" for name in names for subject in subjects]


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split("|") if part.strip())
