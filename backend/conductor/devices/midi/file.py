"""Reads Standard MIDI Files as input events, so that a recorded performance can be simulated."""

import io
from collections.abc import Iterator

import mido

from conductor.devices.midi.messages import MidiDecoder
from conductor.domain.events import InputEvent
from conductor.errors import BadScript

_MAGIC = b"MThd"
"""The first bytes of every MIDI file."""
_INDEPENDENT_TRACKS = 2
"""The type of a MIDI file with independent tracks, which cannot be played at the same time."""


def load_midi_file(data: bytes) -> mido.MidiFile:
    """Parse a MIDI file.

    Raises:
        BadScript: the data is not a complete MIDI file.
    """
    if not data:
        raise _build_error("it is empty")
    if not data.startswith(_MAGIC):
        raise _build_error("it is of another kind")
    try:
        file = mido.MidiFile(file=io.BytesIO(data))
    except EOFError:
        raise _build_error("its end is missing") from None
    except (OSError, ValueError, LookupError, mido.KeySignatureError):
        raise _build_error("it is damaged") from None
    if not file.tracks:
        raise _build_error("it has no tracks")
    return file


def _build_error(reason: str) -> BadScript:
    return BadScript(f"the MIDI file cannot be read because {reason}; copy or export it again")


def read_midi_file(data: bytes, device: str) -> Iterator[InputEvent]:
    """Yield the events of all tracks of a MIDI file in chronological order.

    Raises:
        BadScript: the data is not a MIDI file that can be played.
    """
    file = load_midi_file(data)
    if file.type == _INDEPENDENT_TRACKS:
        raise BadScript("a MIDI file of type 2 cannot be played; export it as type 0 or 1")
    if file.ticks_per_beat == 0:
        raise BadScript("the MIDI file cannot be played because it is damaged; export it again")
    decoder = MidiDecoder(device)
    now = 0.0
    for message in file:
        now += message.time
        if not message.is_meta:
            yield from decoder.decode_bytes(bytes(message.bytes()), now)
