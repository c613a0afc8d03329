"""Sounding notes are known after a kill, and end when the port is available again."""

import subprocess
import sys
from pathlib import Path

import pytest

from conductor.devices.midi.apis import PortKey
from conductor.devices.midi.sounding_notes import NOTE_COUNT, SLOT_BYTES, SLOT_COUNT, NotesInFile

SYNTH = PortKey(1, "Synth é", 0)
CRASH = """
import os, signal, sys
from pathlib import Path
from conductor.devices.midi.apis import PortKey
from conductor.devices.midi.sounding_notes import NotesInFile
notes = NotesInFile(Path(sys.argv[1])).get_notes(PortKey(1, "Synth é", 0))
notes[60] = notes[64] = 1
notes[64] = 0
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run" / "sounding-notes"


def sounding(notes: NotesInFile, key: PortKey) -> list[int]:
    return [note for note, sounds in enumerate(bytes(notes.get_notes(key))) if sounds]


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is Unix's")
def test_the_notes_of_a_killed_process_are_known_to_the_next(path: Path):
    done = subprocess.run([sys.executable, "-c", CRASH, str(path)], timeout=30)
    assert done.returncode == -9
    notes = NotesInFile(path)
    assert notes.list_sounding_outputs() == {SYNTH}
    assert sounding(notes, SYNTH) == [60]


def test_the_slot_of_an_output_without_notes_is_reused_by_the_next_engine(path: Path):
    for number in range(SLOT_COUNT):
        NotesInFile(path).get_notes(PortKey(1, f"Synth {number}"))[5] = 0
    after = NotesInFile(path)
    after.get_notes(SYNTH)[1] = 1
    assert NotesInFile(path).list_sounding_outputs() == {SYNTH}


def test_outputs_without_a_slot_keep_their_notes_in_memory(path: Path):
    notes = NotesInFile(path)
    keys = [PortKey(1, f"Synth {number}") for number in range(SLOT_COUNT + 1)]
    for key in keys:
        notes.get_notes(key)[7] = 1
    assert notes.list_sounding_outputs() == set(keys)
    assert len(NotesInFile(path).list_sounding_outputs()) == SLOT_COUNT


@pytest.mark.parametrize(
    "content",
    [b"", b"short", b"\xff" * SLOT_COUNT * SLOT_BYTES, b"[1,2]\0" * (SLOT_COUNT * SLOT_BYTES // 6)],
)
def test_a_damaged_file_counts_as_empty_and_is_reused(path: Path, content: bytes):
    path.parent.mkdir()
    path.write_bytes(content)
    notes = NotesInFile(path)
    assert notes.list_sounding_outputs() == set()
    assert sounding(notes, SYNTH) == []
    notes.get_notes(SYNTH)[NOTE_COUNT - 1] = 1
    assert NotesInFile(path).list_sounding_outputs() == {SYNTH}


def test_the_file_is_readable_by_its_owner_only(path: Path):
    NotesInFile(path)
    assert path.stat().st_mode & 0o777 == 0o600


def test_without_a_file_notes_are_kept_in_memory(tmp_path: Path):
    (tmp_path / "run").write_text("a file where the folder should be")
    notes = NotesInFile(tmp_path / "run" / "sounding-notes")
    notes.get_notes(SYNTH)[60] = 1
    assert notes.list_sounding_outputs() == {SYNTH}
