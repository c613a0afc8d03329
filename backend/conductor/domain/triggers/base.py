"""The base of all triggers: immutable config data that decides about one event at a time.

A trigger belongs to one `gesture`:

- `tap`, `long_press`, `double_tap`, `chord`, `release` are distinguished by the engine, per control,
  from presses, releases and time (`engine/press.py`);
- `change` triggers decide value by value, with a small state (`TriggerMemory`).
"""

from typing import Any, ClassVar, Literal, NamedTuple

from pydantic import Field, model_validator

from conductor.domain import reasons
from conductor.domain.conditions import Condition
from conductor.domain.events import ControlClass, InputEvent
from conductor.domain.reasons import Reason
from conductor.domain.value import Value

Gesture = Literal["tap", "long_press", "double_tap", "chord", "release", "change"]
GESTURE_KINDS: tuple[Gesture, ...] = (
    "tap",
    "long_press",
    "double_tap",
    "chord",
    "release",
    "change",
)


class TriggerVerdict(NamedTuple):
    """The decision of a trigger about an event: whether it fires, and why."""

    fires: bool
    reason: Reason
    releases: bool = False
    """Whether the control has left the state in which the trigger fired, so that
    everything it holds is released."""
    steps: int = 0
    """The number of steps of an encoder turn, negative for a turn to the left."""


class TriggerMemory:
    """What a trigger remembers of one control from one event to the next."""

    __slots__ = ("active", "coding", "moves", "previous")

    def __init__(self) -> None:
        self.active = False
        self.previous: int | float | None = None
        self.coding: Any = None
        self.moves = 0
        """The number of values that the control had sent when the trigger judged the last one."""


class TriggerBase(Value):
    gesture: ClassVar[Gesture]

    device: str | None = Field(default=None, json_schema_extra={"format": "device"})
    """Only from the device with this alias. Left out: from any."""
    channel: int | None = Field(default=None, ge=1, le=16, json_schema_extra={"format": "channel"})
    """Only on this MIDI channel. Left out: on any."""
    when: tuple[Condition, ...] = ()
    """Conditions that must all hold."""

    @model_validator(mode="before")
    @classmethod
    def _accept_single_condition(cls, raw: Any) -> Any:
        if isinstance(raw, dict) and isinstance(raw.get("when"), dict | str):
            return {**raw, "when": [raw["when"]]}
        return raw

    def list_controls(self) -> tuple[tuple[ControlClass, int | str], ...]:
        """Return the class and the number of each control that the trigger listens to;
        `*` stands for any number.
        """
        raise NotImplementedError

    def can_be_held(self) -> bool:
        """Return whether the trigger can notice that its control is released after it has fired."""
        return True

    def check_press(self, event: InputEvent) -> Reason | None:
        """Return why a press does not count for this trigger, or None if it counts."""
        return None

    def list_time_limits_ms(self) -> tuple[int, ...]:
        """Return the durations of a press, in milliseconds, at which the decision about it changes."""
        return ()

    def judge_event(self, event: InputEvent, memory: TriggerMemory) -> TriggerVerdict:
        """Return whether an event fires the trigger, and update its memory.

        Called only for `change` triggers.
        """
        raise NotImplementedError


def judge_range_crossing(
    event: InputEvent, memory: TriggerMemory, low: float | None, high: float | None, edge: str
) -> TriggerVerdict:
    """Return whether a value fires a trigger with a range, which it does only by crossing into the range.

    `rising` fires when the value rises into the range, `falling` when it falls into it. If the range has
    only one limit, the opposite direction fires when the value leaves the range: `value_min = 64, edge =
    falling` fires on the release of a pedal.
    """
    value, previous = event.value, memory.previous
    memory.previous = value
    if low is None and high is None:
        return _judge_any_change(value, previous, edge)
    inside = (low is None or value >= low) and (high is None or value <= high)
    was_inside = memory.active
    memory.active = inside
    if edge == "falling" and high is None:
        fires = was_inside and not inside
        return TriggerVerdict(
            fires,
            (reasons.LIMIT_CROSSED, value, "fell below" if fires else "is not a fall below", low),
        )
    if edge == "rising" and low is None:
        fires = was_inside and not inside
        return TriggerVerdict(
            fires,
            (reasons.LIMIT_CROSSED, value, "rose over" if fires else "is not a rise over", high),
        )
    limits = _describe_limits(low, high)
    if not inside:
        return TriggerVerdict(
            False, (reasons.VALUE_OUTSIDE_RANGE, value, limits), releases=was_inside
        )
    if was_inside:
        return TriggerVerdict(False, (reasons.VALUE_STAYS_INSIDE, value, limits))
    if edge == "rising" and previous is not None and high is not None and previous > high:
        return TriggerVerdict(False, (reasons.ENTERED_FROM_ABOVE, value, limits))
    if edge == "falling" and (previous is None or (low is not None and previous < low)):
        return TriggerVerdict(False, (reasons.ENTERED_FROM_BELOW, value, limits))
    return TriggerVerdict(True, ("{} entered {}", value, limits))


def _describe_limits(low: float | None, high: float | None) -> str:
    if high is None:
        return f"{low} and up"
    return f"up to {high}" if low is None else f"{low}-{high}"


def _judge_any_change(value: float, previous: float | None, edge: str) -> TriggerVerdict:
    if edge == "any":
        return TriggerVerdict(True, ("any value fires: {}", value))
    if previous is None:
        return TriggerVerdict(False, (reasons.FIRST_VALUE_WITHOUT_DIRECTION, value))
    fires = value > previous if edge == "rising" else value < previous
    if fires:
        return TriggerVerdict(True, ("{} after {}: {}", value, previous, edge))
    return TriggerVerdict(False, (reasons.WRONG_VALUE_DIRECTION, value, previous, edge))


def can_leave_range(low: float | None, high: float | None, edge: str) -> bool:
    """Return whether a trigger can notice that the value has left its range (see `judge_range_crossing`)."""
    ends = {"rising": low is not None, "falling": high is not None}
    return ends.get(edge, low is not None or high is not None)


def require_ordered_pair(**low_and_high: float | None) -> None:
    """Check that the first of two keyword arguments is not greater than the second.

    Raises:
        ValueError: the first limit is greater than the second.
    """
    (low_name, low), (high_name, high) = low_and_high.items()
    if low is not None and high is not None and low > high:
        raise ValueError(f"{low_name} is over {high_name}: no value can match")


def get_effective_limits(
    low: int | None, high: int | None, full: int
) -> tuple[int | None, int | None]:
    """Return the limits of a range; a limit at the end of the scale has no effect and becomes None."""
    return low or None, None if high is None or high >= full else high
