"""Reads what CoreMIDI knows about its endpoints on macOS and RtMidi does not report: unique ids and USB ids.

CoreMIDI keeps a list of endpoints in each process. It learns of changes only through the run loop of the thread
that made the first client, so `run_loop_once` must be called in that thread.
"""

import ctypes
from functools import cache
from typing import Any

from conductor.devices.midi.details import PortDetails
from conductor.devices.usb import UsbInfo

_FRAMEWORKS = "/System/Library/Frameworks/{0}.framework/{0}"
_UTF_8 = 0x08000100
_USB_IDS_PROPERTY, _UNIQUE_ID_PROPERTY = b"USBVendorProduct", b"uniqueID"
"""Apple's USB driver sets `USBVendorProduct` on the device: vendor * 65536 + product. It is not documented."""


class CoreMidi:
    """Reads the details of the endpoints of CoreMIDI."""

    def __init__(self, midi: Any, foundation: Any) -> None:
        """Use the frameworks CoreMIDI and CoreFoundation."""
        self._midi = midi
        self._foundation = foundation
        self._names: dict[bytes, Any] = {}

    def run_loop_once(self) -> None:
        """Process the changes of the setup that have arrived since the last call."""
        mode = ctypes.c_void_p.in_dll(self._foundation, "kCFRunLoopDefaultMode")
        self._foundation.CFRunLoopRunInMode(mode, 0.0, False)

    def list_inputs(self) -> list[PortDetails]:
        return self._list_endpoints(self._midi.MIDIGetNumberOfSources, self._midi.MIDIGetSource)

    def list_outputs(self) -> list[PortDetails]:
        return self._list_endpoints(
            self._midi.MIDIGetNumberOfDestinations, self._midi.MIDIGetDestination
        )

    def _list_endpoints(self, count: Any, get: Any) -> list[PortDetails]:
        return [self._describe_endpoint(get(index)) for index in range(count())]

    def _describe_endpoint(self, endpoint: int) -> PortDetails:
        return PortDetails(
            self._read_number(endpoint, _UNIQUE_ID_PROPERTY), self._find_usb_ids(endpoint)
        )

    def _find_usb_ids(self, endpoint: int) -> UsbInfo | None:
        entity, device = ctypes.c_uint32(), ctypes.c_uint32()
        if self._midi.MIDIEndpointGetEntity(endpoint, ctypes.byref(entity)):
            return None  # a virtual endpoint belongs to no device
        if self._midi.MIDIEntityGetDevice(entity, ctypes.byref(device)):
            return None
        ids = self._read_number(device.value, _USB_IDS_PROPERTY)
        return None if not ids else UsbInfo((ids >> 16) & 0xFFFF, ids & 0xFFFF, None)

    def _read_number(self, thing: int, name: bytes) -> int | None:
        number = ctypes.c_int32()
        failed = self._midi.MIDIObjectGetIntegerProperty(
            thing, self._get_property_name(name), ctypes.byref(number)
        )
        return None if failed else number.value

    def _get_property_name(self, name: bytes) -> Any:
        if name not in self._names:
            create = self._foundation.CFStringCreateWithCString
            self._names[name] = create(None, name, _UTF_8)
        return self._names[name]


@cache
def load_core_midi() -> CoreMidi:
    """Load the frameworks of macOS.

    Raises:
        OSError: This is not macOS.
    """
    midi: Any = ctypes.CDLL(_FRAMEWORKS.format("CoreMIDI"))
    foundation: Any = ctypes.CDLL(_FRAMEWORKS.format("CoreFoundation"))
    pointer, object_ref, count = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_ulong
    for function, result, arguments in (
        (foundation.CFRunLoopRunInMode, ctypes.c_int32, [pointer, ctypes.c_double, ctypes.c_ubyte]),
        (
            foundation.CFStringCreateWithCString,
            pointer,
            [pointer, ctypes.c_char_p, ctypes.c_uint32],
        ),
        (midi.MIDIGetNumberOfSources, count, []),
        (midi.MIDIGetNumberOfDestinations, count, []),
        (midi.MIDIGetSource, object_ref, [count]),
        (midi.MIDIGetDestination, object_ref, [count]),
        (midi.MIDIEndpointGetEntity, ctypes.c_int32, [object_ref, pointer]),
        (midi.MIDIEntityGetDevice, ctypes.c_int32, [object_ref, pointer]),
        (midi.MIDIObjectGetIntegerProperty, ctypes.c_int32, [object_ref, pointer, pointer]),
    ):
        function.restype, function.argtypes = result, arguments
    return CoreMidi(midi, foundation)
