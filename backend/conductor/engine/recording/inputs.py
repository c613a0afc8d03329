"""What a config makes of recorded inputs: under which device id they arrive, or that they do not."""

from collections.abc import Sequence

from conductor.domain.config import Config
from conductor.domain.devices import PortInfo, name_ports
from conductor.domain.events import CONTROL_CLASS, InputEvent
from conductor.domain.recording import DevicesChanged, RecordedDevice, Segment
from conductor.domain.renames import Renames

DEVICE_EVENTS = frozenset((*CONTROL_CLASS, "device_gone", "device_back"))


class InputNames:
    """Renames the devices of recorded events to what they are called under another config.

    A device is known by its port: which alias it gets is for the config's matchers to say, exactly as it
    is live. A device whose port was not recorded keeps its id, unless its alias was renamed.
    """

    def __init__(
        self,
        devices: Sequence[RecordedDevice],
        config: Config,
        renames: Renames,
    ) -> None:
        self._config = config
        self._renames = renames
        self._names: dict[str, str | None] = {}
        self.use(devices)

    def use(self, devices: Sequence[RecordedDevice]) -> None:
        """Replace the devices that are there."""
        by_kind: dict[str, list[RecordedDevice]] = {}
        for device in devices:
            by_kind.setdefault(device.kind, []).append(device)
        for kind, inputs in by_kind.items():
            ids = self._ids(kind, [device.port for device in inputs])
            self._names.update(
                {device.device_id: name for device, name in zip(inputs, ids, strict=True)}
            )

    def _ids(self, kind: str, ports: list[PortInfo]) -> list[str | None]:
        engine = self._config.settings.engine
        match kind:
            case "midi_input":
                names = name_ports(self._config.devices, ports)
                return [self._opened(names[at], port) for at, port in enumerate(ports)]
            case "gamepad":
                names = name_ports(self._config.devices, ports)
                return [names[at] if engine.gamepads else None for at in range(len(ports))]
            case "osc":
                return ["osc" if engine.osc_port is not None else None] * len(ports)
            case "virtual":
                is_off = engine.virtual_controller == "off"
                return [None if is_off else "virtual"] * len(ports)
            case _:
                return [None] * len(ports)

    def _opened(self, name: str, port: PortInfo) -> str | None:
        """Return the id of a MIDI input, or None when the config does not open it."""
        engine = self._config.settings.engine
        if port.name == engine.virtual_input:
            return name
        is_unknown = name.startswith("raw:")
        return None if is_unknown and engine.open_inputs == "configured" else name

    def translate(self, event: InputEvent) -> InputEvent | None:
        """Return the event as it would arrive; None when it would not."""
        if event.kind not in DEVICE_EVENTS:
            return event
        known = self._names.get(event.device, event.device)
        if known is None:
            return None
        name = self._renames.device(known) if event.device not in self._names else known
        return event if name == event.device else event._replace(device=name)


def devices_of(segments: Sequence[Segment]) -> list[RecordedDevice]:
    """Return every input of a recording, each port once."""
    found: dict[tuple[str, str], RecordedDevice] = {}
    for segment in segments:
        listed = [segment.devices]
        listed += [e.input.devices for e in segment.entries if isinstance(e.input, DevicesChanged)]
        for devices in listed:
            found.update({(device.kind, device.device_id): device for device in devices})
    return list(found.values())
