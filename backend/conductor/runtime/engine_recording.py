"""The recording in the engine process. The engine's thread writes it, and the app reads it over the link."""

from collections.abc import Iterable

from conductor.base.clock import now
from conductor.devices.gamepad.gamepads import GamepadPump
from conductor.devices.manager import MidiManager
from conductor.domain.config import Config
from conductor.domain.devices import DeviceStatus, PortInfo
from conductor.domain.engine_protocol import ReadRecording, RecordingPart
from conductor.domain.recording import RecordedDevice
from conductor.domain.trace import Trace
from conductor.engine.local_time import get_week_seconds
from conductor.engine.recording.pull import read_recording_part
from conductor.engine.recording.recorder import TraceRecorder
from conductor.engine.recording.segment_recorder import SegmentRecorder
from conductor.engine.state import EngineState
from conductor.engine.watched_apps import depends_on_window_title


class EngineRecording:
    """The recorded segments and the recorded traces. Old traces are discarded together with their segments."""

    def __init__(self, recorder: TraceRecorder, state: EngineState) -> None:
        self._recorder = recorder
        self._state = state
        self._segments = SegmentRecorder()

    def configure(self, config: Config, config_id: str, *, goes_on: bool) -> None:
        """Set the config that the engine loads next, which also limits the length of the recording.

        With `goes_on` the config is not loaded, because it behaves like the running one.
        """
        minutes = config.settings.engine.history_minutes
        self._segments.configure(config_id, minutes, records_titles=depends_on_window_title(config))
        if goes_on:
            self._segments.begin_segment(self._state, is_loaded=False)

    def take(self, trace: Trace) -> None:
        """Record a trace. This runs in the engine's thread, so it must be fast."""
        self._recorder.record(trace)
        self._segments.record(trace, self._state)

    def run_failed(self, run: int) -> None:
        """Record that an action failed as soon as it was run."""
        self._segments.record_failed_run(run, self._state)

    def record_devices(self, devices: tuple[RecordedDevice, ...]) -> None:
        """Record the connected inputs if they have changed since the last call."""
        self._segments.record_devices(devices, self._state)

    def tick(self, state: EngineState) -> None:
        """Do periodic work on the recording. Called in the engine's thread."""
        self._segments.tick(state, now(), get_week_seconds())
        self._recorder.forget_before(self._segments.start_time())

    def forget_all(self, state: EngineState) -> None:
        """Discard the whole recording. Called in the engine's thread."""
        self._segments.forget_all(state)
        self._recorder.clear()

    def read(self, place: ReadRecording) -> RecordingPart:
        """Return the part of the recording that follows the requested position."""
        return read_recording_part(self._segments, *place)


def list_recorded_inputs(
    midi: MidiManager, pump: GamepadPump, others: Iterable[DeviceStatus]
) -> tuple[RecordedDevice, ...]:
    """Return all connected inputs with the properties by which devices are matched."""
    found = [RecordedDevice(name, "midi_input", port) for name, port in midi.inputs()]
    found += [RecordedDevice(name, "gamepad", port) for name, port in pump.inputs()]
    found += [
        RecordedDevice(one.device_id, one.kind, PortInfo(name=one.port_name))
        for one in others
        if one.connected or one.kind != "osc"  # a port that another program has was never heard
    ]
    return tuple(found)
