"""Plays gestures on two mappings and on one of them alone: does the one act otherwise beside the other?

Both get an action that shows when it begins and when it ends: what is compared is when a mapping is
asked to act, whatever its action is.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from conductor.domain.actions.keystroke import KeystrokeAction
from conductor.domain.config import Config, Mapping, Mode
from conductor.domain.events import InputEvent
from conductor.domain.trace import Trace
from conductor.domain.triggers.base import TriggerBase
from conductor.engine.gestures.contexts import SETTLED_S
from conductor.engine.gestures.space import Context, GestureSpace, begin, gestures
from conductor.engine.state import EngineState
from conductor.engine.step import advance, feed
from conductor.engine.table import Table, compile_table

MODE = "Conflicts"
NOWHERE = Context(MODE)

_EMPTY = Config(modes=(Mode(name=MODE),))
_PROBE = KeystrokeAction.model_validate({"type": "Keystroke", "keys": "a", "hold": "while_held"})


class Done(NamedTuple):
    """One thing that a mapping did."""

    time_ms: float
    kind: str
    value: float
    steps: int


class Difference(NamedTuple):
    """A gesture that shows that a mapping acts otherwise beside another."""

    gesture: tuple[InputEvent, ...]
    alone: tuple[Done, ...]
    beside: tuple[Done, ...]
    context: Context = NOWHERE

    def lost(self) -> bool:
        """Return whether something is not done at all."""
        return len(self.beside) < len(self.alone)


class Verdict(NamedTuple):
    """What one trigger does to another on a control that both have."""

    gesture: tuple[InputEvent, ...]
    """Shows it."""
    lost: bool
    """The other does not fire; else it fires at another time."""
    dead: bool = False
    """The other never fires on any device and channel that both listen to."""
    late_ms: float = 0.0


def probe(trigger: TriggerBase) -> Mapping:
    """Build a mapping whose action shows when it begins and ends."""
    return Mapping.model_construct(trigger=trigger, action=_PROBE)  # pyright: ignore[reportArgumentType]


def _config(mappings: tuple[Mapping, ...]) -> Config:
    """Build a config of some mappings; its settings are shared, as building them takes a millisecond."""
    return _EMPTY.model_copy(update={"global_mappings": mappings})


class Stage:
    """Two mappings, and one of them alone, ready to be played."""

    def __init__(self, both: Config, alone: Config, victim: Mapping) -> None:
        self._both, self._alone = compile_table(both), compile_table(alone)
        self._victim = victim

    @classmethod
    def of(cls, culprit: TriggerBase, victim: TriggerBase, *, culprit_first: bool) -> "Stage":
        """Build a stage of two triggers that are always in force."""
        one, other = probe(culprit), probe(victim)
        both = (one, other) if culprit_first else (other, one)
        return cls(_config(both), _config((other,)), other)

    def compare(
        self, gesture: Sequence[InputEvent], context: Context = NOWHERE
    ) -> Difference | None:
        """Return how the victim acts otherwise beside the culprit, or None when it does not."""
        alone = play(self._alone, gesture, self._victim, context)
        beside = play(self._both, gesture, self._victim, context)
        if alone == beside:
            return None
        return Difference(tuple(gesture), alone, beside, context)

    def find(self, space: GestureSpace, depth: int, at_most: int) -> Difference | None:
        """Return the shortest gesture that shows a difference, of so many in each context."""
        for context in space.contexts:
            for gesture in islice(gestures(space, depth), at_most):
                difference = self.compare(gesture, context)
                if difference is not None:
                    return difference
        return None


def play(
    table: Table, gesture: Sequence[InputEvent], mapping: Mapping, context: Context = NOWHERE
) -> tuple[Done, ...]:
    """Return what a mapping does of a gesture."""
    state = EngineState(table) if context is NOWHERE else begin(table, context)
    done: list[Done] = []
    for event in gesture:
        _collect(feed(state, event), mapping, done)
    _collect(advance(state, gesture[-1].time + SETTLED_S), mapping, done)
    return tuple(done)


def _collect(traces: Iterable[Trace], mapping: Mapping, done: list[Done]) -> None:
    for trace in traces:
        for effect in trace.effects:
            if effect.ref.mapping is mapping:
                time_ms = round(trace.event.time * 1000, 3)
                done.append(Done(time_ms, effect.kind, effect.fire.value, effect.fire.steps))
