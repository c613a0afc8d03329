"""Plays one gesture on an old and a new config from the same circumstances, and compares what is done."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from conductor.domain.config import Config
from conductor.domain.events import CONTROL_CLASS, Control, InputEvent
from conductor.domain.keys import cmd_key
from conductor.domain.row_phrases import done_phrase
from conductor.domain.trace import Effect, MappingRef, Trace
from conductor.engine.effects import resolve_calls
from conductor.engine.gestures.space import Context, begin
from conductor.engine.state import EngineState
from conductor.engine.step import advance, feed
from conductor.engine.table import Table, compile_table

SETTLE_S = 5.0
"""Time after the last touch, in which everything that was begun is decided."""
STEPS_AT_MOST = 300
"""A repetition that is never let go has no end."""


class Done(NamedTuple):
    """One thing that was done."""

    time_ms: float
    kind: str
    calls: str
    """What it comes to outside, in a form that can be compared."""


class Outcome(NamedTuple):
    """What came of a gesture on one config."""

    done: tuple[Done, ...]
    mode: str
    variables: dict[str, Any]
    fired: tuple[MappingRef, ...]
    effects: tuple[tuple[Done, Effect, Control | None], ...]

    def is_like(self, other: "Outcome") -> bool:
        """Check whether nobody outside could tell the two apart."""
        return (self.done, self.mode, self.variables) == (other.done, other.mode, other.variables)


class Player:
    """One config, ready to be played."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._cmd = cmd_key(config.settings.engine.cmd_key)
        self._table: Table = compile_table(config)
        self._resolved: dict[tuple[int, str, Any], str] = {}

    def play(self, gesture: Sequence[InputEvent], context: Context) -> Outcome:
        """Play a gesture from a fresh start."""
        state = begin(self._table, context)
        traces: list[Trace] = []
        for event in gesture:
            self._pass_time(state, event.time, traces)
            self._take(state, feed(state, event), traces)
        self._pass_time(state, gesture[-1].time + SETTLE_S, traces)
        effects = tuple(self._effects(traces, gesture[0].time))
        return Outcome(
            tuple(sorted(done for done, _, _ in effects)),
            state.mode,
            dict(state.variables),
            tuple(ref for trace in traces for ref in trace.fired),
            effects,
        )

    def words(self, outcome: Outcome) -> tuple[str, ...]:
        """Return what was done as short phrases."""
        phrases: list[str] = []
        for done, effect, _ in outcome.effects:
            what = done_phrase(effect.action.done(effect.fire), self._cmd)
            kind = f"{effect.kind} " if effect.kind in ("press", "release") else ""
            after = f" after {done.time_ms:g} ms" if done.time_ms else ""
            phrases.append(f"{kind}{what}{after}")
        return tuple(phrases)

    def _pass_time(self, state: EngineState, until: float, traces: list[Trace]) -> None:
        due, steps = state.due(), 0
        while due is not None and due <= until and steps < STEPS_AT_MOST:
            self._take(state, advance(state, due), traces)
            due, steps = state.due(), steps + 1

    def _take(self, state: EngineState, new: list[Trace], traces: list[Trace]) -> None:
        """Keep traces, and complete at once what a worker would have done; what cannot run fails."""
        for trace in new:
            traces.append(trace)
            for effect in trace.effects:
                if effect.waits:
                    succeeds = int('"fails"' not in self._calls(effect))
                    done = InputEvent("completed", "", 0, effect.run, succeeds, state.now)
                    self._take(state, feed(state, done), traces)

    def _effects(
        self, traces: list[Trace], start: float
    ) -> list[tuple[Done, Effect, Control | None]]:
        found: list[tuple[Done, Effect, Control | None]] = []
        for trace in traces:
            event = trace.event
            for effect in trace.effects:
                time_ms = round((event.time - start) * 1000, 3)
                done = Done(time_ms, effect.kind, self._calls(effect))
                found.append((done, effect, _control(event, effect)))
        return found

    def _calls(self, effect: Effect) -> str:
        # the action is kept by the config, so that its id stays its own
        fire = effect.fire
        key = id(effect.action), effect.kind, (fire.value, fire.steps, fire.message)
        known = self._resolved.get(key)
        if known is None:
            calls = resolve_calls(effect, self._config)
            known = self._resolved[key] = repr(calls).replace("'fails'", '"fails"')
        return known


def _control(event: InputEvent, effect: Effect) -> Control | None:
    """Return the control that an effect answers: of its event, or of the mapping whose turn came later."""
    control_class = CONTROL_CLASS.get(event.kind)
    listens = dict(effect.ref.mapping.trigger.controls())
    if control_class in listens:
        return Control(event.device, event.channel, control_class, event.number)
    if event.kind == "timer" and event.device:
        own = next(iter(listens))
        return Control(event.device, event.channel, own, event.number)
    return None
