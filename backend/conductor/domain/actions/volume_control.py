"""Defines the VolumeControl action, which changes the output volume of the computer."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from conductor.base.json_types import JsonObject
from conductor.domain.actions.base import ActionBase, Fire, resolve_integer
from conductor.domain.curves import FromControl
from conductor.domain.ports import Ports

DEFAULT_STEP_PERCENT = 5


class VolumeControlAction(ActionBase):
    """Changes the volume: Up and Down by `value` percent (5), Set to `value` percent or the control's."""

    blocking = True
    type: Literal["VolumeControl"] = "VolumeControl"
    operation: Literal["Up", "Down", "Mute", "Unmute", "Toggle", "Set"]
    """How the volume changes."""
    value: Annotated[int, Field(ge=0, le=100)] | FromControl | None = None
    """The percentage. Left out with Set: the control's own value."""

    @model_validator(mode="before")
    @classmethod
    def _accept_older_fields(cls, raw: Any) -> Any:
        if isinstance(raw, dict) and "amount" in raw and "value" not in raw:
            raw = {("value" if key == "amount" else key): item for key, item in raw.items()}
        if isinstance(raw, dict) and isinstance(raw.get("operation"), str):
            return {**raw, "operation": raw["operation"].capitalize()}
        return raw

    def run(self, fire: Fire, ports: Ports) -> None:
        ports.volume.change_volume(self.operation, self._resolve_percent(fire))

    def resolve_to_plain(self, fire: Fire) -> JsonObject:
        """Return the action as JSON data, in which Up, Down and Set have a value in percent."""
        if self.operation not in ("Up", "Down", "Set"):
            return self.to_plain()
        return {**self.to_plain(), "value": self._resolve_percent(fire)}

    def _resolve_percent(self, fire: Fire) -> int:
        if self.value is not None:
            return min(100, max(0, resolve_integer(self.value, fire, high=100)))
        return round(fire.value * 100) if self.operation == "Set" else DEFAULT_STEP_PERCENT
