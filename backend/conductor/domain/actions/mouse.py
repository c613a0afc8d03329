"""Defines the actions MouseClick, MouseMove and MouseScroll."""

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from conductor.domain.actions.base import ActionBase, Fire, clamp_magnitude, resolve_integer
from conductor.domain.curves import FromControl
from conductor.domain.ports import Ports

MAX_MOVE_DISTANCE_PX = 32_767
MAX_SCROLL_NOTCHES = 127
"""The largest scroll distance that a control can cause. It is also the range of a value
without `min` and `max`."""
Pixels = Annotated[int, Field(ge=-32_768, le=MAX_MOVE_DISTANCE_PX)]
Notches = Annotated[int, Field(ge=-100, le=100)]


class MouseClickAction(ActionBase):
    """Clicks a mouse button, also at a position."""

    type: Literal["MouseClick"] = "MouseClick"
    button: Literal["left", "middle", "right"] = "left"
    """The mouse button to click."""
    x: Pixels | None = None
    """The position in pixels from the left of the screen. Left out: at the pointer."""
    y: Pixels | None = None
    """The position in pixels from the top of the screen. Left out: at the pointer."""
    count: int = Field(default=1, ge=1, le=3)
    """The number of clicks; 2 is a double click."""

    @field_validator("button", mode="before")
    @classmethod
    def _lowercase_button(cls, name: Any) -> Any:
        return name.lower() if isinstance(name, str) else name

    @model_validator(mode="after")
    def _require_both_coordinates(self) -> "MouseClickAction":
        if (self.x is None) != (self.y is None):
            raise ValueError("give both `x` and `y`, or neither")
        return self

    def run(self, fire: Fire, ports: Ports) -> None:
        if self.x is not None and self.y is not None:
            ports.mouse.move_to(self.x, self.y)
        ports.mouse.click(self.button, self.count)


class MouseMoveAction(ActionBase):
    """Moves the pointer; by a distance when `relative`."""

    type: Literal["MouseMove"] = "MouseMove"
    x: Pixels | FromControl = 0
    """Pixels from the left, or to the right when `relative`."""
    y: Pixels | FromControl = 0
    """Pixels from the top, or down when `relative`."""
    relative: bool = False
    """Whether the pointer moves by a distance instead of to a position."""

    def run(self, fire: Fire, ports: Ports) -> None:
        x, y = self.resolve_field("x", fire), self.resolve_field("y", fire)
        if self.relative:
            ports.mouse.move_by(x, y)
        else:
            ports.mouse.move_to(x, y)

    def resolve_field(self, name: str, fire: Fire) -> int:
        """Return the value of a field in pixels, limited to the size of the largest possible screen."""
        return clamp_magnitude(resolve_integer(getattr(self, name), fire), MAX_MOVE_DISTANCE_PX)


class MouseScrollAction(ActionBase):
    """Scrolls by notches: positive `dy` is up, positive `dx` is right."""

    type: Literal["MouseScroll"] = "MouseScroll"
    dx: Notches | FromControl = 0
    """The distance to scroll to the right, in notches of a wheel."""
    dy: Notches | FromControl = 0
    """The distance to scroll up, in notches of a wheel."""

    def run(self, fire: Fire, ports: Ports) -> None:
        ports.mouse.scroll(self.resolve_field("dx", fire), self.resolve_field("dy", fire))

    def resolve_field(self, name: str, fire: Fire) -> int:
        """Return the value of a field in notches.

        It is limited, because each notch is a system call that blocks.
        """
        return clamp_magnitude(resolve_integer(getattr(self, name), fire), MAX_SCROLL_NOTCHES)
