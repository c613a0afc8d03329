"""Defines the options that several gestures share, with their ranges and descriptions."""

from typing import Annotated

from pydantic import Field

RequirePriorIdleMs = Annotated[
    int,
    Field(
        ge=0,
        le=5_000,
        json_schema_extra={"format": "duration_ms"},
        description=(
            "If another control of the device was pressed less than this before, the press is a tap at"
            " once, without waiting for this gesture. 0: always wait."
        ),
    ),
]
KeepOrder = Annotated[
    bool,
    Field(
        description=(
            "While this gesture is undecided, events of the device's other controls wait and follow in"
            " order. Off: they act at once."
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
"""The options of long presses, double taps and chords, all of which are off by default."""


def list_enabled_limits(*limits_ms: int) -> tuple[int, ...]:
    """Return the time limits that are in use; a limit of 0 is switched off."""
    return tuple(limit for limit in limits_ms if limit > 0)
