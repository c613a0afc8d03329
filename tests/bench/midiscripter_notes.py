# pyright: reportMissingImports=false, reportUntypedFunctionDecorator=false
"""The benchmark's job in midiscripter: each note of each channel becomes the CC of its number."""

import sys
from functools import partial
from typing import Any

import supriya_midi  # type: ignore[import-not-found]
from midiscripter import (  # type: ignore[import-not-found]
    ChannelMsg,
    MidiIn,
    MidiOut,
    MidiType,
    start_silent,
)

# It asks for ALSA first, which a machine without a sound card does not have.
MidiIn._rtmidi_port_class = partial(supriya_midi.MidiIn, supriya_midi.RtMidiAPI.UNIX_JACK)
MidiOut._rtmidi_port_class = partial(supriya_midi.MidiOut, supriya_midi.RtMidiAPI.UNIX_JACK)

midi_in = MidiIn("midiscripter in", virtual=True)
midi_out = MidiOut("midiscripter out", virtual=True)


def subscribe(channel: int, note: int) -> None:
    @midi_in.subscribe(MidiType.NOTE_ON, channel, note)
    def play(message: Any) -> None:  # pyright: ignore[reportUnusedFunction]
        midi_out.send(ChannelMsg(MidiType.CONTROL_CHANGE, channel, note, message.data2))


if __name__ == "__main__":
    for number in range(128 * int(sys.argv[1])):
        subscribe(number // 128 + 1, number % 128)
    start_silent()
