"""Plays events through the engine; actions are not performed, and count as successful."""

from collections.abc import Iterable
from typing import TypedDict

from conductor.base.json_types import JsonObject
from conductor.domain.config import Config
from conductor.domain.events import InputEvent
from conductor.domain.trace import Trace
from conductor.domain.wire_rows import EffectKind
from conductor.engine.script import ScriptedModeSwitch, ScriptItem
from conductor.engine.state import EngineState, WallClock, get_noon_on_monday
from conductor.engine.step import feed_event, run_due_deadlines, switch_mode
from conductor.engine.table import compile_table
from conductor.errors import BadScript

SETTLE_TIME_S = 600.0
"""Seconds after the last event in which pending gestures and delayed actions can finish."""


class Simulation:
    """An engine whose actions all succeed immediately and have no effect outside the engine."""

    def __init__(
        self,
        config: Config,
        wall_clock: WallClock = get_noon_on_monday,
        state: EngineState | None = None,
    ) -> None:
        """Create a simulation. It starts with a new state unless `state` is given."""
        self.state = state or EngineState(compile_table(config), wall_clock)
        self.traces: list[Trace] = []

    def play_items(
        self, items: Iterable[ScriptItem], *, settle_s: float = SETTLE_TIME_S
    ) -> list[Trace]:
        """Play items in the order of their times, let `settle_s` more seconds pass, and return all traces."""
        last = 0.0
        for item in items:
            last = item.time
            self._advance_to(last)
            if isinstance(item, ScriptedModeSwitch):
                self._switch_mode(item)
            else:
                self._collect_traces(feed_event(self.state, item))
        self._advance_to(last + settle_s)
        return self.traces

    def _switch_mode(self, choice: ScriptedModeSwitch) -> None:
        try:
            self._collect_traces([switch_mode(self.state, choice.mode, choice.time)])
        except KeyError:
            raise BadScript(f"Invalid mode: '{choice.mode}' does not exist") from None

    def _advance_to(self, until: float) -> None:
        """Run one deadline at a time up to a time, so that a sequence continues when
        its action has completed.
        """
        due = self.state.get_due_time()
        while due is not None and due <= until:
            self._collect_traces(run_due_deadlines(self.state, due))
            due = self.state.get_due_time()

    def _collect_traces(self, traces: list[Trace]) -> None:
        """Append traces to the result, and complete the actions in them that would run on a worker."""
        self.traces.extend(traces)
        for trace in traces:
            for effect in trace.effects:
                if effect.waits:
                    done = InputEvent("completed", "", 0, effect.run, 1, self.state.now)
                    self._collect_traces(feed_event(self.state, done))


class SimulatedFiring(TypedDict):
    """A mapping that fired in a simulation, as JSON data."""

    time_ms: float
    action: JsonObject
    scope: str
    index: int
    description: str | None
    mode: str


class SimulatedEffect(TypedDict):
    """A single effect of a simulation, as JSON data."""

    time_ms: float
    kind: EffectKind
    action: JsonObject
    resolved: JsonObject
    scope: str
    index: int


def list_fired_actions(traces: Iterable[Trace]) -> list[SimulatedFiring]:
    """Return all firings in traces as JSON data, each with its action as it is in the config."""
    return [
        {
            "time_ms": round(_get_event_time(trace) * 1000, 3),
            "action": ref.mapping.action.to_plain(),
            "scope": ref.scope,
            "index": ref.index,
            "description": ref.mapping.description,
            "mode": trace.mode,
        }
        for trace in traces
        for ref in trace.fired
    ]


def list_fired_effects(traces: Iterable[Trace]) -> list[SimulatedEffect]:
    """Return all effects in traces as JSON data, each with its action as configured and with actual values."""
    return [
        {
            "time_ms": round(_get_event_time(trace) * 1000, 3),
            "kind": effect.kind,
            "action": effect.action.to_plain(),
            "resolved": effect.action.resolve_to_plain(effect.fire),
            "scope": effect.ref.scope,
            "index": effect.ref.index,
        }
        for trace in traces
        for effect in trace.effects
    ]


def _get_event_time(trace: Trace) -> float:
    return trace.event.time
