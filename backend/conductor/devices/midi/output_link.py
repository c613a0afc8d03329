"""Starts the output process, and sends messages to it from the engine process."""

import array
import contextlib
import json
import logging
import os
import select
import subprocess
import sys
from threading import Lock

from conductor.base.clock import now
from conductor.base.program import build_command
from conductor.base.realtime import start_in_real_time
from conductor.devices.midi.apis import PortKey
from conductor.devices.midi.output_process import (
    ABANDON_FRAME,
    CLOSE_FRAME,
    FRAME_HEADER,
    MAX_OUTPUTS,
    MAX_PAYLOAD_BYTES,
    OPEN_FRAME,
    SEND_FRAME,
    OpenRequest,
)
from conductor.devices.midi.port_start import build_child_environment, enlarge_pipe_buffer

PORT_OPEN_TIMEOUT_S = 5.0
FRAME_WRITE_TIMEOUT_S = 0.05
"""Seconds to wait until the remainder of a partly written frame can be written. The engine's thread waits
meanwhile."""
PROCESS_EXIT_TIMEOUT_S = 3.0
STUCK_AFTER_S = PORT_OPEN_TIMEOUT_S
"""Seconds in which a process must read some of the frames that wait. Opening a port may take as long."""
NOT_RESPONDING_MESSAGE = "the MIDI output process is not responding; it is being restarted"
_log = logging.getLogger(__name__)


class OutputProcess:
    """A running output process. Any thread may send; only one thread at a time may call other methods.

    Raises:
        OSError: the process could not be started.
    """

    def __init__(self, client_name: str) -> None:
        self._client_name = client_name
        with start_in_real_time():
            self._process = subprocess.Popen(
                [*build_command(), "--outputs-process"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=build_child_environment(),
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._frames = self._process.stdin.fileno()
        self._answers = self._process.stdout.fileno()
        self._lock = Lock()
        self._written_bytes = 0
        self._read_bytes, self._read_at = 0, now()
        self._opening = Lock()
        self._used_numbers: set[int] = set()
        enlarge_pipe_buffer(self._frames)
        if sys.platform != "win32":  # on Windows a write blocks when the process hangs
            os.set_blocking(self._frames, False)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when the process ends."""
        return self._answers

    def open_port(self, key: PortKey) -> "OpenOutput":
        """Open a port, or create a virtual port if its index is -1.

        Raises:
            OSError: the port could not be opened; the message contains the reason.
        """
        with self._opening:
            number = next((n for n in range(MAX_OUTPUTS) if n not in self._used_numbers), None)
            if number is None:
                raise OSError(f"{MAX_OUTPUTS} outputs are already open")
            request = OpenRequest(key.api, self._client_name, key.name, key.name_index)
            self.write_frame(OPEN_FRAME, number, json.dumps(request).encode())
            problem = self._read_answer()
            if problem is not None:
                raise OSError(problem)
            self._used_numbers.add(number)
        return OpenOutput(self, number)

    def write_frame(self, kind: int, number: int, payload: bytes = b"") -> None:
        """Write one frame to the output process.

        Raises:
            OSError: the process has ended or does not respond.
        """
        frame = FRAME_HEADER.pack(len(payload), kind, number) + payload
        with self._lock:
            try:
                written = os.write(self._frames, frame)
            except BlockingIOError as error:
                raise OSError("the MIDI output process is not responding") from error
            self._written_bytes += written
            # A frame of up to a page is written completely or not at all. A longer frame may have been
            # written in part, and the remainder must follow before any other frame.
            if written < len(frame):
                self._write_remainder(frame[written:])

    def _write_remainder(self, remainder: bytes) -> None:
        deadline = now() + FRAME_WRITE_TIMEOUT_S
        while remainder:
            left = deadline - now()
            if left <= 0 or not select.select([], [self._frames], [], left)[1]:
                self._process.kill()  # the process would read the next frame as the remainder of this frame
                raise OSError(NOT_RESPONDING_MESSAGE)
            with contextlib.suppress(BlockingIOError):
                written = os.write(self._frames, remainder)
                self._written_bytes += written
                remainder = remainder[written:]

    def kill_if_stuck(self) -> None:
        """Kill the process if it has read nothing for some seconds although frames are waiting.

        A request to a MIDI server can block forever, and all later messages would wait behind it.
        """
        with self._lock:
            unread_bytes = _count_unread_bytes(self._frames)
            read_bytes = self._written_bytes - unread_bytes
        if not unread_bytes or read_bytes != self._read_bytes:
            self._read_bytes, self._read_at = read_bytes, now()
        elif now() > self._read_at + STUCK_AFTER_S:
            _log.warning("%s", NOT_RESPONDING_MESSAGE)
            self._process.kill()

    def release_port_number(self, number: int) -> None:
        """Allow the number of a closed port to be used for another port."""
        self._used_numbers.discard(number)

    def close(self) -> None:
        """Stop the process, which silences and closes its ports, and kill it if it does not exit in time."""
        if sys.platform != "win32":  # where the pipe blocks from the start
            with contextlib.suppress(OSError):
                os.set_blocking(self._frames, True)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        try:
            self._process.wait(PROCESS_EXIT_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _read_answer(self) -> str | None:
        line = b""
        while not line.endswith(b"\n"):
            if (
                sys.platform != "win32"
                and not select.select([self._answers], [], [], PORT_OPEN_TIMEOUT_S)[0]
            ):
                self._process.kill()  # a late answer would be read as the answer to the next request
                raise OSError(NOT_RESPONDING_MESSAGE)
            piece = os.read(self._answers, 4096)
            if not piece:
                raise OSError("the MIDI output process ended")
            line += piece
        return json.loads(line)


def _count_unread_bytes(pipe_end: int) -> int:
    """Return the number of bytes in a pipe, or 0 where the system does not tell."""
    if sys.platform == "win32":
        return 0
    import fcntl
    import termios

    count = array.array("i", [0])
    try:
        fcntl.ioctl(pipe_end, termios.FIONREAD, count)
    except OSError:  # another thread has closed the pipe
        return 0
    return count[0]


class OpenOutput:
    """An open MIDI port of the output process, to which the engine sends messages."""

    def __init__(self, process: OutputProcess, number: int) -> None:
        self._process = process
        self._number = number

    def send_message(self, message: bytes) -> None:
        """Send a MIDI message to the port.

        Raises:
            ValueError: the bytes are not a MIDI message.
            OSError: the process has ended or does not respond.
        """
        if not message or message[0] < 0x80:
            raise ValueError("the bytes are not a MIDI message")
        if len(message) > (MAX_PAYLOAD_BYTES if message[0] == 0xF0 else 3):
            raise ValueError("the message is too long")
        self._process.write_frame(SEND_FRAME, self._number, message)

    def close_port(self) -> None:
        """Close the port. The process reuses the client of the port for the next port."""
        self._process.write_frame(CLOSE_FRAME, self._number)
        self._process.release_port_number(self._number)

    def abandon_port(self) -> None:
        """Stop using the port without closing it, because its MIDI server has died."""
        with contextlib.suppress(OSError):
            self._process.write_frame(ABANDON_FRAME, self._number)
        self._process.release_port_number(self._number)
