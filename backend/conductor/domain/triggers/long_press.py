"""LongPress: a pad or button is held down."""

from typing import Literal

from pydantic import Field

from conductor.domain.triggers.holdable import HoldableTrigger


class LongPressTrigger(HoldableTrigger):
    """Fires once a control has been held for `duration_ms`; a shorter press is a tap."""

    gesture = "long_press"
    type: Literal["LongPress"] = "LongPress"
    duration_ms: int = Field(
        default=2000, ge=50, le=60_000, json_schema_extra={"format": "duration_ms"}
    )
    """How long it must be held."""
