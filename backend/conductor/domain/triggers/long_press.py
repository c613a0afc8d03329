"""Defines the LongPress trigger, which fires when a pad or button is held down."""

from typing import Literal

from pydantic import Field

from conductor.domain.triggers.holdable import HoldableTrigger
from conductor.domain.triggers.options import KeepOrder, RequirePriorIdleMs, list_enabled_limits


class LongPressTrigger(HoldableTrigger):
    """Fires once a control has been held for `duration_ms`; a shorter press is a tap."""

    gesture = "long_press"
    type: Literal["LongPress"] = "LongPress"
    duration_ms: int = Field(
        default=2000, ge=50, le=60_000, json_schema_extra={"format": "duration_ms"}
    )
    """How long the control must be held, in milliseconds."""
    hold_on_other_press: bool = False
    """Pressing another control of the device while this one is down makes it a hold at once."""
    permissive_hold: bool = False
    """Pressing and releasing another control of the device while this one is down makes it a hold at once."""
    quick_tap_ms: int = Field(
        default=0, ge=0, le=5_000, json_schema_extra={"format": "duration_ms"}
    )
    """A press that starts less than this after a tap started is the tap again, for as long as it is held.
    0: it may be a hold."""
    require_prior_idle_ms: RequirePriorIdleMs = 0
    keep_order: KeepOrder = False

    def list_time_limits_ms(self) -> tuple[int, ...]:
        return list_enabled_limits(self.duration_ms, self.quick_tap_ms, self.require_prior_idle_ms)
