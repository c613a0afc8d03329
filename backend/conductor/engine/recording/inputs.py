"""Translates the device ids in recorded events to the ids that the ports have under another config."""

from collections.abc import Sequence

from conductor.domain.config import Config
from conductor.domain.devices import PortInfo, assign_device_ids
from conductor.domain.events import CONTROL_CLASS, InputEvent
from conductor.domain.recording import RecordedDevice
from conductor.domain.renames import Renames

DEVICE_EVENTS = frozenset((*CONTROL_CLASS, "device_gone", "device_back"))


class InputIdTranslator:
    """Translates the device ids in a recording to those of the same ports under another config.

    The matchers of that config decide, as they do in the live engine.

    A device whose port was not recorded keeps its id, unless its alias was renamed.
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
        self.set_connected_devices(devices)

    def set_connected_devices(self, devices: Sequence[RecordedDevice]) -> None:
        """Set which devices are connected from this point of the recording on."""
        by_kind: dict[str, list[RecordedDevice]] = {}
        for device in devices:
            by_kind.setdefault(device.kind, []).append(device)
        for kind, inputs in by_kind.items():
            ids = self._resolve_ids(kind, [device.port for device in inputs])
            self._names.update(
                {device.device_id: name for device, name in zip(inputs, ids, strict=True)}
            )

    def _resolve_ids(self, kind: str, ports: list[PortInfo]) -> list[str | None]:
        engine = self._config.settings.engine
        match kind:
            case "midi_input":
                names = assign_device_ids(self._config.devices, ports)
                return [self._find_input_id(names[at], port) for at, port in enumerate(ports)]
            case "gamepad":
                names = assign_device_ids(self._config.devices, ports)
                return [names[at] if engine.gamepads else None for at in range(len(ports))]
            case "osc":
                return ["osc" if engine.osc_port is not None else None] * len(ports)
            case "virtual":
                is_off = engine.virtual_controller == "off"
                return [None if is_off else "virtual"] * len(ports)
            case _:
                return [None] * len(ports)

    def _find_input_id(self, name: str, port: PortInfo) -> str | None:
        """Return the id of a MIDI input under the config, or None if the config does not open it."""
        engine = self._config.settings.engine
        if port.name == engine.virtual_input:
            return name
        is_unknown = name.startswith("raw:")
        return None if is_unknown and engine.open_inputs == "configured" else name

    def translate_event(self, event: InputEvent) -> InputEvent | None:
        """Return an event with its device id under the config, or None if the config
        does not receive the event.
        """
        if event.kind not in DEVICE_EVENTS:
            return event
        recorded_name = self._names.get(event.device, event.device)
        if recorded_name is None:
            return None
        name = (
            self._renames.get_new_device(recorded_name)
            if event.device not in self._names
            else recorded_name
        )
        return event if name == event.device else event._replace(device=name)
