"""Which notes sound at which MIDI output: in a file mapping, so that they can end after a `kill -9`.

An output has a slot: its name, then a byte for each note of each channel. A byte is written in one
go, so nothing is ever half-written, and a note costs a microsecond at most.
"""

import json
import logging
import mmap
from collections.abc import MutableSequence
from pathlib import Path
from typing import Protocol

from conductor.devices.midi.apis import PortKey

log = logging.getLogger(__name__)

NAME_BYTES = 512
NOTES = 16 * 128
SLOT_BYTES = NAME_BYTES + NOTES
SLOTS = 32
"""More outputs than anyone plays notes to; those beyond are not in the file."""

FILE_BYTES = SLOTS * SLOT_BYTES

Notes = MutableSequence[int] | memoryview
"""Not 0 where `(channel - 1) * 128 + note` sounds."""


class SoundingNotes(Protocol):
    """Gives the notes of each output, and knows which ones a dead engine left."""

    def of(self, key: PortKey) -> Notes: ...
    def left(self) -> set[PortKey]: ...


class NotesInMemory:
    """Forgets with the process."""

    def __init__(self) -> None:
        self._notes: dict[PortKey, Notes] = {}

    def of(self, key: PortKey) -> Notes:
        """Return the notes of an output; the same ones each time."""
        return self._notes.setdefault(key, bytearray(NOTES))

    def left(self) -> set[PortKey]:
        """Return the outputs with a note that sounds."""
        return {key for key, notes in self._notes.items() if any(notes)}


class NotesInFile(NotesInMemory):
    """Outlives the process. What the one before left sounding is still there.

    Where no file can be, the notes are kept in memory.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._free: list[int] = []
        try:
            self._memory = memoryview(_mapped(path))
        except OSError as error:
            log.warning("notes that sound in a crash may go on: %s", error)
            return
        for start in range(0, FILE_BYTES, SLOT_BYTES):
            self._read(start)

    def of(self, key: PortKey) -> Notes:
        name = json.dumps(key).encode()
        if key not in self._notes and self._free and len(name) <= NAME_BYTES:
            start = self._free.pop()
            notes = self._memory[start + NAME_BYTES : start + SLOT_BYTES]
            notes[:] = bytes(NOTES)
            self._memory[start : start + NAME_BYTES] = name.ljust(NAME_BYTES, b"\0")
            self._notes[key] = notes
        return super().of(key)

    def _read(self, start: int) -> None:
        """Take over a slot with notes that sound; any other is free."""
        name = bytes(self._memory[start : start + NAME_BYTES]).rstrip(b"\0")
        notes = self._memory[start + NAME_BYTES : start + SLOT_BYTES]
        if not any(notes):
            self._free.append(start)
            return
        try:
            api, port, nth = json.loads(name)
            self._notes[PortKey(int(api), str(port), int(nth))] = notes
        except (ValueError, TypeError):
            self._free.append(start)


def _mapped(path: Path) -> mmap.mmap:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.is_file() or path.stat().st_size != FILE_BYTES:
        path.write_bytes(bytes(FILE_BYTES))
    path.chmod(0o600)
    with path.open("r+b") as file:
        return mmap.mmap(file.fileno(), FILE_BYTES)
