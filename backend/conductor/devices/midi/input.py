"""The parent's side of a MIDI input: reads the frames of its port process."""

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
from conductor.devices.midi.port_process import FAILED, HEADER, LOST, MIDI, READY
from conductor.devices.midi.port_start import PortRequest, start_with_pipe, start_with_socket
from conductor.domain.events import InputEvent

READ_BYTES, FLOODED_READ_BYTES = 4_096, 112
"""Bytes per read: 292 channel messages, or 8 of a flood. Other inputs wait until these are processed."""
BURST_BYTES, STEADY_BYTES_PER_S = 12_288, 65_536
"""More than this counts as a flood: about 600 channel messages at once, and then 4,681 a second, which is
four times the capacity of a MIDI cable."""
END_LIMIT_S = 3

Transport = Literal["pipe", "socket"]
DEFAULT_TRANSPORT: Transport = "socket" if sys.platform == "win32" else "pipe"


class MidiInput:
    """One MIDI input. The engine's thread calls `read`; everything else belongs to the manager's thread."""

    def __init__(
        self, device_id: str, request: PortRequest, transport: Transport = DEFAULT_TRANSPORT
    ) -> None:
        self.request = request
        self.state: Literal["starting", "ready", "failed", "ended"] = "starting"
        self.problem: str | None = None
        self.lost = 0
        """The number of messages that were dropped because they were not read in time."""
        self.on_end: Callable[[], object] = lambda: None
        """Called by the reading thread when the process has ended."""
        self._decoder = MidiDecoder(device_id)
        self._closed = False
        self._rest = b""
        self._unhurried_bytes, self._refilled_at = float(BURST_BYTES), clock.now()
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
    def alive(self) -> bool:
        return self._process.poll() is None

    def fileno(self) -> int:
        return self._fd

    def read(self) -> list[InputEvent]:
        """Return the events that have arrived, oldest first, without blocking.

        Raises:
            EOFError: the port process is gone.
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
        self._unhurried_bytes = max(0.0, self._unhurried_bytes - len(data))
        return self._decode(self._rest + data)

    def _choose_read_size(self) -> int:
        """Return how many bytes to read: few during a flood, so that other inputs are read in between."""
        at = clock.now()
        refill = (at - self._refilled_at) * STEADY_BYTES_PER_S
        self._unhurried_bytes = min(float(BURST_BYTES), self._unhurried_bytes + refill)
        self._refilled_at = at
        return READ_BYTES if self._unhurried_bytes >= READ_BYTES else FLOODED_READ_BYTES

    def wait_until_open(self, timeout_s: float) -> bool:
        """Wait for the first frame, before any `read`; return whether the port is open."""
        if self.state == "starting" and select.select([self._fd], [], [], timeout_s)[0]:
            self.read_startup_frame()
        return self.state == "ready"

    def read_startup_frame(self) -> None:
        """Read the READY or FAILED frame alone, and leave the following frames for `read`."""
        try:
            length, kind, _ = HEADER.unpack(self._receive_exactly(HEADER.size))
            self._on_status_frame(kind, self._receive_exactly(length))
        except (EOFError, OSError):
            self.state, self.problem = "failed", f"its process ended ({self._process.poll()})"
        if self._socket:
            self._socket.settimeout(0)

    def request_stop(self) -> None:
        """Ask the port process to end, without waiting for it."""
        if self._process.stdin:
            self._process.stdin.close()
        if self._socket:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Stop the port process, killing it after a time limit, and free its descriptors."""
        if self._closed:
            return
        self._closed = True
        self.request_stop()
        try:
            self._process.wait(END_LIMIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._socket:
            self._socket.close()
        else:
            os.close(self._fd)

    def _decode(self, data: bytes) -> list[InputEvent]:
        events: list[InputEvent] = []
        unpack, feed, size = HEADER.unpack_from, self._decoder.feed, HEADER.size
        at, end = 0, len(data)
        while end - at >= size:
            length, kind, stamp = unpack(data, at)
            stop = at + size + length
            if stop > end:
                break
            if kind == MIDI:
                events += feed(data[at + size : stop], stamp)
            else:
                self._on_status_frame(kind, data[at + size : stop])
            at = stop
        self._rest = data[at:]
        return events

    def _on_status_frame(self, kind: int, payload: bytes) -> None:
        if kind == READY:
            self.state = "ready"
        elif kind == FAILED:
            self.state, self.problem = "failed", payload.decode(errors="replace")
        elif kind == LOST:
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
