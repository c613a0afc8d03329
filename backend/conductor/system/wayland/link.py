"""The Wayland connection and its virtual devices, shared by keyboard and mouse.

It is reopened if it is lost.
"""

import os
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

from conductor.errors import ActionFailed
from conductor.system.wayland.connection import (
    CONNECTION_ERRORS,
    WaylandConnection,
    WaylandProtocolError,
    connect_to_compositor,
    encode_int,
)
from conductor.system.wayland.keymap import VirtualKeymap

T = TypeVar("T")

KEYBOARD_MANAGER = "zwp_virtual_keyboard_manager_v1"
POINTER_MANAGER = "zwlr_virtual_pointer_manager_v1"
_CREATE_REQUEST = 0
_KEYMAP_REQUEST = 0
_XKB_V1_FORMAT = 1
_NOT_RESPONDING_MESSAGE = "the Wayland compositor does not respond: is the desktop session frozen?"


class VirtualDevices:
    """A connection with a virtual keyboard and, if the compositor offers it, a virtual pointer."""

    def __init__(self, connection: WaylandConnection) -> None:
        self.connection = connection
        self.keymap = VirtualKeymap()
        seat = connection.bind_first_global("wl_seat", 1)
        manager = connection.bind_first_global(KEYBOARD_MANAGER, 1)
        self.keyboard = connection.create_object()
        connection.send_request(
            manager, _CREATE_REQUEST, encode_int(seat), encode_int(self.keyboard)
        )
        self.pointer: int | None = None
        if connection.find_global(POINTER_MANAGER) is not None:
            manager = connection.bind_first_global(POINTER_MANAGER, 1)
            self.pointer = connection.create_object()
            connection.send_request(
                manager, _CREATE_REQUEST, encode_int(seat), encode_int(self.pointer)
            )
        self.send_keymap()
        # raises WaylandProtocolError if the compositor has refused the devices
        connection.wait_until_done()

    def send_keymap(self) -> None:
        assert sys.platform == "linux"
        text = self.keymap.build_xkb_text()
        fd = os.memfd_create("conductor-keymap", os.MFD_CLOEXEC)
        try:
            os.write(fd, text)
            size = encode_int(len(text))
            self.connection.send_request(
                self.keyboard, _KEYMAP_REQUEST, encode_int(_XKB_V1_FORMAT), size, fds=[fd]
            )
        finally:
            os.close(fd)


def open_connection() -> WaylandConnection:
    """Connect to a compositor that offers virtual keyboards, without creating a keyboard.

    Raises:
        ActionFailed: There is no compositor, or it does not offer virtual keyboards.
    """
    return connect_to_compositor("wl_seat", KEYBOARD_MANAGER)


def open_devices() -> VirtualDevices:
    """Connect to the compositor and create the virtual keyboard and pointer.

    Raises:
        ActionFailed: There is no compositor, or it does not allow virtual keyboards.
    """
    connection = open_connection()
    try:
        return VirtualDevices(connection)
    except (WaylandProtocolError, *CONNECTION_ERRORS) as problem:
        connection.close()
        raise ActionFailed(f"the compositor does not allow a virtual keyboard ({problem})") from (
            problem
        )


class WaylandLink:
    """A shared Wayland connection. Only one thread uses it at a time, so that a held key and a click arrive
    in order.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._devices: VirtualDevices | None = None

    def call_with_devices(self, work: Callable[[VirtualDevices], T]) -> T:
        """Call `work` with the virtual devices. If the connection is lost, call it again with new devices.

        Raises:
            ActionFailed: There is no compositor, or it refused the devices or a request.
        """
        with self._lock:
            try:
                return self._try_call(work)
            except TimeoutError as problem:
                raise ActionFailed(_NOT_RESPONDING_MESSAGE) from problem
            except CONNECTION_ERRORS:
                pass
            try:
                return self._try_call(work)
            except CONNECTION_ERRORS as problem:
                raise ActionFailed(
                    f"the Wayland compositor closed the connection: {problem}"
                ) from problem

    def close(self) -> None:
        """Disconnect. The compositor then releases all keys and buttons of the devices."""
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
            while devices.connection.dispatch_events():
                pass  # handles errors, and events for screens that were connected or disconnected
            return work(devices)
        except (WaylandProtocolError, *CONNECTION_ERRORS):
            self.close()
            raise
