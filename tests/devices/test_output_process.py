"""The MIDI output process: its requests, and its clean-up when the engine is gone."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from threading import Lock
from typing import Any

import pytest

from conductor.base.clock import now
from conductor.devices.midi import output_link
from conductor.devices.midi.output_link import OpenOutput, OutputProcess
from conductor.devices.midi.output_process import (
    ABANDON_FRAME,
    CLOSE_FRAME,
    FRAME_HEADER,
    OPEN_FRAME,
    SEND_FRAME,
    OpenOutputs,
    OpenRequest,
    read_frames,
)

JACK = 3
NOTE_ON, NOTE_OFF = b"\x92\x32\x64", b"\x82\x32\x00"


class Client:
    """A stand-in for rtmidi's client that records its calls."""

    def __init__(self, made: list["Client"], refuses: bool = False) -> None:
        made.append(self)
        self.refuses = refuses
        self.was_virtual = False
        """Refuse to open another port with a client that ever created a virtual one, as rtmidi does."""
        self.told: list[Any] = []

    def get_ports(self) -> list[str]:
        return ["Synth", "Synth"]

    def open_port(self, index: int, name: str) -> None:
        self._require_unused()
        self.told.append((index, name))

    def open_virtual_port(self, name: str) -> None:
        if self.refuses:
            raise RuntimeError("no room")
        self._require_unused()
        self.was_virtual = True
        self.told.append(name)

    def _require_unused(self) -> None:
        if self.was_virtual:
            raise RuntimeError("already opened virtual output port")

    def send_message(self, message: bytes) -> None:
        if self.refuses:
            raise RuntimeError("it is gone")
        self.told.append(message)

    def close_port(self) -> None:
        self.told.append("closed")

    def delete(self) -> None:
        self.told.append("deleted")


def outputs() -> tuple[OpenOutputs, list[Client]]:
    made: list[Client] = []
    return OpenOutputs(lambda _api, _name: Client(made)), made


def opening(name: str, name_index: int = 0) -> bytes:
    return json.dumps(OpenRequest(JACK, "Conductor", name, name_index)).encode()


def test_the_second_port_of_a_name_is_found():
    process, made = outputs()
    assert process.handle_frame(OPEN_FRAME, 0, opening("Synth", 1)) == "null"
    assert made[0].told == [(1, "out")]


def test_a_missing_port_is_refused_and_its_client_is_reused():
    process, made = outputs()
    assert "unplugged" in str(process.handle_frame(OPEN_FRAME, 0, opening("Gone")))
    assert process.handle_frame(OPEN_FRAME, 0, opening("Synth")) == "null"
    assert len(made) == 1


def test_sounding_notes_end_before_any_port_is_closed_when_the_engine_is_gone():
    process, made = outputs()
    for number in (0, 1):
        process.handle_frame(OPEN_FRAME, number, opening("Own", -1))
        process.handle_frame(SEND_FRAME, number, NOTE_ON)
        process.handle_frame(SEND_FRAME, number, b"\x90\x40\x64")
        process.handle_frame(SEND_FRAME, number, b"\x90\x40\x00")
    process.close()
    for client in made:
        assert client.told[-3:] == [NOTE_OFF, "closed", "deleted"]


def test_a_refusing_port_does_not_prevent_silencing_others():
    made: list[Client] = []
    process = OpenOutputs(lambda _api, _name: Client(made))
    for number in (0, 1):
        process.handle_frame(OPEN_FRAME, number, opening("Own", -1))
        process.handle_frame(SEND_FRAME, number, NOTE_ON)
    made[0].refuses = True
    process.close()
    assert NOTE_OFF in made[1].told


def test_an_abandoned_port_is_never_touched_again():
    process, made = outputs()
    process.handle_frame(OPEN_FRAME, 0, opening("Own", -1))
    process.handle_frame(ABANDON_FRAME, 0, b"")
    process.handle_frame(SEND_FRAME, 0, NOTE_ON)
    process.close()
    assert made[0].told == ["Own"]


def test_a_closed_port_accepts_nothing_and_its_client_is_reused():
    process, made = outputs()
    process.handle_frame(OPEN_FRAME, 0, opening("Synth"))
    process.handle_frame(CLOSE_FRAME, 0, b"")
    process.handle_frame(SEND_FRAME, 0, NOTE_ON)
    assert process.handle_frame(OPEN_FRAME, 1, opening("Other", -1)) == "null"
    assert made[0].told == [(0, "out"), "closed", "Other"]


def test_the_client_of_a_closed_virtual_port_is_deleted():
    process, made = outputs()
    process.handle_frame(OPEN_FRAME, 0, opening("Own", -1))
    process.handle_frame(CLOSE_FRAME, 0, b"")
    assert made[0].told == ["Own", "closed", "deleted"]
    assert process.handle_frame(OPEN_FRAME, 1, opening("Other", -1)) == "null"
    assert process.handle_frame(OPEN_FRAME, 2, opening("Synth")) == "null"


def test_frames_that_arrive_in_pieces_are_joined():
    reader, writer = os.pipe()
    data = FRAME_HEADER.pack(3, SEND_FRAME, 7) + NOTE_ON + FRAME_HEADER.pack(0, CLOSE_FRAME, 7)
    os.write(writer, data[:2])
    arriving = read_frames(reader)
    os.write(writer, data[2:9])
    assert next(arriving) == (SEND_FRAME, 7, NOTE_ON)
    os.write(writer, data[9:])
    assert next(arriving) == (CLOSE_FRAME, 7, b"")
    os.close(writer)
    assert list(arriving) == []
    os.close(reader)


@pytest.mark.parametrize("message", [b"", b"\x40\x40\x40", b"\x90\x01\x02\x03"])
def test_invalid_midi_is_refused_before_it_is_written(message: bytes):
    with pytest.raises(ValueError, match=r"MIDI message|too long"):
        OpenOutput(NOT_THERE, 0).send_message(message)


NOT_THERE: OutputProcess = OutputProcess.__new__(OutputProcess)
"""The process; a refused message never reaches it."""


class Hanging(OutputProcess):
    """An output process that does not read its input."""

    def __init__(self, reader: int, frames: int) -> None:
        self.reader = reader
        self._frames = frames
        self._lock = Lock()
        self._written_bytes = self._read_bytes = 0
        self._read_at = now()
        self.child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        self._process = self.child

    def flood(self, message: bytes, times: int) -> None:
        for _ in range(times):
            OpenOutput(self, 0).send_message(message)


@pytest.fixture
def hanging() -> Generator[Hanging]:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    process = Hanging(reader, writer)
    yield process
    for end in (reader, writer):
        os.close(end)
    process.child.kill()
    process.child.communicate()


@pytest.mark.skipif(sys.platform == "win32", reason="there a write waits")
def test_a_process_that_reads_only_part_of_a_message_is_killed(
    hanging: Hanging, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(output_link, "FRAME_WRITE_TIMEOUT_S", 0.001)
    with pytest.raises(OSError, match="not responding; it is being restarted"):
        hanging.flood(b"\xf0" + bytes(60_000) + b"\xf7", 10)
    assert hanging.child.wait(10) != 0


@pytest.mark.skipif(sys.platform == "win32", reason="there a write waits")
def test_a_short_message_to_a_process_that_reads_nothing_fails_at_once(hanging: Hanging):
    with pytest.raises(OSError, match="the MIDI output process is not responding"):
        hanging.flood(NOTE_ON, 100_000)
    assert hanging.is_alive


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe does not tell there what is unread")
def test_a_process_that_stops_reading_is_killed_and_one_that_reads_is_not(
    hanging: Hanging, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(output_link, "STUCK_AFTER_S", 0)
    hanging.kill_if_stuck()  # nothing is waiting
    for _ in range(3):
        hanging.flood(NOTE_ON, 2)
        os.read(hanging.reader, len(FRAME_HEADER.pack(0, 0, 0) + NOTE_ON))
        hanging.kill_if_stuck()  # some of it has been read
    assert hanging.is_alive
    hanging.kill_if_stuck()
    assert hanging.child.wait(10) != 0
