"""Performs the effects of mappings, and computes the system calls that an effect would cause.

`resolve_effect` runs the same code as the live runner with ports that only record calls. As a
result, curves, limits, settings such as `cmd_key` and missing permissions affect a comparison
exactly as they affect the live engine.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypedDict

from conductor.base.json_types import JsonObject
from conductor.domain.actions.keystroke import KeystrokeAction
from conductor.domain.actions.midi_forward import MidiForwardAction
from conductor.domain.actions.mode_change import ModeChangeAction
from conductor.domain.actions.push_to_talk import PushToTalkAction
from conductor.domain.actions.send_midi import SendMidiAction
from conductor.domain.actions.set_variable import SetVariableAction
from conductor.domain.command_checks import explain_disabled_command
from conductor.domain.config import Config
from conductor.domain.keys import resolve_cmd_key
from conductor.domain.lights import Light
from conductor.domain.ports import PluginAnswer, Ports, WithdrawCall
from conductor.domain.settings import EngineSettings
from conductor.domain.trace import Effect
from conductor.domain.value import convert_to_plain
from conductor.domain.wire_rows import EffectKind
from conductor.errors import ActionFailed

SystemCall = list[Any]
"""A system call as a list with its name and its arguments, such as `["midi.send", target, "90 24 64"]`."""


class ResolvedEffect(TypedDict):
    """An effect as JSON data, in a form that can be compared with effects under other configs."""

    kind: EffectKind
    action: JsonObject
    """The action, in which fields that depend on the control have their values."""
    calls: list[SystemCall]
    """The system calls that the effect causes. From outside, effects with equal calls
    cannot be distinguished."""


def resolve_effect(effect: Effect, config: Config) -> ResolvedEffect:
    """Return an effect as JSON data, in a form that can be compared with effects under other configs.

    `kind` is the effect's kind, `action` the action with the values of the control, and `calls` the
    resulting system calls. Effects with equal `calls` cannot be distinguished from outside. The target of a
    `next` or `toggle` mode change is not included, since it depends on the state.
    """
    return {
        "kind": effect.kind,
        "action": effect.action.resolve_to_plain(effect.fire),
        "calls": resolve_calls(effect, config),
    }


def perform_effect(effect: Effect, ports: Ports, settings: EngineSettings) -> None:
    """Perform an effect through the given ports, as the settings of the engine require.

    Raises:
        ActionFailed: the effect failed, or the settings do not allow it.
    """
    action = effect.action
    if action.runs_command() and not settings.allow_shell:
        raise ActionFailed(explain_disabled_command(action))
    match effect.kind, action:
        case "press", KeystrokeAction():
            ports.keyboard.press_keys(action.keys)
        case "release", KeystrokeAction():
            ports.keyboard.release_keys(action.keys)
        case "release", MidiForwardAction():
            action.forward_message(effect.fire.release_message, ports)
        case "press", SendMidiAction():
            action.start_note(effect.fire, ports)
        case "release", SendMidiAction():
            action.end_note(effect.fire, ports)
        case "press", PushToTalkAction():
            ports.voice.start_listening(effect.ref.get_identifier())
        case "release", PushToTalkAction():
            ports.voice.stop_listening()
        case _:
            action.run(effect.fire, ports)


def resolve_calls(effect: Effect, config: Config) -> list[SystemCall]:
    """Return the system calls that an effect would cause under a config, without performing it."""
    match effect.action:
        case ModeChangeAction() as action:
            return [["mode", action.behaviour, action.mode]]
        case SetVariableAction() as action:
            value = action.resolve_to_plain(effect.fire).get("value", action.value)
            return [["variable", action.operation, action.name, value]]
        case _:
            recorder = _CallRecordingPorts(config)
            try:
                perform_effect(effect, recorder, config.settings.engine)
            except ActionFailed as error:
                recorder.calls.append(["fails", str(error)])
            return recorder.calls


class _CallRecordingPorts:
    """Output ports that record each call in place of performing it."""

    def __init__(self, config: Config) -> None:
        self.calls: list[SystemCall] = []
        self._config = config
        self._cmd = resolve_cmd_key(config.settings.engine.cmd_key)

    @property
    def keyboard(self) -> "_RecordingKeyboard":
        return _RecordingKeyboard(self.calls.append, self._cmd)

    @property
    def mouse(self) -> "_RecordingMouse":
        return _RecordingMouse(self.calls.append)

    @property
    def programs(self) -> "_RecordingPrograms":
        return _RecordingPrograms(self.calls.append)

    @property
    def volume(self) -> "_RecordingVolume":
        return _RecordingVolume(self.calls.append)

    @property
    def midi(self) -> "_RecordingMidi":
        return _RecordingMidi(self.calls.append, self._config)

    @property
    def lights(self) -> "_RecordingLights":
        return _RecordingLights(self.calls.append, self._config)

    @property
    def osc(self) -> "_RecordingOsc":
        return _RecordingOsc(self.calls.append)

    @property
    def plugins(self) -> "_RecordingPlugins":
        return _RecordingPlugins(self.calls.append)

    @property
    def voice(self) -> "_RecordingVoice":
        return _RecordingVoice(self.calls.append)


RecordCall = Callable[[SystemCall], None]


class _RecordingKeyboard:
    def __init__(self, record: RecordCall, cmd: str) -> None:
        self._record = record
        self._cmd = cmd

    def press_keys(self, keys: Sequence[str]) -> None:
        self._record(["keyboard.press", self._resolve_keys(keys)])

    def release_keys(self, keys: Sequence[str]) -> None:
        self._record(["keyboard.release", self._resolve_keys(keys)])

    def type_text(self, text: str) -> None:
        self._record(["keyboard.text", text])

    def _resolve_keys(self, keys: Sequence[str]) -> list[str]:
        return [self._cmd if key == "cmd" else key for key in keys]


class _RecordingMouse:
    def __init__(self, record: RecordCall) -> None:
        self._record = record

    def click(self, button: str, count: int) -> None:
        self._record(["mouse.click", button, count])

    def move_to(self, x: int, y: int) -> None:
        self._record(["mouse.move_to", x, y])

    def move_by(self, dx: int, dy: int) -> None:
        self._record(["mouse.move_by", dx, dy])

    def scroll(self, dx: int, dy: int) -> None:
        self._record(["mouse.scroll", dx, dy])


class _RecordingPrograms:
    def __init__(self, record: RecordCall) -> None:
        self._record = record

    def launch(self, app: str, args: Sequence[str]) -> None:
        self._record(["programs.launch", app, list(args)])

    def run(self, argv: Sequence[str], timeout_s: float, cancelled: Callable[[], bool]) -> str:
        self._record(["programs.run", list(argv), timeout_s])
        return ""


class _RecordingVolume:
    def __init__(self, record: RecordCall) -> None:
        self._record = record

    def change_volume(self, operation: str, percent: int) -> None:
        # Mute ignores the amount, so different amounts must not make the calls differ.
        counts = operation in ("Up", "Down", "Set")
        self._record(["volume.change", operation, percent if counts else None])


class _RecordingMidi:
    def __init__(self, record: RecordCall, config: Config) -> None:
        self._record = record
        self._config = config

    def send(self, port: str, message: bytes) -> None:
        self._record(
            ["midi.send", resolve_midi_target(port, self._config), message.hex(" ").upper()]
        )


class _RecordingLights:
    def __init__(self, record: RecordCall, config: Config) -> None:
        self._record = record
        self._config = config

    def show_light(self, device: str, light: Light) -> None:
        self._record(["lights.show", resolve_midi_target(device, self._config), *light])


class _RecordingOsc:
    def __init__(self, record: RecordCall) -> None:
        self._record = record

    def send(self, host: str, port: int, address: str, args: Sequence[object]) -> None:
        self._record(["osc.send", host, port, address, list(args)])


class _RecordingPlugins:
    def __init__(self, record: RecordCall) -> None:
        self._record = record

    def call_tool(
        self,
        server: str,
        tool: str,
        args: dict[str, object],
        timeout_s: float,
        by: str,
        answer: PluginAnswer,
    ) -> WithdrawCall:
        del timeout_s, by, answer
        self._record(["plugins.call", server, tool, args])
        return lambda: None


class _RecordingVoice:
    def __init__(self, record: RecordCall) -> None:
        self._record = record

    def start_listening(self, by: str) -> None:
        del by  # the name of the mapping has no effect outside
        self._record(["voice.start"])

    def stop_listening(self) -> None:
        self._record(["voice.stop"])


def resolve_midi_target(port: str, config: Config) -> JsonObject:
    """Return what an output name means under a config: the matchers of an alias, Conductor's
    virtual output, or a port name.

    Renaming an alias therefore does not change the target of an effect, but changing its matchers does.
    """
    device = next((device for device in config.devices if device.alias == port), None)
    if device is not None:
        return {"matchers": sorted(convert_to_plain(list(device.matchers)), key=repr)}
    output = config.settings.engine.virtual_output
    if output and port.casefold() in output.casefold():
        return {"virtual_output": output}
    return {"port": port}
