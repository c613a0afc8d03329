"""Defines the SetVariable action, which stores a value that conditions can test."""

from typing import Literal

from pydantic import Field, model_validator

from conductor.domain.actions.base import ActionBase, Fire
from conductor.domain.conditions import Scalar
from conductor.domain.curves import FromControl


class SetVariableAction(ActionBase):
    """Sets a variable; conditions can test it."""

    type: Literal["SetVariable"] = "SetVariable"
    name: str = Field(min_length=1, max_length=64, json_schema_extra={"format": "variable"})
    """The name of the variable."""
    value: Scalar | FromControl = True
    """The value to set or add; from a control, 0 to 127."""
    operation: Literal["set", "add", "toggle"] = "set"
    """Whether the value is set, added, or the variable toggled."""

    def resolve_field(self, name: str, fire: Fire) -> int | float:
        """Return the value of the control as a number with the configured number of decimals."""
        value = getattr(self, name)
        return value.compute_number(fire.value, fire.steps)

    @model_validator(mode="after")
    def _require_number_to_add(self) -> "SetVariableAction":
        if self.operation == "add" and isinstance(self.value, str):
            raise ValueError("only a number can be added")
        return self
