"""Stores the position and the size of the window, which are restored at the next start."""

import json
from pathlib import Path
from typing import TypedDict


class WindowGeometry(TypedDict):
    """The position and the size of the window in pixels, and whether it is maximized."""

    x: int | None
    """The left edge. None if no position was saved, in which case the window is centered."""
    y: int | None
    width: int
    height: int
    maximized: bool


DEFAULT_WINDOW_GEOMETRY: WindowGeometry = {
    "x": None,
    "y": None,
    "width": 1280,
    "height": 800,
    "maximized": False,
}


def read_window_geometry(path: Path) -> WindowGeometry | None:
    """Return the saved position and size of the window, or None if the file is missing or invalid."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        return WindowGeometry(
            x=int(stored["x"]),
            y=int(stored["y"]),
            width=int(stored["width"]),
            height=int(stored["height"]),
            maximized=bool(stored.get("maximized")),
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
