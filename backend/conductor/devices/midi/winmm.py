"""Reads the USB ids of MIDI ports on Windows from the paths of their devices, which WinMM reports on request.

See https://learn.microsoft.com/windows-hardware/drivers/audio/obtaining-a-device-interface-name.
"""

import ctypes
import re
from functools import cache
from typing import Any

from conductor.devices.midi.details import PortDetails
from conductor.devices.usb import UsbInfo

_QUERY_INTERFACE, _QUERY_INTERFACE_SIZE = 0x80C, 0x80D
_USB_IDS = re.compile(r"usb#vid_([0-9a-f]{4})&pid_([0-9a-f]{4})", re.IGNORECASE)


class WinMm:
    """Reads the USB ids of the ports of WinMM."""

    def __init__(self, library: Any) -> None:
        self._library = library

    def list_inputs(self) -> list[PortDetails]:
        send = self._library.midiInMessage
        count = self._library.midiInGetNumDevs()
        return [PortDetails(usb=_read_usb_ids(send, index)) for index in range(count)]

    def list_outputs(self) -> list[PortDetails]:
        send = self._library.midiOutMessage
        count = self._library.midiOutGetNumDevs()
        return [PortDetails(usb=_read_usb_ids(send, index)) for index in range(count)]


def _read_usb_ids(send: Any, index: int) -> UsbInfo | None:
    size = ctypes.c_uint32()
    if send(index, _QUERY_INTERFACE_SIZE, ctypes.addressof(size), 0) or not size.value:
        return None
    path = ctypes.create_string_buffer(size.value)
    if send(index, _QUERY_INTERFACE, ctypes.addressof(path), size.value):
        return None
    found = _USB_IDS.search(path.raw.decode("utf-16-le", "replace"))
    return None if found is None else UsbInfo(int(found[1], 16), int(found[2], 16), None)


@cache
def load_winmm() -> WinMm:
    """Load the library of Windows.

    Raises:
        OSError: This is not Windows.
    """
    open_library: Any = getattr(ctypes, "WinDLL", None)
    if open_library is None:
        raise OSError("WinMM exists on Windows only")
    library = open_library("winmm")
    number, pointer = ctypes.c_uint, ctypes.c_size_t
    for function in (library.midiInMessage, library.midiOutMessage):
        function.restype, function.argtypes = number, [pointer, number, pointer, pointer]
    return WinMm(library)
