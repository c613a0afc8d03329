"""How endless encoders write a turn into a CC value, and how to tell which one it is.

Absolute: the value is a position; at 0 and 127 it repeats itself. The three relative codings send a
signed step: twos_complement 1..63 and 127..65, offset_64 65.. and 63.., sign_magnitude 1.. and 65..
(the codings that Ableton, Bome and ReaLearn call Relative 1 to 3).
"""

from collections.abc import Callable
from typing import Literal

Coding = Literal["absolute", "twos_complement", "offset_64", "sign_magnitude"]
CODINGS: tuple[Coding, ...] = ("absolute", "twos_complement", "offset_64", "sign_magnitude")
HISTORY = 12
SMALL_STEP = 20


def relative_steps(coding: Coding, value: int) -> int:
    """Give the signed step that a relative value stands for: positive is clockwise."""
    if coding == "twos_complement":
        return value if value < 64 else value - 128
    if coding == "offset_64":
        return value - 64
    return -(value & 0x3F) if value & 0x40 else value


def absolute_steps(value: int, previous: int | None) -> int:
    """Give how far an absolute encoder moved; at an end, a repeat still counts as one step."""
    if previous is None:
        return 0
    if value == previous:
        return {127: 1, 0: -1}.get(value, 0)
    return value - previous


class CodingDetector:
    """Watches the values of one encoder and says which coding explains them best."""

    __slots__ = ("seen",)

    def __init__(self) -> None:
        self.seen: list[int] = []

    def add(self, value: int) -> Coding | None:
        """Take the next value; None until there are two to compare."""
        self.seen.append(value)
        del self.seen[:-HISTORY]
        return detect(self.seen)


def detect(values: list[int]) -> Coding | None:
    """Give the coding that fits these values in order, or None for fewer than two."""
    if len(values) < 2:
        return None
    scores = {
        "absolute": _absolute_score(values),
        "offset_64": _fit(values, lambda v: v != 64 and abs(v - 64) <= SMALL_STEP),
        "sign_magnitude": _fit(
            values, lambda v: 1 <= v <= SMALL_STEP or 65 <= v <= 64 + SMALL_STEP
        ),
        "twos_complement": _fit(values, lambda v: 1 <= v <= SMALL_STEP or v >= 128 - SMALL_STEP),
    }
    if not any(v <= SMALL_STEP for v in values):
        scores["sign_magnitude"] -= 0.1
    if not any(v > 64 for v in values):
        scores["sign_magnitude"] -= 0.1
    return max(CODINGS, key=lambda coding: scores[coding])


def _fit(values: list[int], fits: Callable[[int], bool]) -> float:
    good = sum(1 for value in values if fits(value))
    return good / len(values) if good == len(values) else 0.6 * good / len(values)


def _absolute_score(values: list[int]) -> float:
    """A position moves in small steps and does not repeat itself between its ends."""
    pairs = list(zip(values, values[1:], strict=False))
    good = sum(1 for a, b in pairs if 0 < abs(a - b) <= SMALL_STEP or _at_end(values, a, b))
    score = good / len(pairs)
    distinct = len(set(values)) / len(values)
    return (
        1.05 * score if score == 1 and (distinct > 0.5 or values[-1] in (0, 127)) else 0.7 * score
    )


def _at_end(values: list[int], a: int, b: int) -> bool:
    """A repeat at 0 or 127 belongs to a position only if it got there by a smaller step before."""
    if a != b or a not in (0, 127):
        return False
    first = values.index(a)
    return first > 0 and abs(values[first - 1] - a) <= SMALL_STEP
