# pyright: reportMissingImports=false
"""The benchmark's job in midiscripter: each note of each channel becomes the CC of its number."""

import sys
from typing import Any

from midiscripter import (  # type: ignore[import-not-found]
    ChannelMsg,
    MidiIn,
    MidiOut,
    MidiType,
    start_silent,
)

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
