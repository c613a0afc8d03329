"""A flooded MIDI input is read in small parts, its queue is bounded, and lost messages are counted."""

import os
from collections.abc import Iterator
from typing import Any
from unittest.mock import MagicMock

import pytest

from conductor.devices.midi import input as midi_input
from conductor.devices.midi.apis import PortKey
from conductor.devices.midi.input import MidiInput
from conductor.devices.midi.input_pool import InputPool
from conductor.devices.midi.messages import MidiDecoder
from conductor.devices.midi.port_link import MAX_QUEUED_BYTES, Outbox
from conductor.devices.midi.port_process import FRAME_HEADER, LOST_FRAME, MIDI_FRAME
from conductor.devices.midi.port_start import PortRequest

EIGHT = 9
"""The most that one read of a flood returns: eight messages, and one that was partly read before."""


class PipedInput:
    """An input whose port process is played by the test, which writes frames into the pipe."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.time = 100.0
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._reader, False)
        started = (MagicMock(), self._reader, None)

        def start(_request: PortRequest) -> Any:
            return started

        monkeypatch.setattr(midi_input, "start_with_pipe", start)
        monkeypatch.setattr(midi_input.clock, "now", lambda: self.time)
        self.input = MidiInput("pads", PortRequest(0, "Pads", 0, "Conductor"), "pipe")

    def write(self, payload: bytes, kind: int = MIDI_FRAME) -> None:
        os.write(self._writer, FRAME_HEADER.pack(len(payload), kind, self.time) + payload)

    def close(self) -> None:
        self.input.close()
        os.close(self._writer)


@pytest.fixture
def piped(monkeypatch: pytest.MonkeyPatch) -> Iterator[PipedInput]:
    piped = PipedInput(monkeypatch)
    yield piped
    piped.close()


def controls(count: int) -> list[bytes]:
    return [bytes((0xB0, number >> 7, number & 0x7F)) for number in range(count)]


def test_each_read_of_a_flood_is_small_and_everything_arrives_in_order(piped: PipedInput):
    for message in controls(3_000):
        piped.write(message)
    reads = [piped.input.read_events() for _ in range(400)]
    sizes = [len(one) for one in reads]
    assert max(sizes) <= midi_input.MAX_READ_BYTES // (FRAME_HEADER.size + 3) + 1
    assert max(sizes[4:]) <= EIGHT
    values = [(int(e.number), int(e.value)) for events in reads for e in events]
    assert values == [(message[1], message[2]) for message in controls(3_000)]


def test_a_players_input_is_read_at_once(piped: PipedInput):
    for second in range(5):
        piped.time += 1
        for message in controls(250):
            piped.write(message)
        assert len(piped.input.read_events()) == 250, second


def test_a_chord_after_a_flood_is_read_at_once(piped: PipedInput):
    for message in controls(3_000):
        piped.write(message)
    while piped.input.read_events():
        pass
    piped.time += 1
    for note in range(10):
        piped.write(bytes((0x90, note, 100)))
    assert len(piped.input.read_events()) == 10


def test_a_long_sysex_is_the_same_message_however_it_is_split():
    whole = bytes((0xF0, *[5] * 20_000, 0xF7))
    for size in (1, 7, 4_085, len(whole)):
        decoder = MidiDecoder("pads")
        pieces = [whole[start : start + size] for start in range(0, len(whole), size)]
        events = [event for piece in pieces for event in decoder.decode_bytes(piece, 0)]
        assert [event.data for event in events] == [whole]


def test_an_unread_flood_of_sysex_does_not_fill_the_memory():
    class FullPipe:
        control = data = wake_end = 0

        def write(self, data: bytes) -> int:
            raise BlockingIOError

        def has_parent_exited(self) -> bool:
            return False

        def wake(self) -> None: ...
        def clear_wake(self) -> None: ...

    outbox = Outbox(FullPipe(), lambda lost: lost.to_bytes(4, "little"))
    piece = bytes(4_000)
    for _ in range(2 * MAX_QUEUED_BYTES // len(piece)):
        outbox.send_frame(piece)
    waiting: Any = outbox._queue  # pyright: ignore[reportPrivateUsage]
    assert sum(map(len, waiting)) <= MAX_QUEUED_BYTES + len(piece)


def test_lost_messages_are_reported_once_with_the_device_that_lost_most(piped: PipedInput):
    def start(_device: str, _request: PortRequest) -> MidiInput:
        return piped.input

    pool = InputPool(MagicMock(), MagicMock(), MagicMock(), start)
    pool.reconcile_ports({PortKey(0, "Pads", 0): "pads"})
    assert pool.collect_lost_messages() == (0, "pads")
    piped.write((500).to_bytes(4, "little"), LOST_FRAME)
    piped.input.read_events()
    assert pool.collect_lost_messages() == (500, "pads")
    assert pool.collect_lost_messages() == (0, "pads")
