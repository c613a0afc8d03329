"""Records effects on the computer as texts with times; its output ports perform nothing."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from conductor.domain.lights import Light
from conductor.domain.ports import PluginAnswer, WithdrawCall

NAME_BY_STATUS_BYTE = {0x80: "note off", 0x90: "note", 0xA0: "key pressure", 0xB0: "cc", 0xC0: "program",
            0xD0: "pressure", 0xE0: "bend"}  # fmt: skip


class RecordedAction(NamedTuple):
    """An effect that would have been performed, as a text with its time in milliseconds."""

    at_ms: float
    words: str


class Recorder:
    """Implements all output ports of the computer. `at_ms` is the time that the next effect gets."""

    def __init__(self) -> None:
        self.at_ms = 0.0
        self._actions: list[RecordedAction] = []

    def record_effect(self, words: str) -> None:
        """Record an effect, described as text, at the current time."""
        self._actions.append(RecordedAction(self.at_ms, words))

    def list_actions(self) -> list[RecordedAction]:
        """Return all recorded effects in order.

        A key that is pressed and released immediately counts as one effect.
        """
        merged: list[RecordedAction] = []
        for action in self._actions:
            verb, _, keys = action.words.partition(" ")
            last = merged[-1] if merged else None
            if last == RecordedAction(action.at_ms, f"down {keys}") and verb == "up":
                merged[-1] = RecordedAction(action.at_ms, f"keys {keys}")
            else:
                merged.append(action)
        return merged

    @property
    def keyboard(self) -> "_RecordingKeyboard":
        return _RecordingKeyboard(self.record_effect)

    @property
    def mouse(self) -> "_RecordingMouse":
        return _RecordingMouse(self.record_effect)

    @property
    def programs(self) -> "_RecordingPrograms":
        return _RecordingPrograms(self.record_effect)

    @property
    def volume(self) -> "_RecordingVolume":
        return _RecordingVolume(self.record_effect)

    @property
    def midi(self) -> "_RecordingMidi":
        return _RecordingMidi(self.record_effect)

    @property
    def lights(self) -> "_RecordingLights":
        return _RecordingLights(self.record_effect)

    @property
    def osc(self) -> "_RecordingOsc":
        return _RecordingOsc(self.record_effect)

    @property
    def plugins(self) -> "_RecordingPlugins":
        return _RecordingPlugins(self.record_effect)

    @property
    def voice(self) -> "_RecordingVoice":
        return _RecordingVoice(self.record_effect)


class _RecordingPort:
    def __init__(self, record: Callable[[str], None]) -> None:
        self._record = record


class _RecordingVoice(_RecordingPort):
    def start_listening(self, by: str) -> None:
        self._record("listen")

    def stop_listening(self) -> None:
        self._record("stop listening")


class _RecordingKeyboard(_RecordingPort):
    def press_keys(self, keys: Sequence[str]) -> None:
        self._record(f"down {'+'.join(keys)}")

    def release_keys(self, keys: Sequence[str]) -> None:
        self._record(f"up {'+'.join(keys)}")

    def type_text(self, text: str) -> None:
        self._record(f"text {text}")


class _RecordingMouse(_RecordingPort):
    def click(self, button: str, count: int) -> None:
        self._record(f"click {button} {count}")

    def move_to(self, x: int, y: int) -> None:
        self._record(f"pointer to {x} {y}")

    def move_by(self, dx: int, dy: int) -> None:
        self._record(f"pointer by {dx} {dy}")

    def scroll(self, dx: int, dy: int) -> None:
        self._record(f"scroll {dx} {dy}")


class _RecordingPrograms(_RecordingPort):
    def launch(self, app: str, args: Sequence[str]) -> None:
        self._record(" ".join(["launch", app, *args]))

    def run(self, argv: Sequence[str], timeout_s: float, cancelled: Callable[[], bool]) -> str:
        self._record(" ".join(["run", *argv]))
        return ""


class _RecordingVolume(_RecordingPort):
    def change_volume(self, operation: str, percent: int) -> None:
        with_percent = operation in ("Up", "Down", "Set")
        self._record(f"volume {operation.lower()}{f' {percent}' if with_percent else ''}")


class _RecordingMidi(_RecordingPort):
    def send(self, port: str, message: bytes) -> None:
        self._record(f"midi {port} {format_message(message)}")


class _RecordingLights(_RecordingPort):
    def show_light(self, device: str, light: Light) -> None:
        where = f" ch {light.channel}" if light.channel else ""
        self._record(f"light {device} {light.control}{where} {light.color}")


class _RecordingOsc(_RecordingPort):
    def send(self, host: str, port: int, address: str, args: Sequence[object]) -> None:
        self._record(" ".join([f"osc {host}:{port} {address}", *map(str, args)]))


class _RecordingPlugins(_RecordingPort):
    def call_tool(
        self,
        server: str,
        tool: str,
        args: dict[str, object],
        timeout_s: float,
        by: str,
        answer: PluginAnswer,
    ) -> WithdrawCall:
        self._record(f"plugin {server}:{tool}")
        answer(None)
        return lambda: None


def format_message(message: bytes) -> str:
    """Return a MIDI message as text such as `cc 7 64 ch 1`, or as hex if it has no channel."""
    kind = NAME_BY_STATUS_BYTE.get(message[0] & 0xF0)
    if kind is None:
        return message.hex(" ").upper()
    data = message[1:]
    values = [data[0] | data[1] << 7] if kind == "bend" else list(data)
    return f"{kind} {' '.join(map(str, values))} ch {(message[0] & 0x0F) + 1}"
