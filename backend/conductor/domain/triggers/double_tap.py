"""Defines the DoubleTap trigger, which fires when a pad or button is struck twice quickly."""

from typing import Literal

from pydantic import Field

from conductor.domain.triggers.holdable import HoldableTrigger
from conductor.domain.triggers.options import KeepOrder, RequirePriorIdleMs, list_enabled_limits


class DoubleTapTrigger(HoldableTrigger):
    """Fires on the second of two presses that start within `timeout_ms`."""

    gesture = "double_tap"
    type: Literal["DoubleTap"] = "DoubleTap"
    timeout_ms: int = Field(
        default=300, ge=50, le=5_000, json_schema_extra={"format": "duration_ms"}
    )
    """The time limit between the two starts, in milliseconds."""
    require_prior_idle_ms: RequirePriorIdleMs = 0
    keep_order: KeepOrder = False

    def list_time_limits_ms(self) -> tuple[int, ...]:
        return list_enabled_limits(self.timeout_ms, self.require_prior_idle_ms)
