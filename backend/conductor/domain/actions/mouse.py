"""MouseClick, MouseMove, MouseScroll."""

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from conductor.domain.actions.base import ActionBase, Fire, resolve
from conductor.domain.curves import FromControl
from conductor.domain.ports import Ports

Pixels = Annotated[int, Field(ge=-32_768, le=32_767)]
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
        x, y = resolve(self.x, fire), resolve(self.y, fire)
        if self.relative:
            ports.mouse.move_by(x, y)
        else:
            ports.mouse.move_to(x, y)


class MouseScrollAction(ActionBase):
    """Scrolls by notches: positive `dy` is up, positive `dx` is right."""

    type: Literal["MouseScroll"] = "MouseScroll"
    dx: Notches | FromControl = 0
    """Notches to the right."""
    dy: Notches | FromControl = 0
    """Notches up."""

    def run(self, fire: Fire, ports: Ports) -> None:
        ports.mouse.scroll(resolve(self.dx, fire), resolve(self.dy, fire))
