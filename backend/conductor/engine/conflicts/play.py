"""Plays gestures with and without one mapping, to find out whether it changes what another mapping does.

Both mappings get a probe action whose start and end can be observed, because only the times at which a
mapping acts are compared.
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
    """An effect of the observed mapping during a gesture: its kind, value and time."""

    time_ms: float
    kind: str
    value: float
    steps: int


class BehaviourDifference(NamedTuple):
    """A gesture for which a mapping behaves differently if another mapping is present, with both behaviours."""

    gesture: tuple[InputEvent, ...]
    alone: tuple[PlayedMappingEffect, ...]
    beside: tuple[PlayedMappingEffect, ...]
    context: GestureContext = DEFAULT_CONTEXT

    def is_effect_missing(self) -> bool:
        """Return whether the other mapping makes an effect disappear, and does not only change it."""
        return len(self.beside) < len(self.alone)


class PairVerdict(NamedTuple):
    """How one trigger affects another trigger of the same control, which is called the victim."""

    gesture: tuple[InputEvent, ...]
    """A gesture that demonstrates the effect."""
    is_lost: bool
    """Whether the victim does not fire at all for the gesture; otherwise it fires at another time."""
    is_dead: bool = False
    """Whether the victim never fires on any device and channel that both triggers listen to."""
    late_ms: float = 0.0


def build_probe_mapping(trigger: TriggerBase) -> Mapping:
    """Return a mapping for a trigger whose probe action shows when it starts and ends."""
    return Mapping.model_construct(trigger=trigger, action=_PROBE_ACTION)  # pyright: ignore[reportArgumentType]


def _build_probe_config(mappings: tuple[Mapping, ...]) -> Config:
    """Return a config with these mappings; it shares its settings with all others, because
    creating them takes 1 ms.
    """
    return _EMPTY_CONFIG.model_copy(update={"global_mappings": mappings})


class PairComparison:
    """Compares what a mapping does beside another mapping with what it does alone,
    using two compiled tables.
    """

    def __init__(self, both: Config, alone: Config, victim: Mapping) -> None:
        self._both, self._alone = compile_table(both), compile_table(alone)
        self._victim = victim

    @classmethod
    def build(
        cls, culprit: TriggerBase, victim: TriggerBase, *, culprit_first: bool
    ) -> "PairComparison":
        """Return a comparison of two triggers, each in a mapping that is always active."""
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
        """Return how the victim behaves differently because of the culprit, or None
        if its effects are equal.
        """
        alone = play_gesture(self._alone, gesture, self._victim, context)
        beside = play_gesture(self._both, gesture, self._victim, context)
        if alone == beside:
            return None
        return BehaviourDifference(tuple(gesture), alone, beside, context)

    def find_difference(
        self, space: GestureSpace, depth: int, at_most: int
    ) -> BehaviourDifference | None:
        """Return the first, and therefore shortest, gesture that shows a difference, or None.

        At most `at_most` gestures are tried in each context.
        """
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
    """Return the effects of one mapping while a gesture is played on a compiled config."""
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
