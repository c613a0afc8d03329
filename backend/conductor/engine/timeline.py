"""What was played lately as lanes: the inputs, what they cause now, and what after a change."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from conductor.domain.config import Config
from conductor.domain.events import InputEvent
from conductor.domain.phrases import action_words, event_words
from conductor.engine.replay import Fired, Playback, Played, compare
from conductor.engine.state import WallClock, noon_on_monday

INPUTS_SHOWN = 400
"""The newest so many: more cannot be told apart on a screen."""
FIRINGS_SHOWN = 2_000
Change = Literal["same", "appears", "vanishes", "moves"]


class Input(NamedTuple):
    """Something that was played."""

    time_ms: float
    device: str
    text: str
    sequence: int


class Lane(NamedTuple):
    """Something that fires."""

    time_ms: float
    scope: str
    row: int
    text: str
    action: dict[str, Any]
    source: int | None
    change: Change


class Timeline(NamedTuple):
    duration_ms: float
    inputs: list[Input]
    old: list[Lane]
    new: list[Lane]
    left_out: int


def timeline(
    events: Sequence[InputEvent],
    old: Config,
    new: Config,
    mode: str | None = None,
    wall_clock: WallClock = noon_on_monday,
) -> Timeline | None:
    """Play events under two configs, from a mode on; None when nothing was played."""
    played = Played(events, INPUTS_SHOWN)
    if not played.events:
        return None
    before, after = (Playback(config, played, mode, wall_clock) for config in (old, new))
    outcome = compare(before.fired, after.fired, min(before.reached, after.reached))
    moved_before = {id(one) for one, _ in outcome.moved}
    moved_after = {id(one) for _, one in outcome.moved}
    vanish, appear = ({id(one) for one in some} for some in (outcome.vanish, outcome.appear))
    start = played.events[0].time
    lanes = (
        _lane(before.fired, start, moved_before, vanish, "vanishes"),
        _lane(after.fired, start, moved_after, appear, "appears"),
    )
    inputs = [_input(event, start, number) for number, event in enumerate(played.events)]
    times = [inputs[-1].time_ms, *(one.time_ms for lane in lanes for one in lane[-1:])]
    return Timeline(max(times), inputs, *lanes, played.total - len(inputs))


def _input(event: InputEvent, start: float, number: int) -> Input:
    return Input(_ms(event.time, start), event.device, event_words(event), number)


def _lane(
    fired: Iterable[Fired], start: float, moved: set[int], differs: set[int], word: Change
) -> list[Lane]:
    lane: list[Lane] = []
    for one in sorted(fired, key=lambda each: each.time)[:FIRINGS_SHOWN]:
        ref = one.candidate.ref
        action = ref.mapping.action.to_plain()
        change: Change = "moves" if id(one) in moved else "same"
        lane.append(
            Lane(
                _ms(one.time, start),
                ref.scope,
                ref.index,
                ref.mapping.description or action_words(action),
                action,
                one.source if one.source >= 0 else None,
                word if id(one) in differs else change,
            )
        )
    return lane


def _ms(time: float, start: float) -> float:
    return round((time - start) * 1000, 3)
