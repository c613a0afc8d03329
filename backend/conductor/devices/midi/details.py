"""What the MIDI system knows about a port besides its name, for the systems that report it."""

from typing import NamedTuple, Protocol

from conductor.devices.usb import UsbInfo


class PortDetails(NamedTuple):
    """The identifiers of a port that stay the same when the device is replugged."""

    unique_id: int | None = None
    """CoreMIDI's unique id."""
    usb: UsbInfo | None = None


class DetailReader(Protocol):
    """Reads the details of all ports, in the order in which RtMidi lists the ports."""

    def list_inputs(self) -> list[PortDetails]: ...
    def list_outputs(self) -> list[PortDetails]: ...
