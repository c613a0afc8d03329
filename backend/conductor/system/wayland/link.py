"""The connection that keyboard and mouse share, with their virtual devices; reopened if it is lost."""

import os
import threading
from collections.abc import Callable
from typing import TypeVar

from conductor.errors import ActionFailed
from conductor.system.wayland.connection import (
    LOST,
    ProtocolError,
    WaylandConnection,
    encode_int,
    find_socket,
)
from conductor.system.wayland.keymap import VirtualKeymap

T = TypeVar("T")

KEYBOARDS = "zwp_virtual_keyboard_manager_v1"
POINTERS = "zwlr_virtual_pointer_manager_v1"
_CREATE = 0
_KEYMAP = 0
_XKB_V1 = 1
_FROZEN = "the Wayland compositor does not respond: is the desktop session frozen?"


class VirtualDevices:
    """A connection with a virtual keyboard and, if the compositor offers it, a virtual pointer."""

    def __init__(self, connection: WaylandConnection) -> None:
        self.connection = connection
        self.keymap = VirtualKeymap()
        seat = connection.bind("wl_seat", 1)
        manager = connection.bind(KEYBOARDS, 1)
        self.keyboard = connection.create()
        connection.send(manager, _CREATE, encode_int(seat), encode_int(self.keyboard))
        self.pointer: int | None = None
        if connection.find_global(POINTERS) is not None:
            manager = connection.bind(POINTERS, 1)
            self.pointer = connection.create()
            connection.send(manager, _CREATE, encode_int(seat), encode_int(self.pointer))
        self.send_keymap()
        connection.wait_until_done()  # a compositor that refuses says so here

    def send_keymap(self) -> None:
        text = self.keymap.build_text()
        fd = os.memfd_create("conductor-keymap", os.MFD_CLOEXEC)
        try:
            os.write(fd, text)
            size = encode_int(len(text))
            self.connection.send(self.keyboard, _KEYMAP, encode_int(_XKB_V1), size, fds=[fd])
        finally:
            os.close(fd)


def open_connection() -> WaylandConnection:
    """Connect to a compositor that offers virtual keyboards, without creating one.

    Raises:
        ActionFailed: there is no compositor, or it does not offer them.
    """
    path = find_socket()
    if path is None:
        raise ActionFailed("this is not a Wayland session (WAYLAND_DISPLAY is not set)")
    try:
        connection = WaylandConnection(path)
    except LOST as problem:
        raise ActionFailed(
            f"the Wayland compositor at {path} cannot be reached ({problem})"
        ) from problem
    for interface in ("wl_seat", KEYBOARDS):
        if connection.find_global(interface) is None:
            connection.close()
            raise ActionFailed(f"this compositor does not offer {interface}")
    return connection


def open_devices() -> VirtualDevices:
    """Connect to the compositor and create the devices.

    Raises:
        ActionFailed: there is no compositor, or it does not allow virtual keyboards.
    """
    connection = open_connection()
    try:
        return VirtualDevices(connection)
    except (ProtocolError, *LOST) as problem:
        connection.close()
        raise ActionFailed(f"the compositor does not allow a virtual keyboard ({problem})") from (
            problem
        )


class WaylandLink:
    """One connection for one caller at a time, so that a held key and a click arrive in order."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._devices: VirtualDevices | None = None

    def call(self, work: Callable[[VirtualDevices], T]) -> T:
        """Call `work` with the devices; after a lost connection, once more with new ones.

        Raises:
            ActionFailed: there is no compositor, or it refused the devices or a request.
        """
        with self._lock:
            try:
                return self._try_call(work)
            except TimeoutError as problem:
                raise ActionFailed(_FROZEN) from problem
            except LOST:
                pass
            try:
                return self._try_call(work)
            except LOST as problem:
                raise ActionFailed(
                    f"the Wayland compositor closed the connection: {problem}"
                ) from problem

    def close(self) -> None:
        """Disconnect; the compositor releases all keys and buttons of the devices."""
        with self._lock:
            devices, self._devices = self._devices, None
            if devices is not None:
                devices.connection.close()

    @property
    def is_open(self) -> bool:
        return self._devices is not None

    def _try_call(self, work: Callable[[VirtualDevices], T]) -> T:
        devices = self._devices
        if devices is None:
            devices = self._devices = open_devices()
        try:
            while devices.connection.dispatch():
                pass  # errors, and screens that come and go
            return work(devices)
        except (ProtocolError, *LOST):
            self.close()
            raise
