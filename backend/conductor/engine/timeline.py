"""Builds the timeline of a replay: a lane with the inputs, and lanes of firings before and after the change."""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from conductor.base.json_types import JsonObject
from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
from conductor.domain.events import InputEvent
from conductor.domain.phrases import describe_named_event
from conductor.domain.row_phrases import format_mapping_action
from conductor.engine.firings import PlayedFiring
from conductor.engine.replay import ComparedChain, Comparison

MAX_INPUTS = 400
"""The maximum number of inputs on a timeline. More could not be distinguished on a screen."""
INPUTS_AROUND_CHANGE = 4
"""The number of inputs shown before and after a change, such as the first press of a double tap."""
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


class _PlayedInput(NamedTuple):
    """An input of a control. Its source is its index among all inputs of all chains."""

    source: int
    time_s: float
    event: InputEvent


class _Firing(NamedTuple):
    """A firing of a mapping, with its source and time counted over all chains."""

    source: int
    time_s: float
    played: PlayedFiring
    change: FiringChange


def build_timeline(
    comparison: Comparison, names: ControlNames = NO_CONTROL_NAMES
) -> ReplayTimeline | None:
    """Return the timeline of a comparison, or None if nothing was played.

    It shows the inputs for which a prediction is possible: those around changes first, then the newest.
    """
    played: list[_PlayedInput] = []
    before: list[_Firing] = []
    after: list[_Firing] = []
    unpredicted = first_source = 0
    end_s = 0.0
    for chain in comparison.chains:
        inputs = _list_played_inputs(chain, first_source)
        if chain.cannot_tell:
            unpredicted += len(inputs)
        elif inputs:
            # As in the summary of the replay, pauses between the parts of a recording do not count.
            shift_s = end_s - inputs[0].time_s
            played += [one._replace(time_s=one.time_s + shift_s) for one in inputs]
            old = _list_firings(chain, chain.before, first_source, "vanishes")
            before += [one._replace(time_s=one.time_s + shift_s) for one in old]
            new = _list_firings(chain, chain.after, first_source, "appears")
            after += [one._replace(time_s=one.time_s + shift_s) for one in new]
            end_s = max(one.time_s for lane in (played, before, after) for one in lane[-1:])
        first_source += len(chain.inputs)
    if not played:
        return None
    changed = {one.source for one in (*before, *after) if one.change != "same"}
    shown = _select_inputs(played, changed)
    start_s = shown[0].time_s
    numbers = {one.source: number for number, one in enumerate(shown)}
    lanes = (
        _build_firing_marks(before, start_s, numbers),
        _build_firing_marks(after, start_s, numbers),
    )
    inputs = [_build_input(one, start_s, number, names) for number, one in enumerate(shown)]
    times = [inputs[-1].time_ms, *(item.time_ms for lane in lanes for item in lane[-1:])]
    left_out = comparison.left_out + unpredicted + len(played) - len(shown)
    return ReplayTimeline(max(times), inputs, *lanes, left_out)


def _list_played_inputs(chain: ComparedChain, first_source: int) -> list[_PlayedInput]:
    return [
        _PlayedInput(first_source + index, event.time + chain.base_s, event)
        for index, event in enumerate(chain.inputs[: chain.reached])
        if event.kind not in ("timer", "completed")
    ]


def _list_firings(
    chain: ComparedChain, fired: Sequence[PlayedFiring], first_source: int, difference: FiringChange
) -> list[_Firing]:
    outcome = chain.outcome
    moved = {id(item) for pair in outcome.moved for item in pair}
    differs = {id(item) for item in (*outcome.vanish, *outcome.appear)}
    return [
        _Firing(
            first_source + firing.source if firing.source >= 0 else firing.source,
            firing.time + chain.base_s,
            firing,
            "moves" if id(firing) in moved else difference if id(firing) in differs else "same",
        )
        for firing in fired
    ]


def _select_inputs(played: Sequence[_PlayedInput], changed: set[int]) -> list[_PlayedInput]:
    """Return at most `MAX_INPUTS` inputs, in order: those around changes first, then the newest."""
    near = {
        index + offset
        for index, one in enumerate(played)
        if one.source in changed
        for offset in range(-INPUTS_AROUND_CHANGE, INPUTS_AROUND_CHANGE + 1)
    }
    by_priority = sorted(range(len(played)), key=lambda index: (index in near, index), reverse=True)
    return [played[index] for index in sorted(by_priority[:MAX_INPUTS])]


def _build_input(one: _PlayedInput, start_s: float, number: int, names: ControlNames) -> InputMark:
    return InputMark(
        _compute_offset_ms(one.time_s, start_s),
        one.event.device,
        describe_named_event(one.event, names),
        number,
    )


def _build_firing_marks(
    fired: Iterable[_Firing], start_s: float, numbers: dict[int, int]
) -> list[FiringMark]:
    """Return the marks of the firings of the shown inputs, and of those that no input caused."""
    shown = [
        one for one in fired if one.source in numbers or (one.source < 0 and one.time_s >= start_s)
    ]
    lane: list[FiringMark] = []
    for one in sorted(shown, key=lambda each: each.time_s)[:MAX_FIRINGS]:
        ref = one.played.candidate.ref
        lane.append(
            FiringMark(
                _compute_offset_ms(one.time_s, start_s),
                ref.scope,
                ref.index,
                ref.mapping.description or format_mapping_action(ref.mapping),
                ref.mapping.action.to_plain(),
                numbers.get(one.source),
                one.change,
            )
        )
    return lane


def _compute_offset_ms(time: float, start_s: float) -> float:
    return round((time - start_s) * 1000, 3)
