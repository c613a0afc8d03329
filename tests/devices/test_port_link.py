"""A port process sends its frames to a parent that may be slow or gone."""

import pytest

from conductor.devices.midi import port_link
from conductor.devices.midi.port_link import Outbox


class Pipe:
    """A link whose pipe has room for a number of bytes."""

    control = data = wake_end = 0

    def __init__(self, room: int) -> None:
        self.room = room
        self.sent = b""
        self.wakes = 0

    def write(self, data: bytes) -> int:
        if not self.room:
            raise BlockingIOError
        part = data[: self.room]
        self.room -= len(part)
        self.sent += part
        return len(part)

    def has_parent_exited(self) -> bool:
        return False

    def wake(self) -> None:
        self.wakes += 1

    def clear_wake(self) -> None:
        pass


def lost_frame(lost: int) -> bytes:
    return b"lost %d" % lost


def test_a_frame_that_fits_is_sent_at_once():
    pipe = Pipe(room=100)
    outbox = Outbox(pipe, lost_frame)
    outbox.send_frame(b"one")
    assert (pipe.sent, pipe.wakes, outbox.has_frames) == (b"one", 0, False)


def test_frames_that_do_not_fit_are_sent_later_completely_and_in_order():
    pipe = Pipe(room=4)
    outbox = Outbox(pipe, lost_frame)
    for data in (b"one", b"two", b"three"):
        outbox.send_frame(data)
    assert (pipe.sent, pipe.wakes, outbox.has_frames) == (b"onet", 1, True)
    pipe.room = 3
    outbox.send_queued_frames()
    pipe.room = 100
    outbox.send_queued_frames()
    assert (pipe.sent, outbox.has_frames) == (b"onetwothree", False)


def test_frames_beyond_the_limit_are_counted_and_reported(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(port_link, "MAX_QUEUED_FRAMES", 1)
    pipe = Pipe(room=0)
    outbox = Outbox(pipe, lost_frame)
    for _ in range(3):
        outbox.send_frame(b"note")
    pipe.room = 100
    outbox.send_queued_frames()
    assert pipe.sent == b"notelost 2"


def test_nothing_waits_for_a_parent_that_is_gone(monkeypatch: pytest.MonkeyPatch):
    pipe = Pipe(room=0)
    outbox = Outbox(pipe, lost_frame)
    outbox.send_frame(b"one")

    def broken(_data: bytes) -> int:
        raise BrokenPipeError

    monkeypatch.setattr(pipe, "write", broken)
    outbox.send_frame(b"two")
    outbox.send_queued_frames()
    assert not outbox.has_frames
