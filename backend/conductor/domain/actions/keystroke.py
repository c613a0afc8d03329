"""Defines the Keystroke action, which presses one or more keys together."""

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from conductor.domain.actions.base import ActionBase, Fire
from conductor.domain.keys import MODIFIER_KEYS, canonicalize_key, split_keys
from conductor.domain.ports import Ports


class KeystrokeAction(ActionBase):
    """Presses keys together, such as `["cmd", "c"]`, and releases them."""

    type: Literal["Keystroke"] = "Keystroke"
    keys: tuple[str, ...] = Field(min_length=1, max_length=8, json_schema_extra={"format": "keys"})
    """The keys to press. `cmd` is Command on macOS and Ctrl elsewhere."""
    hold: Literal["tap", "while_held"] = "tap"
    """`while_held`: the keys are down as long as the control is held."""

    @model_validator(mode="before")
    @classmethod
    def _accept_older_fields(cls, raw: Any) -> Any:
        """Accept the older forms `keys = "cmd+c"` and `keys = "c", modifiers = ["cmd"]` of the fields."""
        if not isinstance(raw, dict):
            return raw
        raw = dict(raw)
        if isinstance(raw.get("keys"), str):
            raw["keys"] = split_keys(raw["keys"])
        if isinstance(raw.get("modifiers"), list | tuple) and isinstance(
            raw.get("keys"), list | tuple
        ):
            raw["keys"] = [*raw.pop("modifiers"), *raw["keys"]]
        return raw

    @field_validator("keys", mode="after")
    @classmethod
    def _canonicalize_keys(cls, keys: tuple[str, ...]) -> tuple[str, ...]:
        named = list(dict.fromkeys(canonicalize_key(key) for key in keys))
        if "fn" in named:
            raise ValueError("the `fn` key is handled inside the keyboard; no program can press it")
        return tuple(
            [key for key in MODIFIER_KEYS if key in named]
            + [key for key in named if key not in MODIFIER_KEYS]
        )

    def run(self, fire: Fire, ports: Ports) -> None:
        ports.keyboard.press_keys(self.keys)
        ports.keyboard.release_keys(self.keys)
