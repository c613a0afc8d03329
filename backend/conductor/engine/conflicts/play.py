"""Simulates gestures with and without one mapping to find out whether it changes the behaviour of another
mapping.

Both mappings get a probe action whose start and end are visible, because only the times at which a mapping acts
are compared.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from conductor.domain.actions.keystroke import KeystrokeAction
from conductor.domain.config import Config, Mapping, Mode
from conductor.domain.events import InputEvent
from conductor.domain.trace import Trace
from conductor.domain.triggers.base import TriggerBase
from conductor.engine.gestures.contexts import GESTURE_START_S
from conductor.engine.gestures.space import (
    GestureContext,
    GestureSpace,
    build_engine_state,
    generate_gestures,
)
from conductor.engine.state import EngineState
from conductor.engine.step import feed_event, run_due_deadlines
from conductor.engine.table import MappingTable, compile_table

CONFLICTS_MODE = "Conflicts"
DEFAULT_CONTEXT = GestureContext(CONFLICTS_MODE)

_EMPTY_CONFIG = Config(modes=(Mode(name=CONFLICTS_MODE),))
_PROBE_ACTION = KeystrokeAction.model_validate(
    {"type": "Keystroke", "keys": "a", "hold": "while_held"}
)


class PlayedMappingEffect(NamedTuple):
    """An effect of the mapping under observation."""

    time_ms: float
    kind: str
    value: float
    steps: int


class BehaviourDifference(NamedTuple):
    """A gesture on which a mapping behaves differently when another mapping is present."""

    gesture: tuple[InputEvent, ...]
    alone: tuple[PlayedMappingEffect, ...]
    beside: tuple[PlayedMappingEffect, ...]
    context: GestureContext = DEFAULT_CONTEXT

    def is_effect_missing(self) -> bool:
        """Check whether an effect is missing rather than changed."""
        return len(self.beside) < len(self.alone)


class PairVerdict(NamedTuple):
    """How one trigger affects another trigger of the same control."""

    gesture: tuple[InputEvent, ...]
    """The gesture that shows the effect."""
    is_lost: bool
    """Whether the other trigger does not fire at all for the gesture, rather than at another time."""
    is_dead: bool = False
    """Whether the other trigger never fires on a device and channel that both listen to."""
    late_ms: float = 0.0


def build_probe_mapping(trigger: TriggerBase) -> Mapping:
    """Build a mapping whose probe action makes the start and end of a firing visible."""
    return Mapping.model_construct(trigger=trigger, action=_PROBE_ACTION)  # pyright: ignore[reportArgumentType]


def _build_probe_config(mappings: tuple[Mapping, ...]) -> Config:
    """Build a config with the given mappings. All such configs share their settings, because building settings
    takes 1 ms.
    """
    return _EMPTY_CONFIG.model_copy(update={"global_mappings": mappings})


class PairComparison:
    """Compares a mapping beside another mapping with the same mapping alone, using two compiled tables."""

    def __init__(self, both: Config, alone: Config, victim: Mapping) -> None:
        self._both, self._alone = compile_table(both), compile_table(alone)
        self._victim = victim

    @classmethod
    def build(
        cls, culprit: TriggerBase, victim: TriggerBase, *, culprit_first: bool
    ) -> "PairComparison":
        """Build a comparison of two triggers that are always active."""
        culprit_mapping, victim_mapping = build_probe_mapping(culprit), build_probe_mapping(victim)
        both = (
            (culprit_mapping, victim_mapping)
            if culprit_first
            else (victim_mapping, culprit_mapping)
        )
        return cls(
            _build_probe_config(both), _build_probe_config((victim_mapping,)), victim_mapping
        )

    def compare_gesture(
        self, gesture: Sequence[InputEvent], context: GestureContext = DEFAULT_CONTEXT
    ) -> BehaviourDifference | None:
        """Return how the victim's effects differ when the culprit is present, or None if they are equal."""
        alone = play_gesture(self._alone, gesture, self._victim, context)
        beside = play_gesture(self._both, gesture, self._victim, context)
        if alone == beside:
            return None
        return BehaviourDifference(tuple(gesture), alone, beside, context)

    def find_difference(
        self, space: GestureSpace, depth: int, at_most: int
    ) -> BehaviourDifference | None:
        """Return the shortest gesture that shows a difference, trying `at_most` gestures in each context."""
        for context in space.contexts:
            for gesture in islice(generate_gestures(space, depth), at_most):
                difference = self.compare_gesture(gesture, context)
                if difference is not None:
                    return difference
        return None


def play_gesture(
    table: MappingTable,
    gesture: Sequence[InputEvent],
    mapping: Mapping,
    context: GestureContext = DEFAULT_CONTEXT,
) -> tuple[PlayedMappingEffect, ...]:
    """Return the effects of a mapping for a gesture."""
    state = EngineState(table) if context is DEFAULT_CONTEXT else build_engine_state(table, context)
    done: list[PlayedMappingEffect] = []
    for event in gesture:
        _collect_observed_effects(feed_event(state, event), mapping, done)
    _collect_observed_effects(
        run_due_deadlines(state, gesture[-1].time + GESTURE_START_S), mapping, done
    )
    return tuple(done)


def _collect_observed_effects(
    traces: Iterable[Trace], mapping: Mapping, done: list[PlayedMappingEffect]
) -> None:
    for trace in traces:
        for effect in trace.effects:
            if effect.ref.mapping is mapping:
                time_ms = round(trace.event.time * 1000, 3)
                done.append(
                    PlayedMappingEffect(time_ms, effect.kind, effect.fire.value, effect.fire.steps)
                )
