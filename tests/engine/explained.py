"""Plays scripts through the engine with a recorder, as the engine process does, and asks for explanations."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from conductor.domain.actions.base import Fire
from conductor.domain.config import Config
from conductor.domain.events import InputEvent
from conductor.domain.explanation import Explanation, split_explanation
from conductor.domain.trace import Trace
from conductor.domain.wire_rows import TraceRow
from conductor.engine.explain.facts import collect_facts
from conductor.engine.recording.recorder import TraceRecorder
from conductor.engine.script import ScriptedModeSwitch, parse_script
from conductor.engine.state import EngineState
from conductor.engine.step import (
    feed_event,
    load_table,
    mute_device,
    pause_mappings,
    release_everything,
    run_due_deadlines,
    switch_mode,
)
from conductor.engine.table import compile_table

Outside = Callable[["Stage"], Sequence[Trace]]
"""Something done to the engine that is not an event."""
LATER_S = 10.0


class Stage:
    """An engine and its recorder, and the time reached."""

    def __init__(self, config: Config) -> None:
        self.state = EngineState(compile_table(config))
        self.recorder = TraceRecorder()
        self.now = 0.0

    def play(self, *parts: str | Outside, settle_s: float = LATER_S) -> "Stage":
        """Play scripts, each from the time reached, and what is done in between; then let time pass."""
        for part in parts:
            if not isinstance(part, str):
                self._take(part(self))
                continue
            begun = self.now
            for item in parse_script(part, "pads", 1):
                self._pass(begun + item.time)
                self._item(item)
        self._pass(self.now + settle_s)
        return self

    def _item(self, item: InputEvent | ScriptedModeSwitch) -> None:
        if isinstance(item, ScriptedModeSwitch):
            self._take([switch_mode(self.state, item.mode, self.now)])
        else:
            self._take(feed_event(self.state, item._replace(time=self.now)))

    def _pass(self, until: float) -> None:
        due = self.state.get_due_time()
        while due is not None and due <= until:
            self._take(run_due_deadlines(self.state, due))
            due = self.state.get_due_time()
        self.now = until

    def _take(self, traces: Sequence[Trace]) -> None:
        for trace in traces:
            self.recorder.record(trace)

    def explain(self, sequence: int | None = None) -> Explanation:
        """Explain an event, or the last touch."""
        return self.explain_trace(sequence)[1]

    def explain_trace(self, sequence: int | None = None) -> tuple[TraceRow, Explanation]:
        """Return the trace of an event, or of the last touch, with its explanation."""
        plain = self.recorder.explain(sequence, self._facts())
        assert plain is not None
        return split_explanation(plain)

    def _facts(self) -> Any:
        return collect_facts(self.state, self.now, list(self.recorder.failures))

    def last(self, *kinds: str) -> int:
        """Return the number of the last trace of these kinds."""
        return next(
            trace.sequence
            for trace in reversed(self.recorder.traces)
            if trace.event.kind in kinds or not kinds
        )


def muted(stage: Stage) -> Sequence[Trace]:
    return [mute_device(stage.state, "pads", stage.now, muted=True)]


def paused(stage: Stage) -> Sequence[Trace]:
    return [pause_mappings(stage.state, stage.now, paused=True)]


def panicked(stage: Stage) -> Sequence[Trace]:
    return [release_everything(stage.state, stage.now)]


def loaded(config: Config) -> Outside:
    """Return what loads another config."""
    return lambda stage: [load_table(stage.state, compile_table(config), stage.now)]


def reloaded(stage: Stage) -> Sequence[Trace]:
    return [load_table(stage.state, compile_table(stage.state.table.config), stage.now)]


def failed(reason: str) -> Outside:
    """Return a step that reports the newest effect as failed, as a worker does later."""

    def fail(stage: Stage) -> Sequence[Trace]:
        trace = next(each for each in reversed(stage.recorder.traces) if each.effects)
        effect = trace.effects[0]._replace(fire=Fire(1.0))
        stage.recorder.record_failure(effect, trace.sequence, reason, stage.now)
        return []

    return fail


class Row(NamedTuple):
    """A case: what is played, and the expected explanation."""

    name: str
    config: Config
    parts: tuple[str | Outside, ...]
    outcome: str
    kind: str | None
    """The kind of the nearest reason."""
    words: tuple[str, ...]
    """What the verdict must say."""
    remedy: tuple[str, ...] = ()
    """What the advice must say."""
    settle_s: float = LATER_S
    ask: tuple[str, ...] | None = None
    """Ask about the last trace of these kinds; None: about the last touch."""
