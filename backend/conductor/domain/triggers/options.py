"""Options that several gestures share, each with its range and its line of help."""

from typing import Annotated

from pydantic import Field

RequirePriorIdleMs = Annotated[
    int,
    Field(
        ge=0,
        le=5_000,
        json_schema_extra={"format": "duration_ms"},
        description=(
            "When another control of the device was pressed less than this before, the press is a tap at"
            " once and this gesture is not waited for. 0: always waited for."
        ),
    ),
]
KeepOrder = Annotated[
    bool,
    Field(
        description=(
            "While this gesture is undecided, what the device's other controls send waits and then follows"
            " in order. Off: it acts at once."
        )
    ),
]


GESTURE_OPTIONS = frozenset(
    (
        "fire_when_complete",
        "hold_on_other_press",
        "keep_order",
        "permissive_hold",
        "quick_tap_ms",
        "require_prior_idle_ms",
    )
)
"""The options of long presses, double taps and chords; all are off by default."""


def positive(*limits_ms: int) -> tuple[int, ...]:
    """Return the limits that are in use: 0 switches one off."""
    return tuple(limit for limit in limits_ms if limit > 0)
