"""Watches which app is in the foreground: by events on Linux, by polling four times a second elsewhere."""

import logging
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from conductor.system.foreground_watch import ForegroundSource

_POLL_INTERVAL_S = 0.25
_log = logging.getLogger(__name__)


class _PlatformWatcher(Protocol):
    def get_unavailable_reason(self) -> str | None: ...
    def start(self) -> None: ...
    def stop(self) -> None: ...


class ForegroundWatcher:
    """Watches the foreground app. Calls `on_change(executable, bundle_id, title)` in its own thread.

    It is called once at the start and after each change. Empty strings mean that no app is in the
    foreground, or that the value is not known.
    """

    def __init__(
        self, on_change: Callable[[str, str, str], None], platform: str = sys.platform
    ) -> None:
        self._watcher = _make_watcher(on_change, platform)

    def get_unavailable_reason(self) -> str | None:
        """Return why the foreground app cannot be determined, or None if it can.

        The watcher can be started in either case, because it uses a display or window manager that appears
        later.
        """
        return self._watcher.get_unavailable_reason()

    def start(self) -> None:
        """Start watching in a thread. While watching is not possible, the thread keeps trying."""
        self._watcher.start()

    def stop(self) -> None:
        self._watcher.stop()


def _make_watcher(on_change: Callable[[str, str, str], None], platform: str) -> _PlatformWatcher:
    if platform == "linux":
        from conductor.system.foreground_watch import SourceWatcher

        return SourceWatcher(on_change, make_foreground_sources)
    if platform == "darwin":
        from conductor.system.macos.foreground import read_frontmost_app

        return PollingWatcher(on_change, read_frontmost_app)
    from conductor.system.windows.foreground import read_foreground_app

    return PollingWatcher(on_change, read_foreground_app)


def make_foreground_sources() -> "list[ForegroundSource]":
    """Return the sources that may report the foreground app in this Linux session, best source first."""
    from conductor.system.wayland.connection import is_wayland_session

    if not is_wayland_session():
        from conductor.system.foreground_x11 import X11Source

        return [X11Source()]
    from conductor.system.foreground_hyprland import HyprlandSource
    from conductor.system.foreground_kwin import KwinSource
    from conductor.system.foreground_niri import NiriSource
    from conductor.system.foreground_sway import SwaySource
    from conductor.system.gnome.foreground import GnomeSource
    from conductor.system.wayland.toplevels import ToplevelSource

    return [
        SwaySource(),
        HyprlandSource(),
        NiriSource(),
        KwinSource(),
        GnomeSource(),
        ToplevelSource(),
    ]


class PollingWatcher:
    """Polls the foreground app at a fixed interval, and calls a listener when it has changed."""

    def __init__(
        self,
        on_change: Callable[[str, str, str], None],
        poll: Callable[[], tuple[str, str, str]],
        interval_s: float = _POLL_INTERVAL_S,
    ) -> None:
        self._on_change = on_change
        self._poll = poll
        self._interval_s = interval_s
        self._problem: str | None = None
        self._stopped = threading.Event()
        self._thread = threading.Thread(
            target=self._poll_foreground_app, name="foreground", daemon=True
        )

    def get_unavailable_reason(self) -> str | None:
        """Return why the last poll failed, or None. macOS and Windows report the app to every program."""
        return self._problem

    def start(self) -> None:
        if self._thread.ident is None:
            self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    def _poll_foreground_app(self) -> None:
        last: tuple[str, str, str] | None = None
        while not self._stopped.is_set():
            app = self._read_app()
            if app != last:
                last = app
                self._on_change(*app)
            self._stopped.wait(self._interval_s)

    def _read_app(self) -> tuple[str, str, str]:
        """Return the app, or no app if it cannot be read, so that one failure does not end the watcher."""
        try:
            app = self._poll()
        except Exception as error:  # noqa: BLE001 - each library of the system raises its own
            if self._problem is None:
                _log.warning("the foreground app cannot be read; trying again", exc_info=error)
            self._problem = f"the system does not tell the foreground app ({error})"
            return "", "", ""
        self._problem = None
        return app
