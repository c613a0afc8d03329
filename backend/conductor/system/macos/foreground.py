"""Reads the frontmost app on macOS from the window server.

`NSWorkspace.frontmostApplication` is a cache that only a run loop refreshes. The app process has none, so the
value would never change. The window server is asked each time instead; it reveals owners of windows without a
permission, and titles only with Screen Recording. An app without any window on the screen is not recognised.
"""

from importlib import import_module
from typing import Any

from conductor.system.foreground_watch import NO_APP, AppNames

_NORMAL_LAYER = 0
"""The layer of ordinary windows. The Dock, menus and overlays are on others."""


def read_frontmost_app() -> AppNames:
    """Return the name, the bundle id and, if it is revealed, the title of the window in front."""
    quartz = import_module("Quartz")
    option = quartz.kCGWindowListOptionOnScreenOnly | quartz.kCGWindowListExcludeDesktopElements
    # The windows are listed from front to back.
    for window in quartz.CGWindowListCopyWindowInfo(option, quartz.kCGNullWindowID) or ():
        is_invisible = window.get(quartz.kCGWindowAlpha, 1.0) == 0
        if window.get(quartz.kCGWindowLayer) == _NORMAL_LAYER and not is_invisible:
            pid = int(window.get(quartz.kCGWindowOwnerPID, 0))
            name = str(window.get(quartz.kCGWindowOwnerName) or "")
            return name, _find_bundle_id(pid), str(window.get(quartz.kCGWindowName) or "")
    return NO_APP


def _find_bundle_id(pid: int) -> str:
    # A new object each time: the properties of an old one would be as stale as the workspace's.
    running: Any = import_module("AppKit").NSRunningApplication
    app = running.runningApplicationWithProcessIdentifier_(pid)
    return "" if app is None else str(app.bundleIdentifier() or "")
