"""Lists the devices that are plugged in without opening them, for `conductor devices` and `doctor`."""

from typing import Literal

from conductor.base.clock import now
from conductor.devices.gamepad.sdl import Sdl
from conductor.devices.midi.apis import MidiApis, PortKey
from conductor.devices.midi.ports import PortBook
from conductor.domain.devices import DeviceStatus
from conductor.errors import NotAvailable

Kind = Literal["midi_input", "midi_output", "gamepad"]


def list_midi() -> tuple[list[DeviceStatus], list[str]]:
    """Return the MIDI inputs and outputs, and the problems of MIDI systems that cannot be listed."""
    apis = MidiApis("Conductor list")
    try:
        scan = apis.scan(now())
        found = [
            *(_build_status(name, "midi_input") for name in _list_names(scan.inputs)),
            *(_build_status(name, "midi_output") for name in _list_names(scan.outputs)),
        ]
        return found, apis.problems()
    finally:
        apis.close()


def list_gamepads() -> tuple[list[DeviceStatus], list[str]]:
    """Return the gamepads, and the problem if they cannot be listed."""
    try:
        sdl = Sdl()
    except NotAvailable as error:
        return [], [str(error)]
    try:
        return [
            _build_status((pad.name, f"raw:{pad.name}"), "gamepad") for pad in sdl.open_new(set())
        ], []
    finally:
        sdl.close()


def _list_names(keys: list[PortKey]) -> list[tuple[str, str]]:
    return [(port.info.name, port.device_id) for port in PortBook().identify(keys, ())]


def _build_status(name: tuple[str, str], kind: Kind) -> DeviceStatus:
    return DeviceStatus(device_id=name[1], port_name=name[0], kind=kind)
