"""Commands about devices, and the virtual controller."""

from typing import Literal

from pydantic import Field

from conductor.bridge.models import DeviceView, Nothing
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
    """MIDI outputs by name, as actions may write them."""


class VirtualControl(Value):
    name: str
    label: str
    kind: Literal["pad", "knob", "fader", "button"]
    control_class: ControlClass
    number: int
    channel: int
    row: int
    """0 is the top row of the control's group."""
    col: int


class VirtualLayout(Value):
    device: str
    controls: tuple[VirtualControl, ...]


class PlayParams(Value):
    do: Literal["press", "release", "turn"]
    control: str = Field(max_length=40)
    value: int | None = Field(default=None, ge=0, le=127)
    """How hard, or where to. Left out: 100 for a press."""


@query("devices.list")
def list_devices(params: Nothing, call: Call) -> Devices:
    """Ports and pads, the aliases of the config, and outputs that actions can name."""
    found = call.desk.runtime.devices()
    outputs = [one["port_name"] for one in found if one["kind"] == "midi_output"]
    return Devices(
        devices=[DeviceView.model_validate(one) for one in found],
        aliases=call.desk.store.current.devices,
        outputs=tuple(dict.fromkeys(outputs)),
    )


@command("devices.set_enabled", "stateful")
async def set_enabled(params: EnabledParams, call: Call) -> Nothing:
    """Mute a device, or hear it again, until the restart."""
    await set_device_enabled(params, call.desk.runtime)
    return Nothing()


@command("devices.rescan")
async def rescan(params: Nothing, call: Call) -> Nothing:
    """Look for devices now."""
    await call.desk.runtime.rescan()
    return Nothing()


@query("virtual.layout")
def layout(params: Nothing, call: Call) -> VirtualLayout:
    """The controls of the virtual controller, and where they sit."""
    controls = call.desk.virtual_layout()
    return VirtualLayout(
        device="virtual", controls=tuple(VirtualControl.model_validate(one) for one in controls)
    )


@command("virtual.play")
def play(params: PlayParams, call: Call) -> Nothing:
    """Play the virtual controller."""
    call.desk.play_virtual(params.do, params.control, params.value)
    return Nothing()
