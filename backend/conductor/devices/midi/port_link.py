"""Connects the port process to its parent: by a pipe, or by a loopback socket on Windows."""

import os
from _thread import allocate_lock
from collections import deque
from collections.abc import Callable
from typing import Protocol

MAX_WAITING, MAX_WAITING_BYTES = 65_536, 16_000_000


class Link(Protocol):
    """The connection to the parent: frames go out, and its end shows when the parent is gone."""

    @property
    def control(self) -> int:
        """The descriptor that becomes readable when the parent is gone."""
        ...

    @property
    def data(self) -> int: ...
    @property
    def wake_end(self) -> int:
        """The descriptor that becomes readable after `wake`."""
        ...

    def write(self, data: bytes) -> int: ...
    def parent_is_gone(self) -> bool: ...
    def wake(self) -> None: ...
    def clear_wake(self) -> None: ...


class PipeLink:
    """An inherited pipe for the frames; stdin closes when the process must end."""

    def __init__(self, data: int) -> None:
        self.control, self.data = 0, data
        self.wake_end, self._wake = os.pipe()
        os.set_blocking(data, False)

    def write(self, data: bytes) -> int:
        return os.write(self.data, data)

    def parent_is_gone(self) -> bool:
        return not os.read(self.control, 4096)

    def wake(self) -> None:
        os.write(self._wake, b"!")

    def clear_wake(self) -> None:
        os.read(self.wake_end, 4096)


class SocketLink:
    """One socket for frames and control. A token authenticates this process to the parent."""

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

    def parent_is_gone(self) -> bool:
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
    """A queue of frames for a pipe that may be full. Frames beyond its limit are dropped and counted."""

    def __init__(self, link: Link, lost_frame: Callable[[int], bytes]) -> None:
        self._link = link
        self._lost_frame = lost_frame
        self._waiting: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._lost = 0
        self._lock = allocate_lock()

    @property
    def waiting(self) -> bool:
        return bool(self._waiting)

    def put(self, data: bytes) -> None:
        """Send a frame now if the pipe has room, else queue it."""
        with self._lock:
            if not self._waiting:  # the usual case: the player is waiting for this frame
                data = self._send(data)
                if data:
                    self._wait(data)
                    self._link.wake()
            elif len(self._waiting) < MAX_WAITING and self._waiting_bytes < MAX_WAITING_BYTES:
                self._wait(data)
            else:
                self._lost += 1

    def flush(self) -> None:
        """Send queued frames until the pipe is full."""
        with self._lock:
            while self._waiting:
                data = self._waiting[0]
                rest = self._send(data)
                self._waiting_bytes -= len(data) - len(rest)
                if rest:
                    self._waiting[0] = rest
                    return
                self._waiting.popleft()
                if self._lost and not self._waiting:
                    self._wait(self._lost_frame(self._lost))
                    self._lost = 0

    def _wait(self, data: bytes) -> None:
        self._waiting.append(data)
        self._waiting_bytes += len(data)

    def _send(self, data: bytes) -> bytes:
        """Write data, and return the part that did not fit."""
        try:
            return data[self._link.write(data) :]
        except BlockingIOError:
            return data
        except OSError:  # the parent is gone; the main thread notices at the control end
            return b""
