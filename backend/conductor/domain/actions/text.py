"""Text: types a text."""

from typing import Literal

from pydantic import Field

from conductor.domain.actions.base import ActionBase, Fire
from conductor.domain.ports import Ports


class TextAction(ActionBase):
    """Types a text into whatever has the focus."""

    blocking = True
    type: Literal["Text"] = "Text"
    text: str = Field(min_length=1, max_length=10_000)
    """The text, as it should arrive."""

    def run(self, fire: Fire, ports: Ports) -> None:
        ports.keyboard.text(self.text)
