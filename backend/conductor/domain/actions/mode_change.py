"""Defines the ModeChange action, which activates another mode."""

from typing import Any, Literal

from pydantic import Field, model_validator

from conductor.domain.actions.base import ActionBase


class ModeChangeAction(ActionBase):
    """Changes the mode, as `behaviour` says."""

    type: Literal["ModeChange"] = "ModeChange"
    mode: str | None = Field(default=None, min_length=1, json_schema_extra={"format": "mode"})
    """The other mode; needed for switch, momentary and toggle."""
    behaviour: Literal["switch", "momentary", "toggle", "next", "previous"] = "switch"
    """How the mode changes."""

    @model_validator(mode="before")
    @classmethod
    def _accept_american_spelling(cls, raw: Any) -> Any:
        if isinstance(raw, dict) and "behavior" in raw:
            return {("behaviour" if key == "behavior" else key): item for key, item in raw.items()}
        return raw

    @model_validator(mode="after")
    def _require_mode(self) -> "ModeChangeAction":
        if self.mode is None and self.behaviour not in ("next", "previous"):
            raise ValueError(f"behaviour `{self.behaviour}` needs a `mode`")
        return self
