"""Controls the volume of the default audio output: PulseAudio or PipeWire on Linux, AppleScript, Core Audio."""

import subprocess
import threading
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from conductor.errors import ActionFailed

T = TypeVar("T")
VOLUME_OPERATIONS = ("Up", "Down", "Set", "Mute", "Unmute", "Toggle")


class _AudioOutput(Protocol):
    """The default audio output of a platform: its volume in percent and whether it is muted."""

    def get_percent(self) -> int: ...
    def set_percent(self, percent: int) -> None: ...
    def is_muted(self) -> bool: ...
    def set_muted(self, muted: bool) -> None: ...  # noqa: FBT001


def apply_volume_operation(output: _AudioOutput, operation: str, percent: int) -> None:
    """Change the volume or mute by one of `VOLUME_OPERATIONS`.

    Volumes are limited to 0-100 percent, but `Up` does not reduce a higher volume.
    """
    match operation:
        case "Up":
            before = output.get_percent()
            output.set_percent(max(before, min(100, before + percent)))
        case "Down":
            before = output.get_percent()
            output.set_percent(max(0, min(before, before - percent)))
        case "Set":
            output.set_percent(max(0, min(100, percent)))
        case "Mute" | "Unmute":
            output.set_muted(operation == "Mute")
        case "Toggle":
            output.set_muted(not output.is_muted())
        case _:
            known = ", ".join(VOLUME_OPERATIONS)
            raise ActionFailed(f"no volume operation `{operation}`: use one of {known}")


class PulseVolume:
    """Controls the volume of PulseAudio or PipeWire.

    Connects on first use, and again if the connection is lost.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pulse: Any = None

    def change_volume(self, operation: str, percent: int) -> None:
        """Change the volume of the default output by one of `VOLUME_OPERATIONS`.

        Raises:
            ActionFailed: There is no sound server or no output.
        """
        self._call_pulse(
            lambda pulse: apply_volume_operation(_PulseSink(pulse), operation, percent)
        )

    def get_output_name(self) -> str:
        """Return the name of the default audio output, for `conductor doctor`."""
        return self._call_pulse(lambda pulse: str(_PulseSink(pulse).sink.description))

    def close(self) -> None:
        with self._lock:
            self._drop_connection()

    def _call_pulse(self, work: Callable[[Any], T]) -> T:
        with self._lock:
            pulsectl = _import_pulsectl()
            try:
                return work(self._get_connection(pulsectl))
            except pulsectl.PulseError:
                self._drop_connection()
            try:
                return work(self._get_connection(pulsectl))
            except pulsectl.PulseError as problem:
                self._drop_connection()
                raise ActionFailed(f"the sound server refused: {problem}") from problem

    def _get_connection(self, pulsectl: Any) -> Any:
        if self._pulse is None:
            pulse = pulsectl.Pulse("conductor", connect=False)
            try:
                pulse.connect()  # without a timeout, because pulsectl would always wait until it expires
            except pulsectl.PulseError as problem:
                pulse.close()
                raise ActionFailed(
                    "no sound server responds: start PulseAudio or PipeWire (pipewire-pulse), "
                    "or set PULSE_SERVER"
                ) from problem
            self._pulse = pulse
        return self._pulse

    def _drop_connection(self) -> None:
        pulse, self._pulse = self._pulse, None
        if pulse is not None:
            pulse.close()


def _import_pulsectl() -> Any:
    try:
        import pulsectl
    except OSError as problem:  # raised here, because importing pulsectl loads libpulse
        raise ActionFailed("libpulse is missing: install it (Debian: libpulse0)") from problem
    return pulsectl


class _PulseSink:
    """The default output (sink) of the sound server, as it was when it was read."""

    def __init__(self, pulse: Any) -> None:
        self._pulse = pulse
        name = pulse.server_info().default_sink_name
        found = [sink for sink in pulse.sink_list() if sink.name == name]
        if not found:
            raise ActionFailed(
                "there is no sound output: connect one, or choose one in the sound settings"
            )
        self.sink = found[0]

    def get_percent(self) -> int:
        return round(100 * max(self.sink.volume.values))

    def set_percent(self, percent: int) -> None:
        """Set the volume of the loudest channel in percent, and scale the other
        channels to keep the balance.
        """
        values: list[float] = self.sink.volume.values
        loudest = max(values)
        scaled = [percent / 100 * (value / loudest if loudest else 1.0) for value in values]
        self.sink.volume.values = scaled
        self._pulse.volume_set(self.sink, self.sink.volume)

    def is_muted(self) -> bool:
        return bool(self.sink.mute)

    def set_muted(self, muted: bool) -> None:  # noqa: FBT001
        self._pulse.mute(self.sink, muted)


class MacVolume:
    """Controls the volume of macOS through AppleScript. Untested on a Mac."""

    def change_volume(self, operation: str, percent: int) -> None:
        apply_volume_operation(self, operation, percent)

    def get_percent(self) -> int:
        answer = _run_osascript("output volume of (get volume settings)")
        if not answer.isdigit():
            raise ActionFailed(
                "the volume of this output cannot be changed: choose another output in Sound settings"
            )
        return int(answer)

    def set_percent(self, percent: int) -> None:
        _run_osascript(f"set volume output volume {percent}")

    def is_muted(self) -> bool:
        return _run_osascript("output muted of (get volume settings)") == "true"

    def set_muted(self, muted: bool) -> None:  # noqa: FBT001
        _run_osascript(f"set volume output muted {str(muted).lower()}")


def _run_osascript(script: str) -> str:
    try:
        done = subprocess.run(
            ["osascript", "-e", script], check=True, capture_output=True, text=True, timeout=5
        )
    except (OSError, subprocess.SubprocessError) as problem:
        raise ActionFailed(f"the volume cannot be changed: {problem}") from problem
    return done.stdout.strip()


class WindowsVolume:
    """Controls the volume of Windows through Core Audio and pycaw.

    Untested on Windows. COM is initialized for each call, because each thread needs it.
    """

    def change_volume(self, operation: str, percent: int) -> None:
        import comtypes  # pyright: ignore[reportMissingImports]

        comtypes.CoInitialize()
        try:
            apply_volume_operation(_CoreAudioOutput(), operation, percent)
        except OSError as problem:
            raise ActionFailed(f"the volume cannot be changed: {problem}") from problem
        finally:
            comtypes.CoUninitialize()


class _CoreAudioOutput:
    def __init__(self) -> None:
        from pycaw.pycaw import AudioUtilities  # pyright: ignore[reportMissingImports]

        self._endpoint: Any = AudioUtilities.GetSpeakers().EndpointVolume

    def get_percent(self) -> int:
        return round(100 * self._endpoint.GetMasterVolumeLevelScalar())

    def set_percent(self, percent: int) -> None:
        self._endpoint.SetMasterVolumeLevelScalar(percent / 100, None)

    def is_muted(self) -> bool:
        return bool(self._endpoint.GetMute())

    def set_muted(self, muted: bool) -> None:  # noqa: FBT001
        self._endpoint.SetMute(int(muted), None)
