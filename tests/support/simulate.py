"""Plays a script of one line through the engine and renders its effects as one line.

A mapping is written as `<trigger> -> <action>`, both as a kind and `field=value` words, values in JSON or
as bare words. An action of one word without a kind is a keystroke: `Note note=36 -> cmd+c`.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from conductor.domain.actions import ACTION_KINDS
from conductor.domain.config import Config
from conductor.domain.events import InputEvent
from conductor.domain.lights import Light
from conductor.domain.mapping_names import (
    format_mapping_key,
    format_mapping_name,
    format_place_name,
)
from conductor.domain.phrases import describe_action
from conductor.domain.ports import PluginAnswer, Ports, WithdrawCall
from conductor.domain.row_phrases import format_action_phrase
from conductor.domain.settings import EngineSettings
from conductor.domain.trace import Effect, Trace
from conductor.engine.runner import EffectRunner
from conductor.engine.script import parse_script
from conductor.engine.simulate import Simulation
from conductor.engine.state import WallClock, get_noon_on_monday

Row = str | dict[str, Any]
Rows = str | Sequence[Row]


def words(text: str) -> dict[str, Any]:
    """Read `Kind field=value ...`."""
    kind, *fields = text.split()
    table: dict[str, Any] = {"type": kind}
    for field in fields:
        name, value = field.split("=", 1)
        try:
            table[name] = json.loads(value)
        except ValueError:
            table[name] = value
    return table


def action(text: str) -> dict[str, Any]:
    """Read an action: `Kind field=value ...`, or only the keys of a keystroke."""
    if text.split()[0] in ACTION_KINDS:
        return words(text)
    return words(f"Keystroke keys={text}")


def mapping(row: Row, when: Any = ()) -> dict[str, Any]:
    """Read one mapping; `when` adds conditions to its trigger."""
    if isinstance(row, dict):
        return row
    trigger, _, does = row.partition(" -> ")
    return {"trigger": {**words(trigger), "when": when}, "action": action(does.strip())}


def does(trigger: str, action: dict[str, Any], when: Any = ()) -> dict[str, Any]:
    """Return a mapping whose action does not fit on a line."""
    return {"trigger": {**words(trigger), "when": when}, "action": action}


def rows(mappings: Rows) -> list[dict[str, Any]]:
    """Read mappings: one a line, or a list."""
    if isinstance(mappings, str):
        mappings = [line for line in mappings.splitlines() if line.strip()]
    return [mapping(row) for row in mappings]


def config(
    everywhere: Rows = (),
    *,
    modes: dict[str, Rows] | None = None,
    profiles: Sequence[dict[str, Any]] = (),
    **rest: Any,
) -> Config:
    """Return a config of global mappings, modes with theirs, and profiles with theirs."""
    return Config.model_validate(
        {
            "global_mappings": rows(everywhere),
            "modes": [{"name": name, "mappings": rows(m)} for name, m in (modes or {}).items()],
            "profiles": [{**p, "mappings": rows(p.get("mappings", ()))} for p in profiles],
            **rest,
        }
    )


def play(
    what: Config | Rows, script: str, wall_clock: WallClock = get_noon_on_monday
) -> tuple[Simulation, list[Trace]]:
    """Play a script; also return the simulation with its final state."""
    simulation = Simulation(what if isinstance(what, Config) else config(what), wall_clock)
    return simulation, simulation.play_items(parse_script(script))


def plays(what: Config | Rows, script: str, wall_clock: WallClock = get_noon_on_monday) -> str:
    """Play a script and render each effect: `100 Keystroke cmd+c; 600 press shift`."""
    return told(play(what, script, wall_clock)[1])


def told(traces: Iterable[Trace]) -> str:
    """Render the effects of traces, with times in ms."""
    return "; ".join(
        f"{at_ms(trace.event)} {effect_words(effect)}"
        for trace in traces
        for effect in trace.effects
    )


def at_ms(event: InputEvent) -> str:
    return f"{round(event.time * 1000, 3):g}"


def effect_words(effect: Effect) -> str:
    """Render one effect; the start and end of something held are marked as such."""
    what = describe_action(effect.action.to_plain())
    if effect.kind in ("press", "release"):
        return f"{effect.kind} {what.removeprefix('Keystroke ')}"
    return what


def explains(
    what: Config | Rows, script: str, wall_clock: WallClock = get_noon_on_monday
) -> list[str]:
    """Render every candidate of every trace: `600 v no: held 431 ms, long press needs 500 ms`."""
    told: list[str] = []
    for trace in play(what, script, wall_clock)[1]:
        plain = trace.to_plain()
        for candidate in plain["candidates"]:
            does = describe_action(candidate["action"]).removeprefix("Keystroke ")
            told.append(
                f"{at_ms(trace.event)} {does} {candidate['outcome']}: {candidate['reason']}"
            )
        if plain["note"]:
            told.append(f"{at_ms(trace.event)} note: {plain['note']}")
    return told


def sends(what: Config | Rows, script: str) -> str:
    """Play a script and render the calls of the computer's ports."""
    recording = RecordingPorts()
    for trace in play(what, script)[1]:
        for effect in trace.effects:
            perform_now(effect, recording)
    return "; ".join(recording.said)


def perform_now(effect: Effect, ports: Ports) -> None:
    """Perform one effect as the runner does, but synchronously, even if it is for a worker."""
    runner = EffectRunner(
        ports, post=lambda _event: None, on_failure=lambda _effect, _sequence, _reason: None
    )
    runner.apply_settings(EngineSettings(allow_shell=True))
    if effect.action.blocking:
        effect.action.run(effect.fire, ports)
    else:
        runner.perform_effect(effect, 1)


class RecordingPorts:
    """Ports that record their calls; one object serves as all of them."""

    def __init__(self) -> None:
        self.said: list[str] = []

    @property
    def keyboard(self) -> "RecordingKeyboard":
        return RecordingKeyboard(self.said)

    @property
    def mouse(self) -> "RecordingMouse":
        return RecordingMouse(self.said)

    @property
    def programs(self) -> "RecordingPrograms":
        return RecordingPrograms(self.said)

    @property
    def volume(self) -> "RecordingVolume":
        return RecordingVolume(self.said)

    @property
    def midi(self) -> "RecordingMidi":
        return RecordingMidi(self.said)

    @property
    def lights(self) -> "RecordingLights":
        return RecordingLights(self.said)

    @property
    def osc(self) -> "RecordingOsc":
        return RecordingOsc(self.said)

    @property
    def plugins(self) -> "RecordingPlugins":
        return RecordingPlugins(self.said)

    @property
    def voice(self) -> "RecordingVoice":
        return RecordingVoice(self.said)


class _Recording:
    def __init__(self, said: list[str]) -> None:
        self.said = said


class RecordingVoice(_Recording):
    def start_listening(self, by: str) -> None:
        self.said.append(f"listen for {by}")

    def stop_listening(self) -> None:
        self.said.append("stop listening")


class RecordingKeyboard(_Recording):
    def press_keys(self, keys: Sequence[str]) -> None:
        self.said.append(f"press {'+'.join(keys)}")

    def release_keys(self, keys: Sequence[str]) -> None:
        self.said.append(f"release {'+'.join(keys)}")

    def type_text(self, text: str) -> None:
        self.said.append(f"text {text!r}")


class RecordingMouse(_Recording):
    def click(self, button: str, count: int) -> None:
        self.said.append(f"click {button} {count}")

    def move_to(self, x: int, y: int) -> None:
        self.said.append(f"move to {x} {y}")

    def move_by(self, dx: int, dy: int) -> None:
        self.said.append(f"move by {dx} {dy}")

    def scroll(self, dx: int, dy: int) -> None:
        self.said.append(f"scroll {dx} {dy}")


class RecordingPrograms(_Recording):
    def launch(self, app: str, args: Sequence[str]) -> None:
        self.said.append(" ".join(["launch", app, *args]))

    def run(self, argv: Sequence[str], timeout_s: float, cancelled: Any) -> str:
        self.said.append(" ".join(["run", *argv]))
        return ""


class RecordingVolume(_Recording):
    def change_volume(self, operation: str, percent: int) -> None:
        self.said.append(f"volume {operation} {percent}")


class RecordingMidi(_Recording):
    def send(self, port: str, message: bytes) -> None:
        self.said.append(f"midi {port} {message.hex(' ').upper()}")


class RecordingLights(_Recording):
    def show_light(self, device: str, light: Light) -> None:
        self.said.append(f"light {light.control} of {device} {light.color}")


class RecordingOsc(_Recording):
    def send(self, host: str, port: int, address: str, args: Sequence[object]) -> None:
        self.said.append(f"osc {host}:{port} {address} {list(args)}")


class RecordingPlugins(_Recording):
    def call_tool(
        self,
        server: str,
        tool: str,
        args: dict[str, object],
        timeout_s: float,
        by: str,
        answer: PluginAnswer,
    ) -> WithdrawCall:
        self.said.append(f"plugin {server}:{tool} {args}")
        answer(None)
        return lambda: None


def with_keys(text: str, played: Config) -> str:
    """Replace the names of mappings by the shorter description or key that tests write."""
    for scope, index, one in played.list_all_mappings():
        key = one.description or format_mapping_key(scope, index)
        by_action = f"{format_action_phrase(one.action, 'Cmd')}, {format_place_name(scope, index)}"
        for name in (format_mapping_name(scope, index, one), by_action):
            text = text.replace(f"`{name}`", f"`{key}`")
    return text
