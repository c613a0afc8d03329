"""A MIDI device in a process of its own: `python midi_peer.py NAME`, commanded over stdin.

It opens the virtual ports `NAME:out` and `NAME In:in` and prints `ready`. `send 90 24 64` sends
those bytes; `burst 5000` sends that many numbered control changes. What arrives is printed as
`got 90 24 64`.
"""

import os
import select
import sys
from typing import Any

from conductor.devices.midi.binding import rtmidi

PAUSE_EVERY = 16
"""Messages per millisecond in a burst: JACK drops what does not fit into one period."""


def numbered_cc(number: int) -> bytes:
    """Return the control change that a burst sends as its `number`th message."""
    return bytes((0xB0 | number >> 14 & 0x0F, number >> 7 & 0x7F, number & 0x7F))


def _say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


def _got(event: tuple[list[int], float], _data: Any) -> None:
    _say("got " + bytes(event[0]).hex(" "))


def _obey(words: list[str], output: Any) -> None:
    match words:
        case ["send", *hex_bytes]:
            output.send_message(bytes.fromhex("".join(hex_bytes)))
        case ["burst", count]:
            for number in range(int(count)):
                output.send_message(numbered_cc(number))
                if number % PAUSE_EVERY == 0:
                    select.select([], [], [], 0.001)
            _say("burst done")
        case _:
            _say(f"unknown command {words}")


def main(name: str) -> None:
    """Be the device until stdin closes."""
    api = rtmidi.API_UNIX_JACK
    output, listener = rtmidi.MidiOut(api, name), rtmidi.MidiIn(api, f"{name} In")
    listener.ignore_types(sysex=False, timing=False, active_sense=True)
    output.open_virtual_port("out")
    listener.open_virtual_port("in")
    listener.set_callback(_got)
    _say("ready")
    try:
        for line in sys.stdin:
            _obey(line.split(), output)
    finally:
        listener.cancel_callback()
        select.select([], [], [], 0.02)  # a callback under way needs the GIL to end
        for port in (output, listener):
            port.close_port()
            port.delete()


if __name__ == "__main__":
    main(sys.argv[1])
