"""Plays a gesture on a config in a given context, and returns its outcome in a form that can be compared."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from conductor.domain.conditions import Scalar
from conductor.domain.config import Config
from conductor.domain.events import CONTROL_CLASS, Control, InputEvent
from conductor.domain.keys import resolve_cmd_key
from conductor.domain.row_phrases import format_performed_action
from conductor.domain.trace import Effect, MappingRef, Trace
from conductor.engine.effects import resolve_calls
from conductor.engine.gestures.space import GestureContext, build_engine_state
from conductor.engine.state import EngineState
from conductor.engine.step import feed_event, run_due_deadlines
from conductor.engine.table import MappingTable, compile_table

SETTLE_TIME_S = 5.0
"""Seconds after the last event by which every generated gesture is decided."""
MAX_DEADLINE_STEPS = 300
"""The maximum number of deadlines that are run between two events. A repetition that is
never released has no end."""


class PlayedEffect(NamedTuple):
    """An effect that a gesture caused, in a form that can be compared."""

    time_ms: float
    kind: str
    calls: str
    """The system calls of the effect as text."""


class GestureOutcome(NamedTuple):
    """What a gesture did under one config: effects, final mode and variables."""

    done: tuple[PlayedEffect, ...]
    mode: str
    variables: dict[str, Scalar]
    fired: tuple[MappingRef, ...]
    effects: tuple[tuple[PlayedEffect, Effect, Control | None], ...]

    def is_equivalent(self, other: "GestureOutcome") -> bool:
        """Return whether two outcomes have the same effects, final mode and variables."""
        return (self.done, self.mode, self.variables) == (other.done, other.mode, other.variables)


class GesturePlayer:
    """Plays gestures on one config, which is compiled once."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._cmd = resolve_cmd_key(config.settings.engine.cmd_key)
        self._table: MappingTable = compile_table(config)
        self._resolved: dict[tuple[int, str, Any], str] = {}

    def play_gesture(
        self, gesture: Sequence[InputEvent], context: GestureContext
    ) -> GestureOutcome:
        """Play a gesture on a newly started engine, and return what it did."""
        state = build_engine_state(self._table, context)
        traces: list[Trace] = []
        for event in gesture:
            self._advance_to(state, event.time, traces)
            self._collect_traces(state, feed_event(state, event), traces)
        self._advance_to(state, gesture[-1].time + SETTLE_TIME_S, traces)
        effects = tuple(self._collect_effects(traces, gesture[0].time))
        return GestureOutcome(
            tuple(sorted(done for done, _, _ in effects)),
            state.mode,
            dict(state.variables),
            tuple(ref for trace in traces for ref in trace.fired),
            effects,
        )

    def describe_effects(self, outcome: GestureOutcome) -> tuple[str, ...]:
        """Return the effects of an outcome as short phrases, with the times of delayed effects."""
        phrases: list[str] = []
        for done, effect, _ in outcome.effects:
            phrase = format_performed_action(effect.action.resolve_to_plain(effect.fire), self._cmd)
            kind = f"{effect.kind} " if effect.kind in ("press", "release") else ""
            after = f" after {done.time_ms:g} ms" if done.time_ms else ""
            phrases.append(f"{kind}{phrase}{after}")
        return tuple(phrases)

    def _advance_to(self, state: EngineState, until: float, traces: list[Trace]) -> None:
        due, steps = state.get_due_time(), 0
        while due is not None and due <= until and steps < MAX_DEADLINE_STEPS:
            self._collect_traces(state, run_due_deadlines(state, due), traces)
            due, steps = state.get_due_time(), steps + 1

    def _collect_traces(self, state: EngineState, new: list[Trace], traces: list[Trace]) -> None:
        """Append traces to a list, and complete their worker actions immediately; an
        action that cannot run fails.
        """
        for trace in new:
            traces.append(trace)
            for effect in trace.effects:
                if effect.waits:
                    succeeds = int('"fails"' not in self._resolve_calls(effect))
                    done = InputEvent("completed", "", 0, effect.run, succeeds, state.now)
                    self._collect_traces(state, feed_event(state, done), traces)

    def _collect_effects(
        self, traces: list[Trace], start: float
    ) -> list[tuple[PlayedEffect, Effect, Control | None]]:
        found: list[tuple[PlayedEffect, Effect, Control | None]] = []
        for trace in traces:
            event = trace.event
            for effect in trace.effects:
                time_ms = round((event.time - start) * 1000, 3)
                done = PlayedEffect(time_ms, effect.kind, self._resolve_calls(effect))
                found.append((done, effect, _find_causing_control(event, effect)))
        return found

    def _resolve_calls(self, effect: Effect) -> str:
        # The config keeps a reference to the action, so its id is not reused.
        fire = effect.fire
        key = id(effect.action), effect.kind, (fire.value, fire.steps, fire.message)
        calls_text = self._resolved.get(key)
        if calls_text is None:
            calls = resolve_calls(effect, self._config)
            calls_text = self._resolved[key] = repr(calls).replace("'fails'", '"fails"')
        return calls_text


def _find_causing_control(event: InputEvent, effect: Effect) -> Control | None:
    """Return the control that caused an effect; for a delayed effect this is the control of its mapping."""
    control_class = CONTROL_CLASS.get(event.kind)
    listens = dict(effect.ref.mapping.trigger.list_controls())
    if control_class in listens:
        return Control(event.device, event.channel, control_class, event.number)
    if event.kind == "timer" and event.device:
        own = next(iter(listens))
        return Control(event.device, event.channel, own, event.number)
    return None
