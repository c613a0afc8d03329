"""Plays events through the engine without doing anything: what would happen, when and why."""

from collections.abc import Iterable
from typing import Any

from conductor.domain.config import Config
from conductor.domain.events import InputEvent
from conductor.domain.trace import Trace
from conductor.engine.script import ModeChoice, ScriptItem
from conductor.engine.state import EngineState, WallClock, noon_on_monday
from conductor.engine.step import advance, feed, switch_mode
from conductor.engine.table import compile_table
from conductor.errors import BadScript

SETTLE_S = 600.0
"""Time that passes after the last event, so that everything begun comes to its end."""


class Simulation:
    """An engine whose actions are all done at once and change nothing outside."""

    def __init__(
        self,
        config: Config,
        wall_clock: WallClock = noon_on_monday,
        state: EngineState | None = None,
    ) -> None:
        """Begin from scratch, or from a state that somebody prepared."""
        self.state = state or EngineState(compile_table(config), wall_clock)
        self.traces: list[Trace] = []

    def play(self, items: Iterable[ScriptItem], *, settle_s: float = SETTLE_S) -> list[Trace]:
        """Feed items in order of time, then let the time pass that the last ones need."""
        last = 0.0
        for item in items:
            last = item.time
            self._advance(last)
            if isinstance(item, ModeChoice):
                self._switch(item)
            else:
                self._take(feed(self.state, item))
        self._advance(last + settle_s)
        return self.traces

    def _switch(self, choice: ModeChoice) -> None:
        try:
            self._take([switch_mode(self.state, choice.mode, choice.time)])
        except KeyError:
            raise BadScript(f"Invalid mode: '{choice.mode}' does not exist") from None

    def _advance(self, until: float) -> None:
        """Let time pass one deadline at a time, so that completed actions go on when they should."""
        due = self.state.due()
        while due is not None and due <= until:
            self._take(advance(self.state, due))
            due = self.state.due()

    def _take(self, traces: list[Trace]) -> None:
        """Keep traces, and complete at once what a worker would have done."""
        self.traces.extend(traces)
        for trace in traces:
            for effect in trace.effects:
                if effect.waits:
                    done = InputEvent("completed", "", 0, effect.run, 1, self.state.now)
                    self._take(feed(self.state, done))


def actions(traces: Iterable[Trace]) -> list[dict[str, Any]]:
    """Return each firing in order: the action as configured, and its time in ms."""
    return [
        {
            "time_ms": round(_time(trace) * 1000, 3),
            "action": ref.mapping.action.to_plain(),
            "scope": ref.scope,
            "index": ref.index,
            "description": ref.mapping.description,
            "mode": trace.mode,
        }
        for trace in traces
        for ref in trace.fired
    ]


def effects(traces: Iterable[Trace]) -> list[dict[str, Any]]:
    """Return each single thing done, in time: as configured, and with the numbers of the control."""
    return [
        {
            "time_ms": round(_time(trace) * 1000, 3),
            "kind": effect.kind,
            "action": effect.action.to_plain(),
            "resolved": effect.action.to_resolved(effect.fire),
            "scope": effect.ref.scope,
            "index": effect.ref.index,
        }
        for trace in traces
        for effect in trace.effects
    ]


def _time(trace: Trace) -> float:
    return trace.event.time
