"""The engine's side of the process that owns the MIDI outputs."""

import contextlib
import json
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
    ABANDON,
    CLOSE,
    HEADER,
    MAX_PAYLOAD,
    OPEN,
    OUTPUTS_AT_MOST,
    SEND,
    OpenRequest,
)
from conductor.devices.midi.port_start import build_child_environment, enlarge_buffer

OPEN_LIMIT_S = 5.0
REST_LIMIT_S = 0.05
"""Time limit for the rest of a partly written frame; the engine's thread waits for it."""
END_LIMIT_S = 3.0
NOT_RESPONDING = "the MIDI output process is not responding; it is being restarted"


class OutputProcess:
    """A running output process. Any thread may send; the other methods are for one thread at a time.

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
        self._opening = Lock()
        self._taken: set[int] = set()
        enlarge_buffer(self._frames)
        if sys.platform != "win32":  # on Windows a write blocks when the process hangs
            os.set_blocking(self._frames, False)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when the process ends."""
        return self._answers

    def open(self, key: PortKey) -> "OpenOutput":
        """Open a port, or create a virtual one.

        Raises:
            OSError: the port could not be opened; the text says why.
        """
        with self._opening:
            number = next((n for n in range(OUTPUTS_AT_MOST) if n not in self._taken), None)
            if number is None:
                raise OSError(f"{OUTPUTS_AT_MOST} outputs are already open")
            request = OpenRequest(key.api, self._client_name, key.name, key.nth)
            self.write(OPEN, number, json.dumps(request).encode())
            problem = self._read_answer()
            if problem is not None:
                raise OSError(problem)
            self._taken.add(number)
        return OpenOutput(self, number)

    def write(self, kind: int, number: int, payload: bytes = b"") -> None:
        """Write one frame.

        Raises:
            OSError: the process is gone or hangs.
        """
        frame = HEADER.pack(len(payload), kind, number) + payload
        with self._lock:
            try:
                written = os.write(self._frames, frame)
            except BlockingIOError as error:
                raise OSError("the MIDI output process is not responding") from error
            # A frame of up to a page is written whole or not at all. Of a longer one a part may have been
            # written, and the rest must follow before any other frame.
            if written < len(frame):
                self._write_rest(frame[written:])

    def _write_rest(self, rest: bytes) -> None:
        deadline = now() + REST_LIMIT_S
        while rest:
            left = deadline - now()
            if left <= 0 or not select.select([], [self._frames], [], left)[1]:
                self._process.kill()  # it would take the next frame for the rest of this one
                raise OSError(NOT_RESPONDING)
            with contextlib.suppress(BlockingIOError):
                rest = rest[os.write(self._frames, rest) :]

    def forget(self, number: int) -> None:
        """Free the number of a closed port."""
        self._taken.discard(number)

    def close(self) -> None:
        """Stop the process, which silences and closes its ports; kill it after a time limit."""
        with contextlib.suppress(OSError):
            os.set_blocking(self._frames, True)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        try:
            self._process.wait(END_LIMIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _read_answer(self) -> str | None:
        line = b""
        while not line.endswith(b"\n"):
            if (
                sys.platform != "win32"
                and not select.select([self._answers], [], [], OPEN_LIMIT_S)[0]
            ):
                self._process.kill()  # a late answer would be taken for that of the next request
                raise OSError(NOT_RESPONDING)
            piece = os.read(self._answers, 4096)
            if not piece:
                raise OSError("the MIDI output process ended")
            line += piece
        return json.loads(line)


class OpenOutput:
    """One open port of the output process."""

    def __init__(self, process: OutputProcess, number: int) -> None:
        self._process = process
        self._number = number

    def send_message(self, message: bytes) -> None:
        """Send a message.

        Raises:
            ValueError: the bytes are not a MIDI message.
            OSError: the process is gone or hangs.
        """
        if not message or message[0] < 0x80:
            raise ValueError("it is not a MIDI message")
        if len(message) > (MAX_PAYLOAD if message[0] == 0xF0 else 3):
            raise ValueError("it is too long")
        self._process.write(SEND, self._number, message)

    def close_port(self) -> None:
        """Close the port; its client is reused for the next port."""
        self._process.write(CLOSE, self._number)
        self._process.forget(self._number)

    def abandon(self) -> None:
        """Stop using the port without closing it, because its MIDI server is dead."""
        with contextlib.suppress(OSError):
            self._process.write(ABANDON, self._number)
        self._process.forget(self._number)
