"""Defines the Text action, which types a text into the focused window."""

from typing import Literal

from pydantic import Field

from conductor.domain.actions.base import ActionBase, Fire
from conductor.domain.ports import Ports


class TextAction(ActionBase):
    """Types a text into the focused window."""

    blocking = True
    type: Literal["Text"] = "Text"
    text: str = Field(min_length=1, max_length=10_000)
    """The text to type."""

    def run(self, fire: Fire, ports: Ports) -> None:
        ports.keyboard.type_text(self.text)
