# pyright: reportAttributeAccessIssue=false, reportUnknownLambdaType=false
"""The smallest possible MIDI program on python-rtmidi: what comes in goes out.

It does nothing else, so it is the least that any Python program on this library can take.
"""

import signal
import threading

import rtmidi


def main() -> None:
    over = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: over.set())
    midi_out = rtmidi.MidiOut(rtmidi.API_UNIX_JACK, "bare pass-through")
    midi_out.open_virtual_port("out")
    midi_in = rtmidi.MidiIn(rtmidi.API_UNIX_JACK, "bare pass-through")
    midi_in.open_virtual_port("in")
    send = midi_out.send_message
    midi_in.set_callback(lambda event, _data: send(event[0]))
    over.wait()
    midi_in.cancel_callback()
    for port in (midi_in, midi_out):
        port.close_port()
        port.delete()


if __name__ == "__main__":
    main()
