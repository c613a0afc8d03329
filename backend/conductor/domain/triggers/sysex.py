"""Defines the Sysex trigger, which fires on a system exclusive message."""

import re
from typing import Literal

from pydantic import Field, field_validator

from conductor.domain import reasons
from conductor.domain.events import ControlClass, InputEvent
from conductor.domain.triggers.base import TriggerBase, TriggerMemory, TriggerVerdict


class SysexTrigger(TriggerBase):
    """Fires on a message with these bytes; `??` is any byte, a final `*` any rest."""

    gesture = "change"
    type: Literal["Sysex"] = "Sysex"
    pattern: str = Field(min_length=2, max_length=1024, examples=["F0 7E ?? 06 02 *"])
    """Bytes as hex pairs; F0 and F7 are added when they are missing."""

    @field_validator("pattern", mode="after")
    @classmethod
    def _canonicalize_pattern(cls, pattern: str) -> str:
        compact = re.sub(r"[\s,]|0x", "", pattern.lower()).upper()
        rest = "*" if compact.endswith("*") else ""
        digits = compact.removesuffix("*")
        if len(digits) % 2 or not re.fullmatch(r"([0-9A-F]{2}|\?\?)*", digits):
            raise ValueError(
                "write bytes as hex pairs, `??` for any byte and `*` at the end for any rest"
            )
        pairs = [digits[index : index + 2] for index in range(0, len(digits), 2)]
        if pairs[:1] != ["F0"]:
            pairs = ["F0", *pairs]
        if not rest and pairs[-1:] != ["F7"]:
            pairs.append("F7")
        if pairs == ["F0", "F7"]:
            raise ValueError("write at least one byte between F0 and F7")
        return " ".join([*pairs, rest] if rest else pairs)

    def can_be_held(self) -> bool:
        return False

    def list_controls(self) -> tuple[tuple[ControlClass, int | str], ...]:
        return (("sysex", 0),)

    def judge_event(self, event: InputEvent, memory: TriggerMemory) -> TriggerVerdict:
        message: bytes = event.data or b""
        wanted = self.pattern.split()
        open_end = wanted[-1] == "*"
        wanted = wanted[:-1] if open_end else wanted
        has_length = len(message) >= len(wanted) if open_end else len(message) == len(wanted)
        fires = has_length and all(
            pair == "??" or int(pair, 16) == byte
            for pair, byte in zip(wanted, message, strict=False)
        )
        return TriggerVerdict(
            fires,
            (reasons.SYSEX_PATTERN_RESULT, "matches" if fires else "does not match", self.pattern),
        )
