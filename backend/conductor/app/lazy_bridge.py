"""The page's modules, imported at the first need: it takes a while, and headless they are never needed."""

from importlib import import_module
from typing import Any


def bridge_modules() -> tuple[Any, Any, Any]:
    """Import what the page needs; for a thread."""
    names = ("conductor.bridge.door", "conductor.app.bridge_services", "conductor.app.page_events")
    door, desks, news = (import_module(name) for name in names)
    return door, desks, news
