"""Adds questions in everyday words to the chunks, so that a text is also found by users who do not know
its terms.

The files `knowledge/questions/*.toml` contain these questions. They are separate from the texts, because
there are as many questions as sections. Questions about devices are built from the sections of the profile
and from the names that people use for the device.
"""

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
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
"""The subjects that a section of a device profile answers, by the heading of the section."""


class WrittenQuestions(NamedTuple):
    """The questions of the files by chunk id, and the names that people use for a device by profile id."""

    by_chunk: Mapping[str, tuple[str, ...]]
    nicknames: Mapping[str, tuple[str, ...]]

    def exclude_chunks(self, prefix: str) -> "WrittenQuestions":
        """Return the questions except those for chunks whose id starts with a prefix."""
        kept = {key: text for key, text in self.by_chunk.items() if not key.startswith(prefix)}
        return self._replace(by_chunk=kept)


def read_written_questions(folder: Path) -> WrittenQuestions:
    """Return the questions in all files of a folder. If the folder does not exist, there are none.

    Raises:
        ConfigError: A file is invalid, or two files have the same key. The message says which one and why.
    """
    by_chunk: dict[str, tuple[str, ...]] = {}
    nicknames: dict[str, tuple[str, ...]] = {}
    for path in sorted(folder.glob("*.toml")):
        try:
            tables: Any = tomllib.loads(path.read_text(encoding="utf-8"))
            for source, rows in tables.items():
                questions = {str(key): _split(text) for key, text in rows.items()}
                if source == _NICKNAMES:
                    _add_new(path, nicknames, questions)
                else:
                    by_id = {f"{source}#{key}": text for key, text in questions.items()}
                    _add_new(path, by_chunk, by_id)
        except (ValueError, AttributeError) as error:
            raise ConfigError(
                f"{path}: {error}; expected a table for each document, with questions by section"
            ) from None
    return WrittenQuestions(by_chunk, nicknames)


def _add_new(
    path: Path, found: dict[str, tuple[str, ...]], questions: Mapping[str, tuple[str, ...]]
) -> None:
    """Add the questions of a file to those of earlier files.

    Raises:
        ConfigError: An earlier file has questions for the same section or device.
    """
    if repeated := sorted(found.keys() & questions.keys()):
        raise ConfigError(
            f"{path}: another file has questions for {repeated[0]!r} too; put them in one file"
        )
    found.update(questions)


def add_questions(chunks: Iterable[Chunk], written: WrittenQuestions) -> list[Chunk]:
    """Return the chunks with their questions from the files, and with the questions about devices.

    Raises:
        ConfigError: There are questions for a section or a device that does not exist.
    """
    chunks = list(chunks)
    _check_ids("section", written.by_chunk, {chunk.id for chunk in chunks})
    _check_ids("device", written.nicknames, {chunk.device for chunk in chunks})
    return [
        chunk.model_copy(update={"ask": (*chunk.ask, *questions)}) if questions else chunk
        for chunk in chunks
        for questions in [_list_questions(chunk, written)]
    ]


def _check_ids(kind: str, used: Iterable[str], existing: Collection[str | None]) -> None:
    if unknown := sorted(key for key in used if key not in existing):
        raise ConfigError(
            f"questions/*.toml: there is no {kind} {unknown[0]!r}; rename or remove its questions"
        )


def _list_questions(chunk: Chunk, written: WrittenQuestions) -> tuple[str, ...]:
    own = written.by_chunk.get(chunk.id, ())
    names = written.nicknames.get(chunk.device or "", ())
    return (*own, *_ask_about_device(chunk.title, names))


def _ask_about_device(title: str, names: Sequence[str]) -> list[str]:
    """Return one question for each name of a device and each subject in the title, such as "Lights; Good
    to know".
    """
    subjects = [
        text
        for heading, text in _SUBJECTS.items()
        if re.search(rf"\b{heading}\b", title, re.IGNORECASE)
    ]
    return [f"{name}: {subject}" for name in names for subject in subjects]


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split("|") if part.strip())
