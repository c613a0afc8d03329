"""Connects the process of a MIDI input to the engine by a pipe or, on Windows, by a loopback socket."""

import os
import sys
from _thread import allocate_lock
from collections import deque
from collections.abc import Callable
from typing import Protocol

MAX_QUEUED_FRAMES, MAX_QUEUED_BYTES = 65_536, 16_000_000


class ParentLink(Protocol):
    """A connection from a port process to its parent, through which it also notices that the parent has
    exited.
    """

    @property
    def control(self) -> int:
        """The descriptor that becomes readable when the parent has exited."""
        ...

    @property
    def data(self) -> int: ...
    @property
    def wake_end(self) -> int:
        """The descriptor that becomes readable once `wake` has been called."""
        ...

    def write(self, data: bytes) -> int: ...
    def has_parent_exited(self) -> bool: ...
    def wake(self) -> None: ...
    def clear_wake(self) -> None: ...


class PipeLink:
    """Sends frames over an inherited pipe. The closing of standard input tells the process to exit."""

    def __init__(self, data: int) -> None:
        self.control, self.data = 0, data
        self.wake_end, self._wake = os.pipe()
        assert sys.platform != "win32"  # where ports use a socket
        os.set_blocking(data, False)

    def write(self, data: bytes) -> int:
        return os.write(self.data, data)

    def has_parent_exited(self) -> bool:
        return not os.read(self.control, 4096)

    def wake(self) -> None:
        os.write(self._wake, b"!")

    def clear_wake(self) -> None:
        os.read(self.wake_end, 4096)


class SocketLink:
    """Sends frames over a loopback socket. A token authenticates the process to its parent."""

    def __init__(self, port: int, token: str) -> None:
        import socket

        self._socket = socket.create_connection(("127.0.0.1", port), timeout=5)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.sendall(bytes.fromhex(token))
        self._socket.settimeout(0)
        self._woken, self._waker = socket.socketpair()
        self.control = self.data = self._socket.fileno()
        self.wake_end = self._woken.fileno()

    def write(self, data: bytes) -> int:
        return self._socket.send(data)

    def has_parent_exited(self) -> bool:
        try:
            return not self._socket.recv(4096)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def wake(self) -> None:
        self._waker.send(b"!")

    def clear_wake(self) -> None:
        self._woken.recv(4096)


class Outbox:
    """A queue for a link that may be full; frames above the size limit of the queue are dropped and counted."""

    def __init__(self, link: ParentLink, lost_frame: Callable[[int], bytes]) -> None:
        self._link = link
        self._lost_frame = lost_frame
        self._queue: deque[bytes] = deque()
        self._queued_bytes = 0
        self._lost = 0
        self._lock = allocate_lock()

    @property
    def has_frames(self) -> bool:
        return bool(self._queue)

    def send_frame(self, data: bytes) -> None:
        """Send a frame immediately if the link can accept it, otherwise append it to the queue."""
        with self._lock:
            # The usual case: an empty queue, in which the frame must not be delayed.
            if not self._queue:
                data = self._send(data)
                if data:
                    self._enqueue(data)
                    self._link.wake()
            elif len(self._queue) < MAX_QUEUED_FRAMES and self._queued_bytes < MAX_QUEUED_BYTES:
                self._enqueue(data)
            else:
                self._lost += 1

    def send_queued_frames(self) -> None:
        """Send queued frames until the queue is empty or the link is full."""
        with self._lock:
            while self._queue:
                data = self._queue[0]
                unsent = self._send(data)
                self._queued_bytes -= len(data) - len(unsent)
                if unsent:
                    self._queue[0] = unsent
                    return
                self._queue.popleft()
                if self._lost and not self._queue:
                    self._enqueue(self._lost_frame(self._lost))
                    self._lost = 0

    def _enqueue(self, data: bytes) -> None:
        self._queue.append(data)
        self._queued_bytes += len(data)

    def _send(self, data: bytes) -> bytes:
        """Write as much data to the link as it accepts, and return the rest."""
        try:
            return data[self._link.write(data) :]
        except BlockingIOError:
            return data
        except OSError:  # the parent has exited, which the main thread detects through `control`
            return b""
