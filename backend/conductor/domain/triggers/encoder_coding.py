"""How endless encoders write a turn into a CC value, and how to tell which one it is.

Absolute: the value is a position; at 0 and 127 it repeats itself. The three relative codings send a
signed step: twos_complement 1..63 and 127..65, offset_64 65.. and 63.., sign_magnitude 1.. and 65..
(the codings that Ableton, Bome and ReaLearn call Relative 1 to 3).
"""

from collections.abc import Sequence
from typing import Literal

Coding = Literal["absolute", "twos_complement", "offset_64", "sign_magnitude"]
CODINGS: tuple[Coding, ...] = ("absolute", "twos_complement", "offset_64", "sign_magnitude")
"""Of codings that explain as much, the first is taken."""

ENDS = (0, 127)
SMALL, LARGE, FAR = 2, 32, 20
"""A slow step, the fastest step, and a long move between two positions."""
UNLIKELY, REPEATED, TURNED, JUMPED, NOT_SMALL = 1.0, 2.0, 0.15, 0.01, 0.05
"""What a coding pays, see `CodingDetector`."""
FADING = 0.98


def relative_steps(coding: Coding, value: int) -> int:
    """Return the signed step that a relative value stands for: positive is clockwise."""
    if coding == "twos_complement":
        return value if value < 64 else value - 128
    if coding == "offset_64":
        return value - 64
    return -(value & 0x3F) if value & 0x40 else value


def absolute_steps(value: int, previous: int | None) -> int:
    """Return how far an absolute encoder moved; at an end, a repeat still counts as one step."""
    if previous is None:
        return 0
    if value == previous:
        return {127: 1, 0: -1}.get(value, 0)
    return value - previous


class CodingDetector:
    """Listens to one encoder and says which coding explains what it sent with the least cost.

    A coding pays when a value or a move is unlikely for it. What was heard fades slowly and evenly,
    so the order of the costs lasts: an encoder that turned forward once is known when it turns back
    for a hundred steps, though those alone could mean something else.
    """

    __slots__ = ("_costs", "_count", "_move", "_previous", "_reached_end")

    def __init__(self) -> None:
        self._costs = dict.fromkeys(CODINGS, 0.0)
        self._count = 0
        self._previous = 0
        self._move = 0
        """The last move that was not 0, seen as one of positions."""
        self._reached_end = False
        """It came to rest at 0 or 127 from near by, as positions do."""

    def to_plain(self) -> tuple[float, ...]:
        """Return everything it knows, for `from_plain`."""
        costs = (self._costs[coding] for coding in CODINGS)
        return (self._count, self._previous, self._move, int(self._reached_end), *costs)

    @classmethod
    def from_plain(cls, plain: Sequence[float]) -> "CodingDetector":
        """Build a detector that goes on where another one was."""
        detector = cls()
        count, previous, move, reached_end, *costs = plain
        detector._count, detector._previous, detector._move = int(count), int(previous), int(move)
        detector._reached_end = bool(reached_end)
        detector._costs = dict(zip(CODINGS, costs, strict=True))
        return detector

    def add(self, value: int) -> Coding | None:
        """Take the next value; None until there are two to compare."""
        self._count += 1
        costs = self._costs
        for coding in CODINGS:
            costs[coding] = costs[coding] * FADING + _cost(coding, value)
        if self._count > 1:
            costs["absolute"] += self._cost_as_position(value)
        self._previous = value
        return min(CODINGS, key=lambda coding: costs[coding]) if self._count > 1 else None

    def _cost_as_position(self, value: int) -> float:
        """Between its ends a position does not repeat itself, jump, or turn around at each step."""
        move = value - self._previous
        if move == 0:
            if value not in ENDS:
                return REPEATED
            first_time, self._reached_end = not self._reached_end, True
            return UNLIKELY if first_time else 0.0
        turned = move * self._move < 0
        self._move = move
        self._reached_end = value in ENDS and abs(move) <= FAR
        return max(0, abs(move) - FAR) * JUMPED + (TURNED if turned else 0.0)


def detect(values: list[int]) -> Coding | None:
    """Return the coding that fits these values in order, or None for fewer than two."""
    detector, coding = CodingDetector(), None
    for value in values:
        coding = detector.add(value)
    return coding


def _cost(coding: Coding, value: int) -> float:
    """Relative codings send small steps."""
    if coding == "absolute":
        return 0.0
    if coding == "sign_magnitude" and not (0 < value <= LARGE or 64 < value <= 64 + LARGE):
        return UNLIKELY
    step = abs(relative_steps(coding, value))
    if step == 0 or step > LARGE:
        return UNLIKELY
    return NOT_SMALL if step > SMALL else 0.0
