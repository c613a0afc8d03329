"""The port process's way to its parent: a pipe, or a loopback socket on Windows."""

import os
from _thread import allocate_lock
from collections import deque
from collections.abc import Callable
from typing import Protocol

MAX_WAITING = 65_536


class Link(Protocol):
    """Where frames go, and where the end of the parent shows."""

    @property
    def control(self) -> int:
        """Becomes readable when the parent is gone."""
        ...

    @property
    def data(self) -> int: ...
    @property
    def wake_end(self) -> int:
        """Becomes readable after `wake`."""
        ...

    def write(self, data: bytes) -> int: ...
    def parent_is_gone(self) -> bool: ...
    def wake(self) -> None: ...
    def clear_wake(self) -> None: ...


class PipeLink:
    """An inherited pipe for the frames; stdin tells when to end."""

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
    """One socket for frames and end; the token proves to the parent who is calling."""

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
    """Frames on their way. What there is no room for waits; beyond the limit it is counted."""

    def __init__(self, link: Link, lost_frame: Callable[[int], bytes]) -> None:
        self._link = link
        self._lost_frame = lost_frame
        self._waiting: deque[bytes] = deque()
        self._lost = 0
        self._lock = allocate_lock()

    @property
    def waiting(self) -> bool:
        return bool(self._waiting)

    def put(self, data: bytes) -> None:
        """Send a frame now if there is room, else as soon as there is."""
        with self._lock:
            if len(self._waiting) >= MAX_WAITING:
                self._lost += 1
                return
            had_room = not self._waiting
            self._waiting.append(data)
            self._flush()
            if had_room and self._waiting:
                self._link.wake()

    def flush(self) -> None:
        """Send what waits, as far as there is room."""
        with self._lock:
            self._flush()

    def _flush(self) -> None:
        try:
            while self._waiting:
                data = self._waiting[0]
                written = self._link.write(data)
                if written < len(data):
                    self._waiting[0] = data[written:]
                    return
                self._waiting.popleft()
                if self._lost and not self._waiting:
                    self._waiting.append(self._lost_frame(self._lost))
                    self._lost = 0
        except BlockingIOError:
            return
        except OSError:  # the parent is gone; the control end tells the main thread
            self._waiting.clear()
