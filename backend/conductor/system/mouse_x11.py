"""Moves and clicks the mouse on X11 through XTEST."""

from Xlib import X
from Xlib.display import Display
from Xlib.ext import xtest

from conductor.errors import ActionFailed
from conductor.system.x11_link import X11Link, send_requests

_MOUSE_BUTTONS = {"left": 1, "middle": 2, "right": 3}
_WHEEL_UP, _WHEEL_DOWN, _WHEEL_LEFT, _WHEEL_RIGHT = 4, 5, 6, 7


class X11Mouse:
    """A mouse that clicks, moves and scrolls through the XTEST extension. Thread-safe."""

    def __init__(self, link: X11Link | None = None) -> None:
        self._link = link or X11Link()

    def click(self, button: str, count: int) -> None:
        """Click the `left`, `middle` or `right` button `count` times.

        Raises:
            ActionFailed: The button does not exist, or there is no X display.
        """
        number = _MOUSE_BUTTONS.get(button)
        if number is None:
            raise ActionFailed(f"no mouse button `{button}`: use left, middle or right")
        self._link.call_with_display(lambda display: _click_button(display, number, count))

    def move_to(self, x: int, y: int) -> None:
        self._link.call_with_display(lambda display: _move_pointer(display, x, y, relative=False))

    def move_by(self, dx: int, dy: int) -> None:
        self._link.call_with_display(lambda display: _move_pointer(display, dx, dy, relative=True))

    def scroll(self, dx: int, dy: int) -> None:
        """Scroll by a number of wheel notches; positive `dy` scrolls up, positive `dx` scrolls right."""

        def click_wheel(display: Display) -> None:
            _click_button(display, _WHEEL_UP if dy > 0 else _WHEEL_DOWN, abs(dy))
            _click_button(display, _WHEEL_RIGHT if dx > 0 else _WHEEL_LEFT, abs(dx))

        self._link.call_with_display(click_wheel)


def _click_button(display: Display, button: int, count: int) -> None:
    for _ in range(count):
        xtest.fake_input(display, X.ButtonPress, button)
        xtest.fake_input(display, X.ButtonRelease, button)
    send_requests(display)


def _move_pointer(display: Display, x: int, y: int, *, relative: bool) -> None:
    xtest.fake_input(display, X.MotionNotify, int(relative), x=x, y=y)
    send_requests(display)
