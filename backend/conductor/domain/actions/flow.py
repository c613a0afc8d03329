"""Defines the actions Sequence, Delay, Repeat and Conditional, which the engine itself schedules."""

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, model_validator

from conductor.domain.actions.base import ActionBase
from conductor.domain.conditions import Condition

if TYPE_CHECKING:
    from conductor.domain.actions import Action


class SequenceAction(ActionBase):
    """Performs actions one after another; stops if one fails."""

    type: Literal["Sequence"] = "Sequence"
    actions: tuple["Action", ...] = Field(min_length=1, max_length=100)
    """The actions to perform, in this order."""


class DelayAction(ActionBase):
    """Waits, without blocking other mappings."""

    type: Literal["Delay"] = "Delay"
    duration_ms: int = Field(ge=1, le=600_000, json_schema_extra={"format": "duration_ms"})
    """The time to wait, in milliseconds."""

    @model_validator(mode="before")
    @classmethod
    def _accept_older_fields(cls, raw: Any) -> Any:
        if isinstance(raw, dict) and "duration_ms" not in raw:
            return {
                ("duration_ms" if key in ("ms", "delay_ms") else key): item
                for key, item in raw.items()
            }
        return raw


class RepeatAction(ActionBase):
    """Repeats an action a number of times, or until release."""

    type: Literal["Repeat"] = "Repeat"
    action: "Action"
    """The action to repeat."""
    count: int | None = Field(default=None, ge=1, le=1000)
    """How many times the action is performed. Left out with `until_release`: no limit."""
    delay_ms: int = Field(default=0, ge=0, le=600_000, json_schema_extra={"format": "duration_ms"})
    """The pause between repetitions, in milliseconds; at least 1."""
    until_release: bool = False
    """Whether the repetition stops when the control is released."""

    @model_validator(mode="before")
    @classmethod
    def _accept_older_fields(cls, raw: Any) -> Any:
        if isinstance(raw, dict):
            raw = {("delay_ms" if k == "delay_between_ms" else k): item for k, item in raw.items()}
            raw.pop("stop_on_error", None)
        return raw

    @model_validator(mode="after")
    def _require_end(self) -> "RepeatAction":
        if self.count is None and not self.until_release:
            raise ValueError("give a `count`, or `until_release = true`")
        if self.until_release and self.delay_ms < 10:
            raise ValueError("until_release needs a `delay_ms` of at least 10")
        return self


class ConditionalAction(ActionBase):
    """Performs `then` if the condition holds, otherwise `else`."""

    type: Literal["Conditional"] = "Conditional"
    condition: Condition
    """The condition, evaluated when the action starts."""
    then: "Action"
    """The action if the condition holds."""
    otherwise: "Action | None" = Field(default=None, alias="else")
    """The action if the condition does not hold. Left out: nothing is done."""

    @model_validator(mode="before")
    @classmethod
    def _accept_older_fields(cls, raw: Any) -> Any:
        if isinstance(raw, dict):
            names = {"then_action": "then", "else_action": "else"}
            return {names.get(str(key), key): item for key, item in raw.items()}
        return raw
