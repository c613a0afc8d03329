"""MouseClick, MouseMove, MouseScroll."""

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from conductor.domain.actions.base import ActionBase, Fire, resolve, within
from conductor.domain.curves import FromControl
from conductor.domain.ports import Ports

FARTHEST_PX = 32_767
NOTCHES_AT_MOST = 127
"""From a control: its whole range, as a control without `min` and `max` gives it."""
Pixels = Annotated[int, Field(ge=-32_768, le=FARTHEST_PX)]
Notches = Annotated[int, Field(ge=-100, le=100)]


class MouseClickAction(ActionBase):
    """Clicks a mouse button, where the pointer is or at a place."""

    type: Literal["MouseClick"] = "MouseClick"
    button: Literal["left", "middle", "right"] = "left"
    """Which button."""
    x: Pixels | None = None
    """The place on the screen. Left out: where the pointer is."""
    y: Pixels | None = None
    """The place on the screen, from the top."""
    count: int = Field(default=1, ge=1, le=3)
    """2 is a double click."""

    @field_validator("button", mode="before")
    @classmethod
    def _lower(cls, name: Any) -> Any:
        return name.lower() if isinstance(name, str) else name

    @model_validator(mode="after")
    def _both(self) -> "MouseClickAction":
        if (self.x is None) != (self.y is None):
            raise ValueError("give both `x` and `y`, or neither")
        return self

    def run(self, fire: Fire, ports: Ports) -> None:
        if self.x is not None and self.y is not None:
            ports.mouse.move_to(self.x, self.y)
        ports.mouse.click(self.button, self.count)


class MouseMoveAction(ActionBase):
    """Moves the pointer: to a place, or by a distance when `relative`."""

    type: Literal["MouseMove"] = "MouseMove"
    x: Pixels | FromControl = 0
    """Pixels from the left, or to the right when `relative`."""
    y: Pixels | FromControl = 0
    """Pixels from the top, or down when `relative`."""
    relative: bool = False
    """By a distance instead of to a place."""

    def run(self, fire: Fire, ports: Ports) -> None:
        x, y = self.resolved("x", fire), self.resolved("y", fire)
        if self.relative:
            ports.mouse.move_by(x, y)
        else:
            ports.mouse.move_to(x, y)

    def resolved(self, name: str, fire: Fire) -> int:
        """Return the pixels that a field comes to, within what a screen can have."""
        return within(resolve(getattr(self, name), fire), FARTHEST_PX)


class MouseScrollAction(ActionBase):
    """Scrolls by notches: positive `dy` is up, positive `dx` is right."""

    type: Literal["MouseScroll"] = "MouseScroll"
    dx: Notches | FromControl = 0
    """Notches to the right."""
    dy: Notches | FromControl = 0
    """Notches up."""

    def run(self, fire: Fire, ports: Ports) -> None:
        ports.mouse.scroll(self.resolved("dx", fire), self.resolved("dy", fire))

    def resolved(self, name: str, fire: Fire) -> int:
        """Return the notches that a field comes to: each is a call of the system, made in the engine's step."""
        return within(resolve(getattr(self, name), fire), NOTCHES_AT_MOST)
