"""Records the sounding notes of MIDI outputs in a memory-mapped file, so that they can be ended after a kill.

The file has a slot for each output: its name, then one byte for each note of each channel. Writing a byte is
atomic, so the file is always consistent, and recording a note takes a microsecond at most.
"""

import json
import logging
import mmap
from collections.abc import MutableSequence
from pathlib import Path
from typing import Protocol

from conductor.devices.midi.apis import PortKey

log = logging.getLogger(__name__)

PORT_NAME_BYTES = 512
NOTE_COUNT = 16 * 128
SLOT_BYTES = PORT_NAME_BYTES + NOTE_COUNT
SLOT_COUNT = 32
"""The number of outputs that fit in the file; the notes of further outputs are kept in memory only."""

FILE_BYTES = SLOT_COUNT * SLOT_BYTES

NoteStates = MutableSequence[int] | memoryview
"""The state of each note, 0 if it is silent. The index is `(channel - 1) * 128 + note`."""


class SoundingNotes(Protocol):
    """Stores the sounding notes of each output, including notes left by an engine that was killed."""

    def get_notes(self, key: PortKey) -> NoteStates: ...
    def list_sounding_outputs(self) -> set[PortKey]: ...


class NotesInMemory:
    """Keeps the sounding notes in the memory of this process, where they are lost if it is killed."""

    def __init__(self) -> None:
        self._notes: dict[PortKey, NoteStates] = {}

    def get_notes(self, key: PortKey) -> NoteStates:
        """Return the notes of an output. Each call returns the same array, which the caller changes."""
        return self._notes.setdefault(key, bytearray(NOTE_COUNT))

    def list_sounding_outputs(self) -> set[PortKey]:
        """Return the outputs that have at least one sounding note."""
        return {key for key, notes in self._notes.items() if any(notes)}


class NotesInFile(NotesInMemory):
    """Keeps the sounding notes in a file, which also contains those of the previous engine process."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._free: list[int] = []
        try:
            self._memory = memoryview(_open_memory_map(path))
        except OSError as error:
            log.warning("notes that sound during a crash may keep sounding: %s", error)
            return
        for start in range(0, FILE_BYTES, SLOT_BYTES):
            self._load_slot(start)

    def get_notes(self, key: PortKey) -> NoteStates:
        name = json.dumps(key).encode()
        if key not in self._notes and self._free and len(name) <= PORT_NAME_BYTES:
            start = self._free.pop()
            notes = self._memory[start + PORT_NAME_BYTES : start + SLOT_BYTES]
            notes[:] = bytes(NOTE_COUNT)
            self._memory[start : start + PORT_NAME_BYTES] = name.ljust(PORT_NAME_BYTES, b"\0")
            self._notes[key] = notes
        return super().get_notes(key)

    def _load_slot(self, start: int) -> None:
        """Load the notes of a slot if any note sounds, otherwise mark the slot as free."""
        name = bytes(self._memory[start : start + PORT_NAME_BYTES]).rstrip(b"\0")
        notes = self._memory[start + PORT_NAME_BYTES : start + SLOT_BYTES]
        if not any(notes):
            self._free.append(start)
            return
        try:
            api, port, name_index = json.loads(name)
            self._notes[PortKey(int(api), str(port), int(name_index))] = notes
        except (ValueError, TypeError):
            self._free.append(start)


def _open_memory_map(path: Path) -> mmap.mmap:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.is_file() or path.stat().st_size != FILE_BYTES:
        path.write_bytes(bytes(FILE_BYTES))
    path.chmod(0o600)
    with path.open("r+b") as file:
        return mmap.mmap(file.fileno(), FILE_BYTES)
