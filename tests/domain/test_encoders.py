"""Encoders: the four codings, and their detection from an encoder's values."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductor.domain.events import InputEvent
from conductor.domain.triggers.base import TriggerMemory, TriggerVerdict
from conductor.domain.triggers.encoder_coding import (
    ENCODER_CODINGS,
    EncoderCoding,
    decode_relative_steps,
    measure_absolute_steps,
)
from conductor.domain.triggers.encoder_turn import EncoderTurnTrigger

LEARNT = 2
"""The number of values that `auto` may need before it detects the coding."""


def turn(trigger: EncoderTurnTrigger, values: list[int]) -> list[TriggerVerdict]:
    memory = TriggerMemory()
    events = [InputEvent("cc", "knobs", 1, 16, value, n / 100) for n, value in enumerate(values)]
    return [trigger.judge_event(event, memory) for event in events]


def steps(values: list[int], encoding: str = "auto") -> list[int]:
    trigger = EncoderTurnTrigger.model_validate(
        {"type": "EncoderTurn", "cc": 16, "encoding": encoding}
    )
    return [verdict.steps for verdict in turn(trigger, values)]


WRITERS: dict[EncoderCoding, Callable[[int], int]] = {
    "twos_complement": lambda step: step & 0x7F,
    "offset_64": lambda step: 64 + step,
    "sign_magnitude": lambda step: step if step > 0 else 64 - step,
}


def coded(coding: EncoderCoding, wanted: list[int]) -> list[int]:
    """Return the values that an encoder with this relative coding sends for signed steps."""
    return [WRITERS[coding](step) for step in wanted]


def positions(start: int, wanted: list[int]) -> list[int]:
    """Return the values of an absolute encoder: its position, which stops at 0 and 127."""
    values = [start]
    for step in wanted:
        values.append(min(127, max(0, values[-1] + step)))
    return values


SPINS = {
    "slowly forward": [1] * 12,
    "slowly back, after one forward": [1, *[-1] * 12],
    "there and back": [1, 1, 1, -1, -1, -1],
    "one forward, one back, again and again": [1, -1] * 8,
    "accelerated forward": [1, 1, 2, 3, 5, 3, 2, 1, 1],
    "accelerated there and back": [1, 1, 2, 4, 2, 1, -1, -1, -2, -4, -2, -1],
    "fast flick": [1, 1, 3, 8, 15, 22, 10, 2, 1],
    "fast flick back": [1, -1, -1, -3, -8, -15, -22, -10, -2, -1],
    "fast both ways": [1, 1, 6, 14, 9, 2, -1, -1, -7, -16, -5, -1],
    "back for a long time": [1, *[-1] * 60],
    "forward for a long time, then back": [*[1] * 60, *[-1] * 10],
    "long spins, both ways": [*[1] * 30, *[-1] * 30, *[1] * 30],
    "hesitant": [1, -1, 1, 1, -1, 1],
    "uneven": [1, 2, 1, 1, 2, 1, -1, -2, -1, -1],
    "rocking by twos": [1, 2, 2, -2, -2, 2, 2, -2],
    "one big jump": [1, 1, 1, 20, 1, 1, -1],
    "acceleration without pause": [1, 1, *[7, 9, 8, 10, 9] * 8, -1, -1],
    "long fast spin back": [1, -1, -1, *[-6, -9, -12, -9] * 10],
    "back, forward, back": [-1, -1, 1, 1, -1, -1],
    "stumble": [1, 1, -1, 1, 1, 1, 2, 1, -1, -1],
}
SWEEPS = {
    "from the middle up": (64, [1] * 20),
    "from the middle down": (64, [-1] * 20),
    "up to the top and against it": (100, [1] * 60),
    "down to the bottom and against it": (30, [-1] * 60),
    "long against the top, then back": (120, [*[1] * 40, *[-1] * 10]),
    "long against the bottom, then back": (8, [*[-1] * 40, *[1] * 10]),
    "against the top in big steps": (90, [9] * 20),
    "there and back in the lower half": (10, [*[1] * 12, *[-1] * 8]),
    "there and back in the upper half": (75, [*[1] * 12, *[-1] * 8]),
    "there and back above the middle": (66, [*[1] * 12, *[-1] * 8]),
    "there and back under the middle": (61, [*[-1] * 12, *[1] * 8]),
    "there and back near the top": (108, [*[1] * 12, *[-1] * 8]),
    "accelerated up": (40, [1, 1, 2, 4, 7, 9, 5, 2, 1]),
    "accelerated down": (90, [-1, -1, -2, -4, -7, -9, -5, -2, -1]),
    "the whole way": (0, [3] * 50),
    "the whole way back": (127, [-3] * 50),
    "end to end and back": (0, [*[8] * 20, *[-8] * 20]),
    "from the bottom": (0, [1] * 10),
    "from the top": (127, [-1] * 10),
    "in steps of two": (50, [*[2] * 10, *[-2] * 10]),
    "slow, then fast": (20, [*[1] * 6, *[6] * 12]),
    "a fader pushed up at once": (0, [30, 34, 36, 27]),
    "a fader pulled down at once": (127, [-24, -35, -40, -28]),
}


def pushed(start: int, wanted: list[int]) -> list[int]:
    """Return the steps to be detected: at an end, a further turn counts as one step."""
    values, seen = positions(start, wanted), [0]
    for step, before, after in zip(wanted, values, values[1:], strict=False):
        seen.append(after - before or (1 if step > 0 else -1))
    return seen


def signs(numbers: list[int]) -> list[int]:
    return [(number > 0) - (number < 0) for number in numbers]


@pytest.mark.parametrize("coding", ENCODER_CODINGS[1:])
@pytest.mark.parametrize("wanted", SPINS.values(), ids=SPINS)
def test_a_relative_encoder_is_understood_when_its_coding_is_given(
    coding: EncoderCoding, wanted: list[int]
):
    assert steps(coded(coding, wanted), coding) == wanted


@pytest.mark.parametrize(("start", "wanted"), SWEEPS.values(), ids=SWEEPS)
def test_an_absolute_encoder_is_understood_when_its_coding_is_given(start: int, wanted: list[int]):
    assert steps(positions(start, wanted), "absolute") == pushed(start, wanted)


@pytest.mark.parametrize("coding", ["twos_complement", "offset_64", "sign_magnitude"])
@pytest.mark.parametrize("wanted", SPINS.values(), ids=SPINS)
def test_auto_finds_out_a_relative_coding_from_two_values(coding: EncoderCoding, wanted: list[int]):
    first = wanted.index(1)
    learnt = max(LEARNT, first + 1) if coding == "sign_magnitude" else LEARNT
    assert steps(coded(coding, wanted))[learnt:] == wanted[learnt:]


@pytest.mark.parametrize(("start", "wanted"), SWEEPS.values(), ids=SWEEPS)
def test_auto_finds_out_that_an_encoder_is_absolute(start: int, wanted: list[int]):
    found = steps(positions(start, wanted))
    assert signs(found)[LEARNT:] == signs(pushed(start, wanted))[LEARNT:]


@pytest.mark.parametrize("coding", ["twos_complement", "offset_64"])
def test_auto_understands_the_first_turn_back_too(coding: EncoderCoding):
    assert steps(coded(coding, [-1] * 20))[1:] == [-1] * 19


def test_sign_magnitude_sounds_like_offset_64_until_it_turned_forward_once():
    values = coded("sign_magnitude", [-1, -1, -1, 1, -1, -1])
    assert steps(values)[1:3] == [1, 1]
    assert steps(values)[3:] == [1, -1, -1]


@given(
    st.sampled_from(["twos_complement", "offset_64", "sign_magnitude"]),
    st.lists(st.sampled_from([1, 1, 1, 2, 3, -1, -1, -1, -2, -3]), max_size=80),
)
def test_auto_stays_right_once_it_heard_slow_turns_both_ways(
    coding: EncoderCoding, wanted: list[int]
):
    heard = [1, 1, 1, -1, -1, -1]
    assert steps(coded(coding, [*heard, *wanted]))[len(heard) :] == wanted


@given(st.sampled_from(ENCODER_CODINGS[1:]), st.integers(-63, 63).filter(bool))
def test_relative_codings_give_back_the_step_that_was_written(coding: EncoderCoding, step: int):
    assert decode_relative_steps(coding, coded(coding, [step])[0]) == step


@given(st.integers(0, 127), st.integers(0, 127))
def test_an_absolute_step_is_the_way_between_two_positions(before: int, after: int):
    if before != after:
        assert measure_absolute_steps(after, before) == after - before


def test_a_repeated_position_is_a_turn_only_at_the_ends():
    repeated = [measure_absolute_steps(value, value) for value in (0, 1, 64, 126, 127)]
    assert repeated == [-1, 0, 0, 0, 1]


@pytest.mark.parametrize(
    ("direction", "fired"),
    [("clockwise", [True, False]), ("counter_clockwise", [False, True]), ("any", [True, True])],
)
def test_a_direction_lets_only_its_own_turns_through(direction: str, fired: list[bool]):
    trigger = EncoderTurnTrigger.model_validate(
        {"type": "EncoderTurn", "cc": 16, "direction": direction, "encoding": "twos_complement"}
    )
    assert [verdict.fires for verdict in turn(trigger, [1, 127])] == fired


@pytest.mark.parametrize(("encoding", "still"), [("offset_64", 64), ("twos_complement", 0)])
def test_the_neutral_value_is_no_turn(encoding: str, still: int):
    assert steps([still], encoding) == [0]


def test_an_encoder_is_never_released():
    assert not EncoderTurnTrigger(cc=1).can_be_held()
