"""Sends a flood until it is ended: `python flood_sender.py KIND [UDP PORT]`; prints `ready` when it begins."""

import itertools
import os
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator

DATAGRAM_BYTES = 64_800
TICK_S = 0.0005
"""A burst of 40 notes would stall the graph of a synchronous server, and with it the stream that is measured."""
PORT_NAME = "Flood"
Sender = tuple[Callable[[bytes], object], Callable[[], object]]


def main(kind: str, port: int) -> None:
    """Send `kind` to the OSC port, or from a MIDI port of its own."""
    rate, messages = KINDS[kind]()
    ended = threading.Event()

    def end(_signal: int, _frame: object) -> None:
        ended.set()

    signal.signal(signal.SIGTERM, end)
    send, close = _midi() if kind in ("notes", "sysex") else _udp(port)
    os.write(1, b"ready\n")
    began, sent = time.monotonic(), 0
    while not ended.wait(TICK_S):
        wanted = int((time.monotonic() - began) * rate)
        for _ in range(min(wanted - sent, 1_000)):
            send(next(messages))
        sent = wanted
    close()  # a JACK client that just vanishes stops a synchronous server


def _udp(port: int) -> Sender:
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.connect(("127.0.0.1", port))
    return sender.send, sender.close


def _midi() -> Sender:
    from conductor.devices.midi.binding import rtmidi

    output = rtmidi.MidiOut(rtmidi.API_UNIX_JACK, PORT_NAME)
    output.open_virtual_port("out")

    def close() -> None:
        output.close_port()
        output.delete()

    return output.send_message, close


def _garbage() -> tuple[int, Iterator[bytes]]:
    return 5_000, itertools.repeat(b"garbage that is no OSC at all")


def _single() -> tuple[int, Iterator[bytes]]:
    return 5_000, itertools.repeat(_message("/nobody/has/this"))


def _bundles(rate: int) -> Callable[[], tuple[int, Iterator[bytes]]]:
    element = _message("/x", tags=",")
    sized = struct.pack(">i", len(element)) + element
    bundle = b"#bundle\0" + bytes(8) + sized * ((DATAGRAM_BYTES - 16) // len(sized))
    return lambda: (rate, itertools.repeat(bundle))


def _message(address: str, tags: str = ",i") -> bytes:
    def padded(text: str) -> bytes:
        raw = text.encode() + b"\0"
        return raw + bytes(-len(raw) % 4)

    return padded(address) + padded(tags) + bytes(4 * (len(tags) - 1))


def _notes() -> tuple[int, Iterator[bytes]]:
    return 10_000, itertools.cycle([bytes((0x99, 40, 100)), bytes((0x89, 40, 0))])


def _sysex() -> tuple[int, Iterator[bytes]]:
    return 1_000, itertools.repeat(bytes((0xF0, 0x7D, *[5] * 1_000, 0xF7)))


KINDS: dict[str, Callable[[], tuple[int, Iterator[bytes]]]] = {
    "garbage": _garbage,
    "single": _single,
    "bundles-20": _bundles(20),
    "bundles-100": _bundles(100),
    "notes": _notes,
    "sysex": _sysex,
}

if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0)
