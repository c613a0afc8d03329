"""What was played as lanes: the inputs, what they cause now, and what after a change."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from conductor.domain.events import InputEvent
from conductor.domain.phrases import action_words, event_words
from conductor.engine.firings import Fired
from conductor.engine.replay import ComparedChain, Comparison

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


def timeline(comparison: Comparison) -> Timeline | None:
    """Return the newest inputs of a compared recording; None when nothing was played.

    Only the last stretch under one config is shown, and nothing of one that cannot be told.
    """
    told = [one for one in comparison.chains if not one.cannot_tell and _played(one)]
    if not told:
        return None
    chain = told[-1]
    played = _played(chain)
    shown = played[-INPUTS_SHOWN:]
    first, start_s = shown[0][0], shown[0][1].time
    numbers = {index: number for number, (index, _) in enumerate(shown)}
    outcome = chain.outcome
    moved_before = {id(one) for one, _ in outcome.moved}
    moved_after = {id(one) for _, one in outcome.moved}
    vanish, appear = ({id(one) for one in some} for some in (outcome.vanish, outcome.appear))
    lanes = (
        _lane(
            _since(chain.before, first, start_s), start_s, moved_before, vanish, "vanishes", numbers
        ),
        _lane(
            _since(chain.after, first, start_s), start_s, moved_after, appear, "appears", numbers
        ),
    )
    inputs = [_input(event, start_s, number) for number, (_, event) in enumerate(shown)]
    times = [inputs[-1].time_ms, *(one.time_ms for lane in lanes for one in lane[-1:])]
    others = sum(len(_played(one)) for one in comparison.chains if one is not chain)
    left_out = comparison.left_out + others + len(played) - len(shown)
    return Timeline(max(times), inputs, *lanes, left_out)


def _played(chain: ComparedChain) -> list[tuple[int, InputEvent]]:
    """Return the inputs that were played, with their places among all that was fed."""
    return [
        (index, event)
        for index, event in enumerate(chain.inputs[: chain.reached])
        if event.kind not in ("timer", "completed")
    ]


def _since(fired: Sequence[Fired], first: int, start_s: float) -> list[Fired]:
    return [one for one in fired if one.source >= first or (one.source < 0 and one.time >= start_s)]


def _input(event: InputEvent, start_s: float, number: int) -> Input:
    return Input(_ms(event.time, start_s), event.device, event_words(event), number)


def _lane(
    fired: Iterable[Fired],
    start_s: float,
    moved: set[int],
    differs: set[int],
    word: Change,
    numbers: dict[int, int],
) -> list[Lane]:
    lane: list[Lane] = []
    for one in sorted(fired, key=lambda each: each.time)[:FIRINGS_SHOWN]:
        ref = one.candidate.ref
        action = ref.mapping.action.to_plain()
        change: Change = "moves" if id(one) in moved else "same"
        lane.append(
            Lane(
                _ms(one.time, start_s),
                ref.scope,
                ref.index,
                ref.mapping.description or action_words(action),
                action,
                numbers.get(one.source),
                word if id(one) in differs else change,
            )
        )
    return lane


def _ms(time: float, start_s: float) -> float:
    return round((time - start_s) * 1000, 3)
