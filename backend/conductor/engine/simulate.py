"""Plays events through the engine without performing actions."""

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
"""Time after the last event, in seconds, in which pending gestures and delayed actions finish."""


class Simulation:
    """An engine whose actions all succeed immediately and have no external effect."""

    def __init__(
        self,
        config: Config,
        wall_clock: WallClock = get_noon_on_monday,
        state: EngineState | None = None,
    ) -> None:
        """Create a simulation with a new state, or with a given state."""
        self.state = state or EngineState(compile_table(config), wall_clock)
        self.traces: list[Trace] = []

    def play_items(
        self, items: Iterable[ScriptItem], *, settle_s: float = SETTLE_TIME_S
    ) -> list[Trace]:
        """Feed items in order of time, then advance by `settle_s`, and return the traces."""
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
        """Run one deadline at a time, so that sequences continue at the time when an action completes."""
        due = self.state.get_due_time()
        while due is not None and due <= until:
            self._collect_traces(run_due_deadlines(self.state, due))
            due = self.state.get_due_time()

    def _collect_traces(self, traces: list[Trace]) -> None:
        """Collect traces, and complete worker actions immediately."""
        self.traces.extend(traces)
        for trace in traces:
            for effect in trace.effects:
                if effect.waits:
                    done = InputEvent("completed", "", 0, effect.run, 1, self.state.now)
                    self._collect_traces(feed_event(self.state, done))


class SimulatedFiring(TypedDict):
    """A mapping that fired, as plain data."""

    time_ms: float
    action: JsonObject
    scope: str
    index: int
    description: str | None
    mode: str


class SimulatedEffect(TypedDict):
    """A single effect, as plain data."""

    time_ms: float
    kind: EffectKind
    action: JsonObject
    resolved: JsonObject
    scope: str
    index: int


def list_fired_actions(traces: Iterable[Trace]) -> list[SimulatedFiring]:
    """Return the firings as plain data, each with its action as configured."""
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
    """Return the single effects as plain data, with actions as configured and with values filled in."""
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
