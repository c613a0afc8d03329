"""Builds the timeline of a replay: a lane with the inputs, and lanes of firings before and after the change."""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from conductor.base.json_types import JsonObject
from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
from conductor.domain.events import InputEvent
from conductor.domain.phrases import describe_action, describe_named_event
from conductor.engine.firings import PlayedFiring
from conductor.engine.replay import ComparedChain, Comparison

MAX_INPUTS = 400
"""The maximum number of inputs on a timeline; the newest are shown. More could not be
distinguished on a screen."""
MAX_FIRINGS = 2_000
FiringChange = Literal["same", "appears", "vanishes", "moves"]


class InputMark(NamedTuple):
    """An input of a control, as a mark on the timeline."""

    time_ms: float
    device: str
    text: str
    sequence: int


class FiringMark(NamedTuple):
    """A firing of a mapping, as a mark on the timeline."""

    time_ms: float
    scope: str
    row: int
    text: str
    action: JsonObject
    source: int | None
    change: FiringChange


class ReplayTimeline(NamedTuple):
    duration_ms: float
    inputs: list[InputMark]
    old: list[FiringMark]
    new: list[FiringMark]
    left_out: int


def build_timeline(
    comparison: Comparison, names: ControlNames = NO_CONTROL_NAMES
) -> ReplayTimeline | None:
    """Return the timeline of a comparison, or None if nothing was played.

    It shows the newest inputs of the last chain of segments for which a prediction is possible.
    """
    chains = [
        item for item in comparison.chains if not item.cannot_tell and _list_played_inputs(item)
    ]
    if not chains:
        return None
    chain = chains[-1]
    played = _list_played_inputs(chain)
    shown = played[-MAX_INPUTS:]
    first, start_s = shown[0][0], shown[0][1].time
    numbers = {index: number for number, (index, _) in enumerate(shown)}
    outcome = chain.outcome
    moved_before = {id(item) for item, _ in outcome.moved}
    moved_after = {id(item) for _, item in outcome.moved}
    vanish, appear = ({id(item) for item in some} for some in (outcome.vanish, outcome.appear))
    lanes = (
        _build_firing_marks(
            _list_firings_since(chain.before, first, start_s),
            start_s,
            moved_before,
            vanish,
            "vanishes",
            numbers,
        ),
        _build_firing_marks(
            _list_firings_since(chain.after, first, start_s),
            start_s,
            moved_after,
            appear,
            "appears",
            numbers,
        ),
    )
    inputs = [
        _build_input(event, start_s, number, names) for number, (_, event) in enumerate(shown)
    ]
    times = [inputs[-1].time_ms, *(item.time_ms for lane in lanes for item in lane[-1:])]
    others = sum(len(_list_played_inputs(item)) for item in comparison.chains if item is not chain)
    left_out = comparison.left_out + others + len(played) - len(shown)
    return ReplayTimeline(max(times), inputs, *lanes, left_out)


def _list_played_inputs(chain: ComparedChain) -> list[tuple[int, InputEvent]]:
    """Return the inputs of controls, each with its index among all inputs that were played."""
    return [
        (index, event)
        for index, event in enumerate(chain.inputs[: chain.reached])
        if event.kind not in ("timer", "completed")
    ]


def _list_firings_since(
    fired: Sequence[PlayedFiring], first: int, start_s: float
) -> list[PlayedFiring]:
    return [
        firing
        for firing in fired
        if firing.source >= first or (firing.source < 0 and firing.time >= start_s)
    ]


def _build_input(event: InputEvent, start_s: float, number: int, names: ControlNames) -> InputMark:
    return InputMark(
        _compute_offset_ms(event.time, start_s),
        event.device,
        describe_named_event(event, names),
        number,
    )


def _build_firing_marks(
    fired: Iterable[PlayedFiring],
    start_s: float,
    moved: set[int],
    differs: set[int],
    word: FiringChange,
    numbers: dict[int, int],
) -> list[FiringMark]:
    lane: list[FiringMark] = []
    for firing in sorted(fired, key=lambda each: each.time)[:MAX_FIRINGS]:
        ref = firing.candidate.ref
        action = ref.mapping.action.to_plain()
        change: FiringChange = "moves" if id(firing) in moved else "same"
        lane.append(
            FiringMark(
                _compute_offset_ms(firing.time, start_s),
                ref.scope,
                ref.index,
                ref.mapping.description or describe_action(action),
                action,
                numbers.get(firing.source),
                word if id(firing) in differs else change,
            )
        )
    return lane


def _compute_offset_ms(time: float, start_s: float) -> float:
    return round((time - start_s) * 1000, 3)
