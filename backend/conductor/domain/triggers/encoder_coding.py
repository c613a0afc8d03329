"""Decodes the CC values of endless encoders and detects the coding that an encoder uses.

An absolute encoder sends its position, and repeats 0 or 127 at the ends. The three relative codings send a
signed step: twos_complement 1..63 and 127..65, offset_64 65.. and 63.., sign_magnitude 1.. and 65.. (Relative 1
to 3 in Ableton, Bome and ReaLearn).
"""

from collections.abc import Sequence
from typing import Literal

EncoderCoding = Literal["absolute", "twos_complement", "offset_64", "sign_magnitude"]
ENCODER_CODINGS: tuple[EncoderCoding, ...] = (
    "absolute",
    "twos_complement",
    "offset_64",
    "sign_magnitude",
)
"""All codings of encoders; if several are equally likely, the first of them is chosen."""

ABSOLUTE_END_VALUES = (0, 127)
SMALL_STEP, LARGE_STEP, FAR_DISTANCE = 2, 32, 20
"""Limits for encoders: a slow step, the fastest step, and a long move between two positions."""
UNLIKELY_COST, REPEATED_VALUE_COST, TURNED_BACK_COST, JUMP_COST, NOT_SMALL_COST = (
    1.0,
    2.0,
    0.15,
    0.01,
    0.05,
)
"""The costs that `CodingDetector` adds for unlikely values and moves."""
COST_DECAY = 0.98


def decode_relative_steps(coding: EncoderCoding, value: int) -> int:
    """Return the number of steps that a relative value means; positive steps are clockwise."""
    if coding == "twos_complement":
        return value if value < 64 else value - 128
    if coding == "offset_64":
        return value - 64
    return -(value & 0x3F) if value & 0x40 else value


def measure_absolute_steps(value: int, previous: int | None) -> int:
    """Return the number of steps that an absolute encoder has moved; a repeated 0 or 127 counts as one step."""
    if previous is None:
        return 0
    if value == previous:
        return {127: 1, 0: -1}.get(value, 0)
    return value - previous


class CodingDetector:
    """Detects the coding of an encoder: the one for which its values are the least unlikely.

    A value or move that is unlikely for a coding adds to the cost of that coding. All costs decay slowly at
    the same rate, so that their order is kept: after one turn forward, a hundred steps back are decoded
    correctly, although the steps back alone would be ambiguous.
    """

    __slots__ = ("_costs", "_count", "_move", "_previous", "_reached_end")

    def __init__(self) -> None:
        self._costs = dict.fromkeys(ENCODER_CODINGS, 0.0)
        self._count = 0
        self._previous = 0
        self._move = 0
        """The last move that was not 0, if the values are taken as positions."""
        self._reached_end = False
        """True if the value has reached 0 or 127 by a small move, which is typical of positions."""

    def to_plain(self) -> tuple[float, ...]:
        """Return the complete state of the detector, from which `from_plain` restores it."""
        costs = (self._costs[coding] for coding in ENCODER_CODINGS)
        return (self._count, self._previous, self._move, int(self._reached_end), *costs)

    @classmethod
    def from_plain(cls, plain: Sequence[float]) -> "CodingDetector":
        """Return a detector with the state that `to_plain` has returned."""
        detector = cls()
        count, previous, move, reached_end, *costs = plain
        detector._count, detector._previous, detector._move = int(count), int(previous), int(move)
        detector._reached_end = bool(reached_end)
        detector._costs = dict(zip(ENCODER_CODINGS, costs, strict=True))
        return detector

    def add_value(self, value: int) -> EncoderCoding | None:
        """Add the next value; return the most likely coding, or None after the first value."""
        self._count += 1
        costs = self._costs
        for coding in ENCODER_CODINGS:
            costs[coding] = costs[coding] * COST_DECAY + _compute_relative_cost(coding, value)
        if self._count > 1:
            costs["absolute"] += self._compute_position_cost(value)
        self._previous = value
        return min(ENCODER_CODINGS, key=lambda coding: costs[coding]) if self._count > 1 else None

    def _compute_position_cost(self, value: int) -> float:
        """Return the cost of a value as an absolute position; repeated values, jumps and zigzags cost more."""
        move = value - self._previous
        if move == 0:
            if value not in ABSOLUTE_END_VALUES:
                return REPEATED_VALUE_COST
            first_time, self._reached_end = not self._reached_end, True
            return UNLIKELY_COST if first_time else 0.0
        turned = move * self._move < 0
        self._move = move
        self._reached_end = value in ABSOLUTE_END_VALUES and abs(move) <= FAR_DISTANCE
        return max(0, abs(move) - FAR_DISTANCE) * JUMP_COST + (TURNED_BACK_COST if turned else 0.0)


def detect_coding(values: list[int]) -> EncoderCoding | None:
    """Return the most likely coding for a series of values, or None if there are fewer than two."""
    detector, coding = CodingDetector(), None
    for value in values:
        coding = detector.add_value(value)
    return coding


def _compute_relative_cost(coding: EncoderCoding, value: int) -> float:
    """Return the cost of a value under a relative coding; large steps cost more."""
    if coding == "absolute":
        return 0.0
    if coding == "sign_magnitude" and not (
        0 < value <= LARGE_STEP or 64 < value <= 64 + LARGE_STEP
    ):
        return UNLIKELY_COST
    step = abs(decode_relative_steps(coding, value))
    if step == 0 or step > LARGE_STEP:
        return UNLIKELY_COST
    return NOT_SMALL_COST if step > SMALL_STEP else 0.0
