"""Reads Standard MIDI Files as events, for simulations."""

import io
from collections.abc import Iterator

import mido

from conductor.devices.midi.messages import MidiDecoder
from conductor.domain.events import InputEvent
from conductor.errors import BadScript


def read_midi_file(data: bytes, device: str) -> Iterator[InputEvent]:
    """Yield the events of all tracks of a MIDI file in chronological order.

    Raises:
        BadScript: the data is not a readable MIDI file.
    """
    decoder = MidiDecoder(device)
    now = 0.0
    try:
        for message in mido.MidiFile(file=io.BytesIO(data)):
            now += message.time
            if not message.is_meta:
                yield from decoder.feed(bytes(message.bytes()), now)
    except (OSError, EOFError, ValueError, IndexError, KeyError) as error:
        raise BadScript(f"the MIDI file cannot be read: {error}") from None
