"""Lists the connected MIDI ports and gamepads without a running engine, for `conductor devices` and
`doctor`.
"""

from typing import Literal

from conductor.base.clock import now
from conductor.devices.gamepad.sdl import Sdl
from conductor.devices.midi.apis import MidiApis, PortKey
from conductor.devices.midi.ports import PortIdentifier
from conductor.domain.devices import DeviceStatus
from conductor.errors import NotAvailable

PortKind = Literal["midi_input", "midi_output"]


def list_midi_ports() -> tuple[list[DeviceStatus], list[str]]:
    """Return the MIDI inputs and outputs, and an error message for each MIDI system that cannot be used."""
    apis = MidiApis("Conductor list")
    try:
        scan = apis.scan_ports(now())
        found = [
            *_build_port_statuses(scan.inputs, "midi_input"),
            *_build_port_statuses(scan.outputs, "midi_output"),
        ]
        return found, apis.list_problems()
    finally:
        apis.close()


def list_gamepads() -> tuple[list[DeviceStatus], list[str]]:
    """Return the connected gamepads, and an error message if gamepads cannot be read."""
    try:
        sdl = Sdl()
    except NotAvailable as error:
        return [], [str(error)]
    try:
        return [
            DeviceStatus(device_id=f"raw:{pad.name}", port_name=pad.name, kind="gamepad")
            for pad in sdl.open_new_gamepads(set())
        ], []
    finally:
        sdl.close()


def _build_port_statuses(keys: list[PortKey], kind: PortKind) -> list[DeviceStatus]:
    return [
        DeviceStatus(device_id=port.device_id, port_name=port.info.name, kind=kind)
        for port in PortIdentifier().identify_ports(keys, ())
    ]
