# ruff: noqa: N802, N815 - the names of functions of the system
"""Unique ids and USB ids of MIDI ports on macOS and Windows, with stand-ins for CoreMIDI and WinMM."""

import ctypes
from types import SimpleNamespace
from typing import Any

import pytest

from conductor.devices.midi import apis as midi_apis
from conductor.devices.midi.core_midi import CoreMidi
from conductor.devices.midi.details import PortDetails
from conductor.devices.midi.ports import PortIdentifier
from conductor.devices.midi.winmm import WinMm
from conductor.devices.usb import UsbInfo
from conductor.domain.devices import CoreMidiUniqueId, DeviceIdentity, UsbIdentifier

MIKRO = 0x17CC1700
CORE = midi_apis.rtmidi.API_MACOSX_CORE


class FakeCoreMidi:
    """CoreMIDI with endpoints by number: unique id, and the USB ids of their device or None."""

    def __init__(self, **endpoints: tuple[int, int | None]) -> None:
        self.endpoints = {int(name[1:]): values for name, values in endpoints.items()}

    def MIDIGetNumberOfSources(self) -> int:
        return len(self.endpoints)

    MIDIGetNumberOfDestinations = MIDIGetNumberOfSources

    def MIDIGetSource(self, index: int) -> int:
        return list(self.endpoints)[index]

    MIDIGetDestination = MIDIGetSource

    def MIDIEndpointGetEntity(self, endpoint: int, entity: Any) -> int:
        entity._obj.value = endpoint + 100
        return -10842 if self.endpoints[endpoint][1] is None else 0

    def MIDIEntityGetDevice(self, entity: Any, device: Any) -> int:
        device._obj.value = entity.value + 100
        return 0

    def MIDIObjectGetIntegerProperty(self, thing: int, name: bytes, number: Any) -> int:
        if name == b"uniqueID":
            number._obj.value = self.endpoints[thing][0]
        else:
            assert name == b"USBVendorProduct"
            number._obj.value = self.endpoints[thing - 200][1]
        return 0


def make_core_midi(core: FakeCoreMidi) -> CoreMidi:
    def make_text(_allocator: None, name: bytes, _encoding: int) -> bytes:
        return name

    return CoreMidi(core, SimpleNamespace(CFStringCreateWithCString=make_text))


def test_endpoints_have_unique_ids_and_the_usb_ids_of_their_device() -> None:
    midi = make_core_midi(FakeCoreMidi(e1=(-77, MIKRO), e2=(5, None)))
    expected = [PortDetails(-77, UsbInfo(0x17CC, 0x1700, None)), PortDetails(5, None)]
    assert midi.list_inputs() == midi.list_outputs() == expected


def test_two_units_of_a_model_are_told_apart_by_their_unique_ids(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ["Conductor In", "Pads", "Pads"]
    core = FakeCoreMidi(e1=(1, None), e2=(22, MIKRO), e3=(33, MIKRO))
    reader = make_core_midi(core)
    client = SimpleNamespace(get_ports=lambda: names, delete=lambda: None)

    def open_client(_api: int, _name: str) -> SimpleNamespace:
        return client

    def make_reader(_api: str) -> CoreMidi:
        return reader

    monkeypatch.setattr(midi_apis.rtmidi, "get_compiled_api", lambda: [CORE], raising=False)
    monkeypatch.setattr(midi_apis.rtmidi, "MidiIn", open_client)
    monkeypatch.setattr(midi_apis.rtmidi, "MidiOut", open_client)
    monkeypatch.setattr(midi_apis, "make_detail_reader", make_reader)
    monkeypatch.setattr(midi_apis, "CORE_MIDI_WARM_UP_S", 0.0)
    apis = midi_apis.MidiApis("test")
    apis.own_ports = frozenset({"Conductor In"})
    identities = [
        DeviceIdentity(alias="right", matchers=(CoreMidiUniqueId(unique_id=33),)),
        DeviceIdentity(
            alias="left", matchers=(UsbIdentifier(vendor_id=0x17CC, product_id=0x1700),)
        ),
    ]
    identifier = PortIdentifier()

    def list_aliases() -> list[str]:
        scan = apis.scan_ports(0.0)
        ports = identifier.identify_ports(scan.inputs, identities, scan.input_details)
        return [port.device_id for port in ports]

    assert list_aliases() == ["left", "right"]
    del names[1]
    assert list_aliases() == ["left"], "names and endpoints differ for a moment: nothing changes"
    del core.endpoints[2]
    assert list_aliases() == ["right"], "the first unit was unplugged"
    apis.close()


class FakeWinMm:
    """WinMM with the paths of its devices; None for one that tells no path."""

    def __init__(self, *paths: str | None) -> None:
        self.paths = paths

    def midiInGetNumDevs(self) -> int:
        return len(self.paths)

    midiOutGetNumDevs = midiInGetNumDevs

    def midiInMessage(self, index: int, message: int, first: int, second: int) -> int:
        path = self.paths[index]
        if path is None:
            return 8
        data = f"{path}\0".encode("utf-16-le")
        if message == 0x80D:
            ctypes.c_uint32.from_address(first).value = len(data)
        else:
            assert (message, second) == (0x80C, len(data))
            ctypes.memmove(first, data, len(data))
        return 0

    midiOutMessage = midiInMessage


def test_windows_ports_have_the_usb_ids_of_their_device_path() -> None:
    mikro = "\\\\?\\usb#vid_17cc&pid_1700&mi_00#6&2a#{6994ad04-93ef-11d0-a3cc-00a0c9223196}\\global"
    midi = WinMm(FakeWinMm(mikro, None, "\\\\?\\swd#midisrv#midiu_loop"))
    expected = [PortDetails(None, UsbInfo(0x17CC, 0x1700, None)), PortDetails(), PortDetails()]
    assert midi.list_inputs() == midi.list_outputs() == expected
