"""Reads the messages of a MIDI input from the process that owns its port."""

import contextlib
import os
import select
import socket
import subprocess
import sys
from collections.abc import Callable
from typing import Literal

from conductor.base import clock
from conductor.devices.midi.messages import MidiDecoder
from conductor.devices.midi.port_process import (
    FAILED_FRAME,
    FRAME_HEADER,
    LOST_FRAME,
    MIDI_FRAME,
    READY_FRAME,
)
from conductor.devices.midi.port_start import PortRequest, start_with_pipe, start_with_socket
from conductor.domain.events import InputEvent

MAX_READ_BYTES, MAX_FLOOD_READ_BYTES = 4_096, 112
"""The maximum number of bytes per read: 292 channel messages, or 8 during a flood, so that other inputs wait
less."""
MAX_BURST_BYTES, MAX_SUSTAINED_BYTES_PER_S = 12_288, 65_536
"""The traffic above which an input counts as flooded: about 600 channel messages at once, then 4,681 a second,
which is four times the capacity of a MIDI cable."""
PROCESS_EXIT_TIMEOUT_S = 3

PortTransport = Literal["pipe", "socket"]
DEFAULT_TRANSPORT: PortTransport = "socket" if sys.platform == "win32" else "pipe"


class MidiInput:
    """Reads the events of one MIDI input from its port process.

    The engine's thread calls `read_events`; the scan thread of the manager calls all other methods.
    """

    def __init__(
        self, device_id: str, request: PortRequest, transport: PortTransport = DEFAULT_TRANSPORT
    ) -> None:
        self.request = request
        self.state: Literal["starting", "ready", "failed", "ended"] = "starting"
        self.problem: str | None = None
        self.has_received = False
        """Whether any message has arrived, which proves that the port works."""
        self.lost = 0
        """The number of messages that were dropped because the engine did not read them in time."""
        self.on_end: Callable[[], object] = lambda: None
        """Called on the reading thread once the port process has ended."""
        self._decoder = MidiDecoder(device_id)
        self._closed = False
        self._partial_frame = b""
        self._burst_left_bytes, self._refilled_at = float(MAX_BURST_BYTES), clock.now()
        self._socket: socket.socket | None = None
        starter = start_with_pipe if transport == "pipe" else start_with_socket
        self._process, self._fd, self._socket = starter(request)

    @property
    def device_id(self) -> str:
        return self._decoder.device_id

    @device_id.setter
    def device_id(self, device_id: str) -> None:
        self._decoder.device_id = device_id

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def fileno(self) -> int:
        return self._fd

    def read_events(self) -> list[InputEvent]:
        """Return the events received since the last call, oldest first, without blocking.

        Raises:
            EOFError: the port process has ended.
        """
        try:
            data = b"" if self._closed else self._receive_bytes(self._choose_read_size())
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        if not data:
            self.state = "ended" if self.state != "failed" else "failed"
            self.on_end()
            raise EOFError(f"the process of MIDI input `{self.request.name}` ended")
        self._burst_left_bytes = max(0.0, self._burst_left_bytes - len(data))
        return self._decode_frames(self._partial_frame + data)

    def _choose_read_size(self) -> int:
        """Return how many bytes to read next; during a flood only a few, so that other inputs get their
        turn.
        """
        at = clock.now()
        refill = (at - self._refilled_at) * MAX_SUSTAINED_BYTES_PER_S
        self._burst_left_bytes = min(float(MAX_BURST_BYTES), self._burst_left_bytes + refill)
        self._refilled_at = at
        return MAX_READ_BYTES if self._burst_left_bytes >= MAX_READ_BYTES else MAX_FLOOD_READ_BYTES

    def wait_until_open(self, timeout_s: float) -> bool:
        """Wait until the port process reports that the port is open, and return whether it is.

        The method must be called before the first `read_events`.
        """
        if self.state == "starting" and select.select([self._fd], [], [], timeout_s)[0]:
            self.read_startup_frame()
        return self.state == "ready"

    def read_startup_frame(self) -> None:
        """Read the first frame, READY or FAILED, and leave all following frames for `read_events`."""
        try:
            length, kind, _ = FRAME_HEADER.unpack(self._receive_exactly(FRAME_HEADER.size))
            self._on_status_frame(kind, self._receive_exactly(length))
        except (EOFError, OSError):
            self.state, self.problem = (
                "failed",
                f"the port process ended (exit code {self._process.poll()})",
            )
        if self._socket:
            self._socket.settimeout(0)

    def request_stop(self) -> None:
        """Ask the port process to exit, without waiting for it."""
        if self._process.stdin:
            self._process.stdin.close()
        if self._socket:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Stop the port process, kill it if it does not exit in time, and close the descriptors."""
        if self._closed:
            return
        self._closed = True
        self.request_stop()
        try:
            self._process.wait(PROCESS_EXIT_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._socket:
            self._socket.close()
        else:
            os.close(self._fd)

    def _decode_frames(self, data: bytes) -> list[InputEvent]:
        events: list[InputEvent] = []
        unpack, feed, size = FRAME_HEADER.unpack_from, self._decoder.decode_bytes, FRAME_HEADER.size
        at, end = 0, len(data)
        while end - at >= size:
            length, kind, stamp = unpack(data, at)
            stop = at + size + length
            if stop > end:
                break
            if kind == MIDI_FRAME:
                events += feed(data[at + size : stop], stamp)
                self.has_received = True
            else:
                self._on_status_frame(kind, data[at + size : stop])
            at = stop
        self._partial_frame = data[at:]
        return events

    def _on_status_frame(self, kind: int, payload: bytes) -> None:
        if kind == READY_FRAME:
            self.state = "ready"
        elif kind == FAILED_FRAME:
            self.state, self.problem = "failed", payload.decode(errors="replace")
        elif kind == LOST_FRAME:
            self.lost += int.from_bytes(payload, "little")

    def _receive_exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = self._receive_bytes(count - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def _receive_bytes(self, count: int) -> bytes:
        return self._socket.recv(count) if self._socket else os.read(self._fd, count)
