"""Records input in the engine process: the engine's thread writes, and the app reads over the link."""

from collections.abc import Iterable

from conductor.base.clock import now
from conductor.devices.gamepad.gamepads import GamepadPump
from conductor.devices.manager import MidiManager
from conductor.domain.config import Config
from conductor.domain.devices import DeviceStatus, PortInfo
from conductor.domain.engine_protocol import ReadRecording
from conductor.domain.engine_replies import RecordingPart
from conductor.domain.recording import RecordedDevice
from conductor.domain.trace import Trace
from conductor.engine.local_time import get_week_seconds
from conductor.engine.recording.pull import read_recording_part
from conductor.engine.recording.recorder import TraceRecorder
from conductor.engine.recording.segment_recorder import SegmentRecorder
from conductor.engine.state import EngineState
from conductor.engine.watched_apps import depends_on_window_title


class EngineRecording:
    """Keeps the recorded segments and traces. Old traces are discarded together with their segments."""

    def __init__(self, recorder: TraceRecorder, state: EngineState) -> None:
        self._recorder = recorder
        self._state = state
        self._segments = SegmentRecorder()

    def configure(self, config: Config, config_id: str, *, is_equivalent: bool) -> None:
        """Prepare for the config that the engine loads next, whose settings limit the length of the recording.

        `is_equivalent` means that the engine does not load it, because it behaves like the running config.
        """
        minutes = config.settings.engine.history_minutes
        self._segments.configure(config_id, minutes, records_titles=depends_on_window_title(config))
        if is_equivalent:
            self._segments.begin_segment(self._state, is_loaded=False)

    def record_trace(self, trace: Trace) -> None:
        """Record a trace. Called in the engine's thread for each event, so it must be fast."""
        self._recorder.record(trace)
        self._segments.record(trace, self._state)

    def record_failed_run(self, run: int) -> None:
        """Record that an action failed at once when it was started, before it could run in the background."""
        self._segments.record_failed_run(run, self._state)

    def record_devices(self, devices: tuple[RecordedDevice, ...]) -> None:
        """Record which inputs are connected, if this has changed since the last call."""
        self._segments.record_devices(devices, self._state)

    def tick(self, state: EngineState) -> None:
        """Begin a new segment if one is due, and discard old traces. Called in the engine's thread."""
        self._segments.tick(state, now(), get_week_seconds())
        self._recorder.forget_before(self._segments.start_time())

    def clear(self, state: EngineState) -> None:
        """Discard the whole recording. Called in the engine's thread."""
        self._segments.forget_all(state)
        self._recorder.clear()

    def read(self, request: ReadRecording) -> RecordingPart:
        """Return the part of the recording that follows the position in the request."""
        return read_recording_part(self._segments, *request)


def list_recorded_inputs(
    midi: MidiManager, pump: GamepadPump, other_devices: Iterable[DeviceStatus]
) -> tuple[RecordedDevice, ...]:
    """Return all connected inputs, with the port properties that the device matchers of a config test."""
    inputs = [RecordedDevice(name, "midi_input", port) for name, port in midi.inputs()]
    inputs += [RecordedDevice(name, "gamepad", port) for name, port in pump.inputs()]
    inputs += [
        RecordedDevice(device.device_id, device.kind, PortInfo(name=device.port_name))
        for device in other_devices
        # an OSC input whose port another program uses cannot receive events
        if device.connected or device.kind != "osc"
    ]
    return tuple(inputs)
