"""Plays the gesture of an example, and collects the actions that fire and their effects."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from conductor.base.suggestions import format_suggestion
from conductor.domain.actions.base import ActionBase
from conductor.domain.config import Config
from conductor.domain.events import CONTROL_CLASS, CONTROL_CLASSES_WITH_CHANNEL
from conductor.domain.examples import Example, ObservedEffect
from conductor.domain.phrases import describe_resolved_action
from conductor.domain.trace import MappingRef, Trace
from conductor.engine.effects import resolve_effect
from conductor.engine.examples.devices import resolve_device_names
from conductor.engine.examples.match import resolve_action
from conductor.engine.examples.situations import (
    ExampleSituation,
    ListenerIndex,
    PlayedControls,
    SituationFinder,
)
from conductor.engine.gestures.contexts import GestureContext, build_engine_state
from conductor.engine.script import ScriptedModeSwitch, ScriptItem, parse_script
from conductor.engine.script_defaults import apply_script_defaults
from conductor.engine.simulate import Simulation
from conductor.engine.table import MappingTable, compile_table
from conductor.errors import BadScript

MAX_GESTURE_DURATION_S = 600.0
SETTLE_TIME_S = 61.0
"""Seconds after the gesture by which everything is decided; a long press takes at most 60 s."""
MAX_GESTURE_EVENTS = 1000
MAX_PINNED_EFFECTS = 50
"""The maximum number of effects that are saved with an example; further effects are not compared."""


class PlayedAction(NamedTuple):
    """An action that fired, or one of its effects, with its time after the start of the gesture."""

    time_ms: float
    ref: MappingRef
    action: ActionBase
    resolved: ActionBase | None = None
    """The action with the values of the control that fired it; None if these make it invalid."""

    def describe(self) -> str:
        """Return the action, its time and its mapping as text."""
        what = describe_resolved_action((self.resolved or self.action).to_plain())
        return f"{what} at {self.time_ms:g} ms (`{self.ref.describe()}`)"


class PlayedExample(NamedTuple):
    """What the gesture of an example did: its traces, and the mode before and after it."""

    traces: list[Trace]
    mode: str
    """The mode in which the gesture started."""
    ended_in: str
    config: Config

    def list_fired_mappings(self) -> list[PlayedAction]:
        """Return the actions that fired, each as a whole, with their mappings and times."""
        return [_build_played_action(trace, ref) for trace in self.traces for ref in trace.fired]

    def list_effects(self) -> list[PlayedAction]:
        """Return each effect of the fired actions separately; releases of keys and notes are left out."""
        return [
            PlayedAction(
                _get_trace_time_ms(trace),
                effect.ref,
                effect.action,
                resolve_action(effect.action, effect.fire),
            )
            for trace in self.traces
            for effect in trace.effects
            if effect.kind != "release"
        ]

    def list_pinned_effects(self) -> tuple[ObservedEffect, ...]:
        """Return the first effects, up to `MAX_PINNED_EFFECTS`, each with the system calls that it makes."""
        effects = ((trace, effect) for trace in self.traces for effect in trace.effects)
        return tuple(
            ObservedEffect(
                kind=effect.kind,
                at_ms=_get_trace_time_ms(trace),
                calls=tuple(resolve_effect(effect, self.config)["calls"]),
            )
            for (trace, effect), _ in zip(effects, range(MAX_PINNED_EFFECTS), strict=False)
        )


class ExamplePlayer:
    """Plays examples under one config, which is compiled only once."""

    def __init__(self, config: Config, table: MappingTable | None = None) -> None:
        """Prepare to play examples. Pass `table` if the config has already been compiled."""
        self.config = config
        self._table = table
        self._listeners: ListenerIndex | None = None

    def play_example(
        self, example: Example, choose: Callable[[SituationFinder], Iterable[ExampleSituation]]
    ) -> Iterator[tuple[ExampleSituation, PlayedExample]]:
        """Play an example in each situation that `choose` selects, and yield what happened.

        Raises:
            BadScript: the gesture cannot be read, or its mode does not exist.
        """
        items = self.list_script_items(example)
        table = self._table = self._table or compile_table(self.config)
        mode = self.resolve_mode(example)
        listeners = self._listeners = self._listeners or ListenerIndex(self.config)
        finder = SituationFinder(listeners, list_played_controls(items))
        for situation in choose(finder):
            variables = tuple(example.variables.items())
            context = GestureContext(mode, situation.app, situation.clock, variables)
            simulation = Simulation(self.config, state=build_engine_state(table, context))
            traces = simulation.play_items(items, settle_s=SETTLE_TIME_S)
            yield situation, PlayedExample(traces, mode, simulation.state.mode, self.config)

    def resolve_mode(self, example: Example) -> str:
        """Return the mode in which an example is played."""
        start = self.config.get_start_mode()
        wanted = start if example.mode is None or example.from_start else example.mode
        if self.config.find_mode(wanted) is None:
            hint = format_suggestion(wanted, [mode.name for mode in self.config.modes])
            raise BadScript(f"Invalid mode: '{wanted}' does not exist{hint}")
        return wanted

    def list_script_items(self, example: Example) -> list[ScriptItem]:
        """Return the events in the gesture of an example, with default devices and channels filled in."""
        items = _fill_missing_devices(_parse_script_safely(example.gesture), example)
        if not example.pinned:
            return list(
                apply_script_defaults(
                    items, _move_mode_to_front(self.config, self.resolve_mode(example))
                )
            )
        names = resolve_device_names(example.devices, self.config)
        return [_rename_device(item, names) for item in items]


def format_control_name(item: ScriptItem) -> str | None:
    """Return the control of an event as text, such as `note 36`, or None if the event has no control."""
    control_class = None if isinstance(item, ScriptedModeSwitch) else CONTROL_CLASS.get(item.kind)
    return None if control_class is None else f"{control_class} {item.number}"  # pyright: ignore[reportAttributeAccessIssue]


def list_played_controls(items: Iterable[ScriptItem]) -> PlayedControls:
    """Return the controls that occur in a gesture."""
    return {
        (CONTROL_CLASS[item.kind], item.number)
        for item in items
        if not isinstance(item, ScriptedModeSwitch) and item.kind in CONTROL_CLASS
    }


def parse_gesture(gesture: str) -> list[ScriptItem]:
    """Return the events in a gesture; devices and channels that it leaves out stay empty."""
    return _parse_script_safely(gesture)


def _parse_script_safely(gesture: str) -> list[ScriptItem]:
    items = parse_script(gesture, device="", channel=0)
    if not items:
        raise BadScript("it has no events; write such as `tap 36` or `down 36; wait 600; up 36`")
    if len(items) > MAX_GESTURE_EVENTS:
        raise BadScript(f"it has {len(items):,} events; {MAX_GESTURE_EVENTS:,} are allowed")
    if not all(0 <= item.time <= MAX_GESTURE_DURATION_S for item in items):
        raise BadScript(f"its times must be between 0 and {MAX_GESTURE_DURATION_S:g} s")
    return items


def _fill_missing_devices(items: Iterable[ScriptItem], example: Example) -> list[ScriptItem]:
    """Return the events of a gesture. Events that name no device or channel get those of the example."""
    places = {control.control: (control.device, control.channel) for control in example.controls}
    usual = (example.device or "", example.channel or 0)
    filled: list[ScriptItem] = []
    for item in items:
        control = format_control_name(item)
        if isinstance(item, ScriptedModeSwitch) or control is None:
            filled.append(item)
            continue
        device, channel = places.get(control, usual)
        if CONTROL_CLASS[item.kind] not in CONTROL_CLASSES_WITH_CHANNEL:
            channel = 0
        filled.append(item._replace(device=item.device or device, channel=item.channel or channel))
    return filled


def _rename_device(item: ScriptItem, names: Mapping[str, str]) -> ScriptItem:
    if isinstance(item, ScriptedModeSwitch) or item.device not in names:
        return item
    return item._replace(device=names[item.device])


def _move_mode_to_front(config: Config, wanted: str) -> Config:
    """Return the config with one mode moved to the front, so that its mappings decide on default devices."""
    modes = sorted(config.modes, key=lambda mode: mode.name != wanted)
    return config.model_copy(update={"modes": tuple(modes)})


def _build_played_action(trace: Trace, ref: MappingRef) -> PlayedAction:
    action = ref.mapping.action
    matching = (effect for effect in trace.effects if effect.ref == ref and effect.action is action)
    fire = next((effect.fire for effect in matching), None)
    resolved = None if fire is None else resolve_action(action, fire)
    return PlayedAction(_get_trace_time_ms(trace), ref, action, resolved)


def _get_trace_time_ms(trace: Trace) -> float:
    return round(trace.event.time * 1000, 3)
