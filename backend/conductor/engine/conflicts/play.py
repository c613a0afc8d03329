"""Plays gestures with and without one mapping to see whether it changes the behaviour of another.

Both mappings get a probe action whose start and end are visible, because the comparison is about when a mapping
acts, not about its action.
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
from conductor.engine.gestures.space import GestureContext, GestureSpace, gestures, start_engine
from conductor.engine.state import EngineState
from conductor.engine.step import advance, feed_event
from conductor.engine.table import Table, compile_table

MODE = "Conflicts"
NOWHERE = GestureContext(MODE)

_EMPTY = Config(modes=(Mode(name=MODE),))
_PROBE = KeystrokeAction.model_validate({"type": "Keystroke", "keys": "a", "hold": "while_held"})


class PlayedEffect(NamedTuple):
    """An effect of the observed mapping."""

    time_ms: float
    kind: str
    value: float
    steps: int


class Difference(NamedTuple):
    """A gesture for which a mapping behaves differently when another mapping is present."""

    gesture: tuple[InputEvent, ...]
    alone: tuple[PlayedEffect, ...]
    beside: tuple[PlayedEffect, ...]
    context: GestureContext = NOWHERE

    def is_lost(self) -> bool:
        """Check whether an effect is missing rather than changed."""
        return len(self.beside) < len(self.alone)


class Verdict(NamedTuple):
    """How one trigger affects another trigger of the same control."""

    gesture: tuple[InputEvent, ...]
    """The gesture that shows the effect."""
    is_lost: bool
    """Whether the other trigger does not fire for the gesture; else it fires at another time."""
    is_dead: bool = False
    """Whether the other trigger never fires on a device and channel that both listen to."""
    late_ms: float = 0.0


def build_probe(trigger: TriggerBase) -> Mapping:
    """Build a mapping with a probe action whose start and end are visible."""
    return Mapping.model_construct(trigger=trigger, action=_PROBE)  # pyright: ignore[reportArgumentType]


def _build_config(mappings: tuple[Mapping, ...]) -> Config:
    """Build a config with some mappings; the settings are shared, because building them takes 1 ms."""
    return _EMPTY.model_copy(update={"global_mappings": mappings})


class PairComparison:
    """The compiled tables of two mappings together and of one of them alone."""

    def __init__(self, both: Config, alone: Config, victim: Mapping) -> None:
        self._both, self._alone = compile_table(both), compile_table(alone)
        self._victim = victim

    @classmethod
    def build(
        cls, culprit: TriggerBase, victim: TriggerBase, *, culprit_first: bool
    ) -> "PairComparison":
        """Build a stage of two triggers that are always in force."""
        culprit_mapping, victim_mapping = build_probe(culprit), build_probe(victim)
        both = (
            (culprit_mapping, victim_mapping)
            if culprit_first
            else (victim_mapping, culprit_mapping)
        )
        return cls(_build_config(both), _build_config((victim_mapping,)), victim_mapping)

    def compare(
        self, gesture: Sequence[InputEvent], context: GestureContext = NOWHERE
    ) -> Difference | None:
        """Return how the victim's effects differ when the culprit is present, or None if they are equal."""
        alone = play_gesture(self._alone, gesture, self._victim, context)
        beside = play_gesture(self._both, gesture, self._victim, context)
        if alone == beside:
            return None
        return Difference(tuple(gesture), alone, beside, context)

    def find(self, space: GestureSpace, depth: int, at_most: int) -> Difference | None:
        """Return the shortest gesture that shows a difference, trying `at_most` gestures in each context."""
        for context in space.contexts:
            for gesture in islice(gestures(space, depth), at_most):
                difference = self.compare(gesture, context)
                if difference is not None:
                    return difference
        return None


def play_gesture(
    table: Table, gesture: Sequence[InputEvent], mapping: Mapping, context: GestureContext = NOWHERE
) -> tuple[PlayedEffect, ...]:
    """Return the effects of a mapping for a gesture."""
    state = EngineState(table) if context is NOWHERE else start_engine(table, context)
    done: list[PlayedEffect] = []
    for event in gesture:
        _collect_effects(feed_event(state, event), mapping, done)
    _collect_effects(advance(state, gesture[-1].time + SETTLED_S), mapping, done)
    return tuple(done)


def _collect_effects(traces: Iterable[Trace], mapping: Mapping, done: list[PlayedEffect]) -> None:
    for trace in traces:
        for effect in trace.effects:
            if effect.ref.mapping is mapping:
                time_ms = round(trace.event.time * 1000, 3)
                done.append(
                    PlayedEffect(time_ms, effect.kind, effect.fire.value, effect.fire.steps)
                )
