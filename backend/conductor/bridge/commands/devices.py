"""Commands about devices and the virtual controller."""

from typing import Literal

from pydantic import Field

from conductor.bridge.models import DeviceView, Empty
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.devices import DeviceIdentity
from conductor.domain.events import ControlClass
from conductor.domain.value import Value
from conductor.tools.catalog.devices import EnabledParams, set_device_enabled


class Devices(Value):
    devices: list[DeviceView]
    aliases: tuple[DeviceIdentity, ...]
    outputs: tuple[str, ...]
    """The names of the MIDI outputs to which actions can send."""


class VirtualControl(Value):
    name: str
    label: str
    kind: Literal["pad", "knob", "fader", "button"]
    control_class: ControlClass
    number: int
    channel: int
    row: int
    """The row within the group of the control; 0 is the top row."""
    col: int


class VirtualLayout(Value):
    device: str
    controls: tuple[VirtualControl, ...]


class PlayControlParams(Value):
    do: Literal["press", "release", "turn"]
    control: str = Field(max_length=40)
    value: int | None = Field(default=None, ge=0, le=127)
    """The velocity of a press (100 by default), or the target value of a turn."""


@query("devices.list")
def list_devices(params: Empty, call: Call) -> Devices:
    """Return all ports and gamepads, the device aliases of the config, and the MIDI outputs for actions."""
    found = call.services.runtime.list_devices()
    outputs = [device["port_name"] for device in found if device["kind"] == "midi_output"]
    return Devices(
        devices=[DeviceView.model_validate(device) for device in found],
        aliases=call.services.config.store.current_config.devices,
        outputs=tuple(dict.fromkeys(outputs)),
    )


@command("devices.set_enabled", "stateful")
async def enable_device(params: EnabledParams, call: Call) -> Empty:
    """Mute a device or unmute it. The setting is forgotten when Conductor ends."""
    await set_device_enabled(params, call.services.runtime)
    return Empty()


@command("devices.rescan")
async def rescan_devices(params: Empty, call: Call) -> Empty:
    """Scan for devices now, and try again to open those that could not be opened."""
    await call.services.runtime.rescan()
    return Empty()


@query("virtual.layout")
def get_virtual_layout(params: Empty, call: Call) -> VirtualLayout:
    """Return the controls of the virtual controller and their positions, from which the page draws it."""
    controls = call.services.engine.list_virtual_controls()
    return VirtualLayout(
        device="virtual",
        controls=tuple(VirtualControl.model_validate(control) for control in controls),
    )


@command("virtual.play")
def play_virtual_control(params: PlayControlParams, call: Call) -> Empty:
    """Press, release or turn a control of the virtual controller."""
    call.services.engine.play_virtual_control(params.do, params.control, params.value)
    return Empty()
