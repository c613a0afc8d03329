"""Standard MIDI Files as events, for simulations (the home of `mido`)."""

import io
from collections.abc import Iterator

import mido

from conductor.devices.midi.messages import Decoder
from conductor.domain.events import InputEvent
from conductor.errors import BadScript


def read_midi_file(data: bytes, device: str) -> Iterator[InputEvent]:
    """Return the events of a file in order of time, all tracks together.

    Raises:
        BadScript: it is not a MIDI file that can be read.
    """
    decoder = Decoder(device)
    now = 0.0
    try:
        for message in mido.MidiFile(file=io.BytesIO(data)):
            now += message.time
            if not message.is_meta:
                yield from decoder.feed(bytes(message.bytes()), now)
    except (OSError, EOFError, ValueError, IndexError, KeyError) as error:
        raise BadScript(f"the MIDI file cannot be read: {error}") from None
