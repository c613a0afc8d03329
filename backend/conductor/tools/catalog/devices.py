"""Tools for devices and ports: list them, mute them, connect them and look for new ones."""

from conductor.base.json_types import JsonObject
from conductor.base.suggestions import format_suggestion
from conductor.domain.devices import DeviceIdentity
from conductor.domain.value import Value
from conductor.domain.wire_rows import DeviceRow
from conductor.errors import UnknownDevice
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
    """Aliases of the config that no device there answers to."""
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

    def names(*kinds: str) -> list[str]:
        return [one["port_name"] for one in devices if one["kind"] in kinds and one["connected"]]

    return Devices(
        midi_inputs=names("midi_input"),
        midi_outputs=names("midi_output"),
        gamepads=names("gamepad"),
        others=names("osc", "virtual"),
        absent=[one.alias for one in _find_absent_devices(context)],
        devices=[{**device} for device in devices],
    )


@REGISTRY.tool("read_only", "devices", title="List device bindings")
async def list_device_bindings(params: NoParams, context: ReadContext) -> Bindings:
    """List which device each alias stands for, and whether it is connected and heard."""
    inputs = [one for one in context.list_devices() if one["kind"] != "midi_output"]
    connected = [one for one in inputs if one["connected"]]
    return Bindings(
        device_bindings=(
            *(
                Binding(
                    device_id=one["device_id"],
                    port_name=one["port_name"],
                    connected=one["connected"],
                    enabled=one["enabled"],
                    is_configured=one["is_configured"],
                )
                for one in inputs
            ),
            *(
                Binding(
                    device_id=one.alias,
                    port_name="",
                    connected=False,
                    enabled=one.enabled,
                    is_configured=True,
                )
                for one in _find_absent_devices(context)
            ),
        ),
        multi_device_active=len(connected) > 1,
        total_devices=len(inputs),
        connected_count=len(connected),
        muted_count=sum(1 for one in inputs if not one["enabled"]),
    )


def _find_absent_devices(context: ReadContext) -> list[DeviceIdentity]:
    """Return the devices that the config names but that were not found."""
    there = {one["device_id"] for one in context.list_devices()}
    return [one for one in context.config.devices if one.alias not in there]


@REGISTRY.tool(
    "stateful", "devices", title="Mute or unmute device", idempotent=True, asks_in_chat=True
)
async def set_device_enabled(params: EnabledParams, context: RuntimeContext) -> DeviceEnabled:
    """Mute a device (enabled false) or unmute it, so that it is heard again, until the restart."""
    _list_device(context.list_devices(), params.device_id)
    await context.set_device_enabled(params.device_id, enabled=params.enabled)
    word = "unmuted" if params.enabled else "muted"
    return DeviceEnabled(
        device_id=params.device_id,
        enabled=params.enabled,
        message=f"Device '{params.device_id}' {word}",
    )


@REGISTRY.tool("stateful", "devices", title="Connect device", idempotent=True, asks_in_chat=True)
async def connect_device(params: DeviceParams, context: RuntimeContext) -> DeviceConnected:
    """Open the MIDI input of a device again."""
    return await _set_connected(params, context, connected=True)


@REGISTRY.tool("stateful", "devices", title="Disconnect device", idempotent=True, asks_in_chat=True)
async def disconnect_device(params: DeviceParams, context: RuntimeContext) -> DeviceConnected:
    """Close the MIDI input of a device, so that another program can use it."""
    return await _set_connected(params, context, connected=False)


async def _set_connected(
    params: DeviceParams, context: RuntimeContext, *, connected: bool
) -> DeviceConnected:
    rows = _list_device(context.list_devices(), params.device_id)
    if not any(one["kind"] == "midi_input" for one in rows):
        raise UnknownDevice(
            f"'{params.device_id}' is not a MIDI input; conductor_set_device_enabled mutes others"
        )
    await context.set_device_connected(params.device_id, connected=connected)
    word = "is connected" if connected else "is disconnected"
    return DeviceConnected(
        device_id=params.device_id,
        connected=connected,
        message=f"Device '{params.device_id}' {word}",
    )


def _list_device(devices: list[DeviceRow], device_id: str) -> list[DeviceRow]:
    rows = [one for one in devices if one["device_id"] == device_id]
    if not rows:
        hint = format_suggestion(device_id, sorted({one["device_id"] for one in devices}))
        raise UnknownDevice(f"Invalid device: '{device_id}' does not exist{hint}")
    return rows


@REGISTRY.tool("stateful", "devices", title="Scan ports", idempotent=True)
async def scan_ports(params: NoParams, context: RuntimeContext) -> MessageResult:
    """Look for newly connected or removed devices now."""
    await context.rescan()
    return MessageResult(message="Port rescan triggered")
