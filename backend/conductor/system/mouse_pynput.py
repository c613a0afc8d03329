"""Moves and clicks the mouse on macOS and Windows through pynput. Untested: never run on these systems."""

import threading
from typing import Any

from conductor.errors import ActionFailed

_MOUSE_BUTTONS = ("left", "middle", "right")


class PynputMouse:
    """A mouse that clicks, moves and scrolls through pynput. Thread-safe."""

    def __init__(self) -> None:
        from pynput import mouse

        self._library: Any = mouse
        self._controller: Any = mouse.Controller()
        self._lock = threading.Lock()

    def click(self, button: str, count: int) -> None:
        if button not in _MOUSE_BUTTONS:
            raise ActionFailed(f"no mouse button `{button}`: use left, middle or right")
        with self._lock:
            self._controller.click(self._library.Button[button], count)

    def move_to(self, x: int, y: int) -> None:
        with self._lock:
            self._controller.position = (x, y)

    def move_by(self, dx: int, dy: int) -> None:
        with self._lock:
            self._controller.move(dx, dy)

    def scroll(self, dx: int, dy: int) -> None:
        """Scroll by a number of wheel notches; positive `dy` scrolls up, positive `dx` scrolls right."""
        with self._lock:
            self._controller.scroll(dx, dy)
