"""Tools that list, mute, connect and disconnect devices, and scan for new ports."""

from typing import Annotated

from pydantic import Field

from conductor.base.json_types import JsonObject
from conductor.base.suggestions import format_suggestion
from conductor.domain.devices import SOFTWARE_PORT_NAMES, DeviceIdentity, list_midi_inputs
from conductor.domain.value import Value
from conductor.domain.wire_rows import DeviceRow
from conductor.errors import InvalidParams, UnknownDevice
from conductor.tools.catalog.status import MessageResult
from conductor.tools.context import ReadContext, RuntimeContext
from conductor.tools.params import NoParams, Params
from conductor.tools.registry import REGISTRY


class Devices(Value):
    midi_inputs: list[str]
    midi_outputs: list[str]
    gamepads: list[str]
    others: list[str]
    absent: list[str]
    """Aliases in the config that match no connected device."""
    devices: list[JsonObject]


class Binding(Value):
    device_id: str
    port_name: str
    connected: bool
    enabled: bool
    is_configured: bool


class Bindings(Value):
    device_bindings: tuple[Binding, ...]
    multi_device_active: bool
    total_devices: int
    connected_count: int
    muted_count: int


class DeviceParams(Params):
    device_id: str


class MidiInputParams(Params):
    """Names a MIDI input by its id or, as older clients do, by its port number."""

    device_id: str | None = None
    port: (
        Annotated[int, Field(ge=0, description="From list_devices; instead of device_id")] | None
    ) = None


class EnabledParams(DeviceParams):
    enabled: bool


class DeviceEnabled(Value):
    device_id: str
    enabled: bool
    message: str


class DeviceConnected(Value):
    device_id: str
    connected: bool
    message: str


@REGISTRY.tool("read_only", "devices", title="List devices")
async def list_devices(params: NoParams, context: ReadContext) -> Devices:
    """List MIDI inputs and outputs, gamepads and other devices, and aliases that are not connected."""
    devices = context.list_devices()

    def list_port_names(*kinds: str) -> list[str]:
        return [
            device["port_name"]
            for device in devices
            if device["kind"] in kinds and device["connected"]
        ]

    return Devices(
        midi_inputs=list_port_names("midi_input"),
        midi_outputs=list_port_names("midi_output"),
        gamepads=list_port_names("gamepad"),
        others=list_port_names("osc", "virtual"),
        absent=[device.alias for device in _find_absent_devices(context)],
        devices=[_add_port_number(device, list_midi_inputs(devices)) for device in devices],
    )


@REGISTRY.tool("read_only", "devices", title="List device bindings")
async def list_device_bindings(params: NoParams, context: ReadContext) -> Bindings:
    """List the device of each alias, and whether the device is connected and enabled."""
    inputs = [device for device in context.list_devices() if device["kind"] != "midi_output"]
    connected = [device for device in inputs if device["connected"]]
    return Bindings(
        device_bindings=(
            *(
                Binding(
                    device_id=device["device_id"],
                    port_name=device["port_name"],
                    connected=device["connected"],
                    enabled=device["enabled"],
                    is_configured=device["is_configured"],
                )
                for device in inputs
            ),
            *(
                Binding(
                    device_id=device.alias,
                    port_name="",
                    connected=False,
                    enabled=device.enabled,
                    is_configured=True,
                )
                for device in _find_absent_devices(context)
            ),
        ),
        multi_device_active=len(connected) > 1,
        total_devices=len(inputs),
        connected_count=len(connected),
        muted_count=sum(1 for device in inputs if not device["enabled"]),
    )


def _find_absent_devices(context: ReadContext) -> list[DeviceIdentity]:
    """Return the devices in the config that are not connected."""
    connected = {device["device_id"] for device in context.list_devices()}
    return [device for device in context.config.devices if device.alias not in connected]


@REGISTRY.tool(
    "stateful", "devices", title="Mute or unmute device", idempotent=True, asks_in_chat=True
)
async def set_device_enabled(params: EnabledParams, context: RuntimeContext) -> DeviceEnabled:
    """Mute a device (enabled false) or unmute it, until Conductor is restarted."""
    _find_device_rows(context.list_devices(), params.device_id)
    await context.set_device_enabled(params.device_id, enabled=params.enabled)
    word = "unmuted" if params.enabled else "muted"
    return DeviceEnabled(
        device_id=params.device_id,
        enabled=params.enabled,
        message=f"Device '{params.device_id}' {word}",
    )


@REGISTRY.tool("stateful", "devices", title="Connect device", idempotent=True, asks_in_chat=True)
async def connect_device(params: MidiInputParams, context: RuntimeContext) -> DeviceConnected:
    """Open the MIDI input of a device again."""
    if params.device_id is None and params.port is None:
        raise InvalidParams(
            "Invalid params: `device_id` or `port` is missing; conductor_list_devices lists both"
        )
    return await _set_connected(params, context, connected=True)


@REGISTRY.tool("stateful", "devices", title="Disconnect device", idempotent=True, asks_in_chat=True)
async def disconnect_device(params: MidiInputParams, context: RuntimeContext) -> DeviceConnected:
    """Close the MIDI input of a device, so that another program can use it. Default: the only one connected."""
    return await _set_connected(params, context, connected=False)


async def _set_connected(
    params: MidiInputParams, context: RuntimeContext, *, connected: bool
) -> DeviceConnected:
    device_id = _find_midi_input(params, context.list_devices())
    await context.set_device_connected(device_id, connected=connected)
    word = "is connected" if connected else "is disconnected"
    return DeviceConnected(
        device_id=device_id,
        connected=connected,
        message=f"Device '{device_id}' {word}",
    )


def _find_midi_input(params: MidiInputParams, devices: list[DeviceRow]) -> str:
    """Return the id of the device that the parameters name, or of the only one that is connected.

    Raises:
        UnknownDevice: There is no such device, it is not a MIDI input, or several are connected.
        InvalidParams: The id and the port number name different devices.
    """
    inputs = list_midi_inputs(devices)
    if params.port is not None:
        if params.port >= len(inputs):
            raise UnknownDevice(
                f"Invalid port: {params.port} does not exist; {_list_ports(inputs)}"
            )
        device_id = inputs[params.port]["device_id"]
        if params.device_id not in (None, device_id):
            raise InvalidParams(
                f"Invalid params: port {params.port} is '{device_id}', not '{params.device_id}';"
                " pass one of the two"
            )
        return device_id
    if params.device_id is None:
        connected = {
            device["device_id"]
            for device in inputs
            if device["connected"] and not device["port_name"].startswith(SOFTWARE_PORT_NAMES)
        }
        if len(connected) != 1:
            found = "no MIDI input is" if not connected else "several MIDI inputs are"
            raise UnknownDevice(
                f"{found} connected; name one by `device_id`: {_list_ports(inputs)}"
            )
        return connected.pop()
    rows = _find_device_rows(devices, params.device_id)
    if not any(row["kind"] == "midi_input" for row in rows):
        raise UnknownDevice(
            f"'{params.device_id}' is not a MIDI input; use conductor_set_device_enabled to mute it"
        )
    return params.device_id


def _add_port_number(device: DeviceRow, inputs: list[DeviceRow]) -> JsonObject:
    """Return a device as JSON, with its port number if it is a MIDI input."""
    return {**device, "port": inputs.index(device)} if device in inputs else {**device}


def _list_ports(inputs: list[DeviceRow]) -> str:
    names = [f"{port} = '{device['device_id']}'" for port, device in enumerate(inputs)]
    return "MIDI inputs: " + (", ".join(names) or "none")


def _find_device_rows(devices: list[DeviceRow], device_id: str) -> list[DeviceRow]:
    rows = [device for device in devices if device["device_id"] == device_id]
    if not rows:
        hint = format_suggestion(device_id, sorted({device["device_id"] for device in devices}))
        raise UnknownDevice(f"Invalid device: '{device_id}' does not exist{hint}")
    return rows


@REGISTRY.tool("stateful", "devices", title="Scan ports", idempotent=True)
async def scan_ports(params: NoParams, context: RuntimeContext) -> MessageResult:
    """Scan the ports for newly connected or removed devices now."""
    await context.rescan()
    return MessageResult(message="Port rescan triggered")
