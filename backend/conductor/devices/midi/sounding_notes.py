"""Records the sounding notes of each MIDI output in a mapped file, so that they can be ended after a `kill -9`.

Each output has a slot: its name, then one byte for each note of each channel. Writing a byte is atomic, so
nothing is ever half-written, and a note costs a microsecond at most.
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
"""More outputs than are used in practice; the notes of further outputs are not in the file."""

FILE_BYTES = SLOTS * SLOT_BYTES

Notes = MutableSequence[int] | memoryview
"""Indexed by `(channel - 1) * 128 + note`; not 0 while the note sounds."""


class SoundingNotes(Protocol):
    """The sounding notes of each output, including those left by a dead engine."""

    def get_notes(self, key: PortKey) -> Notes: ...
    def list_sounding_outputs(self) -> set[PortKey]: ...


class NotesInMemory:
    """Sounding notes in the memory of this process."""

    def __init__(self) -> None:
        self._notes: dict[PortKey, Notes] = {}

    def get_notes(self, key: PortKey) -> Notes:
        """Return the notes of an output; each call returns the same array."""
        return self._notes.setdefault(key, bytearray(NOTES))

    def list_sounding_outputs(self) -> set[PortKey]:
        """Return the outputs with sounding notes."""
        return {key for key, notes in self._notes.items() if any(notes)}


class NotesInFile(NotesInMemory):
    """Sounding notes in a file that outlives the process, with the notes left by the previous process.

    If the file cannot be created, the notes are in memory only.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._free: list[int] = []
        try:
            self._memory = memoryview(_map_file(path))
        except OSError as error:
            log.warning("notes that sound during a crash may not be ended: %s", error)
            return
        for start in range(0, FILE_BYTES, SLOT_BYTES):
            self._read(start)

    def get_notes(self, key: PortKey) -> Notes:
        name = json.dumps(key).encode()
        if key not in self._notes and self._free and len(name) <= NAME_BYTES:
            start = self._free.pop()
            notes = self._memory[start + NAME_BYTES : start + SLOT_BYTES]
            notes[:] = bytes(NOTES)
            self._memory[start : start + NAME_BYTES] = name.ljust(NAME_BYTES, b"\0")
            self._notes[key] = notes
        return super().get_notes(key)

    def _read(self, start: int) -> None:
        """Load a slot with sounding notes; any other slot is free."""
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


def _map_file(path: Path) -> mmap.mmap:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.is_file() or path.stat().st_size != FILE_BYTES:
        path.write_bytes(bytes(FILE_BYTES))
    path.chmod(0o600)
    with path.open("r+b") as file:
        return mmap.mmap(file.fileno(), FILE_BYTES)
