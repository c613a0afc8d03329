"""Watches which app is in the foreground: by events on Linux, by polling four times a second elsewhere."""

import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from conductor.system.foreground_watch import ForegroundSource

_POLL_INTERVAL_S = 0.25


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
    return PollingWatcher(on_change, _read_mac_app if platform == "darwin" else _read_windows_app)


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
        self._stopped = threading.Event()
        self._thread = threading.Thread(
            target=self._poll_foreground_app, name="foreground", daemon=True
        )

    def get_unavailable_reason(self) -> None:
        """Return None, because macOS and Windows report the foreground app to every program."""

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
            app = self._poll()
            if app != last:
                last = app
                self._on_change(*app)
            self._stopped.wait(self._interval_s)


def _read_mac_app() -> tuple[str, str, str]:
    """Return the frontmost app of macOS, without its title, which would require a permission.

    Untested on a Mac.
    """
    from AppKit import NSWorkspace  # pyright: ignore[reportMissingImports]

    app: Any = NSWorkspace.sharedWorkspace().frontmostApplication()
    if app is None:
        return "", "", ""
    return str(app.localizedName() or ""), str(app.bundleIdentifier() or ""), ""


def _read_windows_app() -> tuple[str, str, str]:
    """Return the app that owns the foreground window of Windows. Untested on Windows."""
    import ctypes

    libraries: Any = ctypes
    user32, kernel32 = libraries.windll.user32, libraries.windll.kernel32
    window = user32.GetForegroundWindow()
    title = ctypes.create_unicode_buffer(512)
    user32.GetWindowTextW(window, title, 512)
    pid = ctypes.c_ulong()
    user32.GetWindowThreadProcessId(window, ctypes.byref(pid))
    process = kernel32.OpenProcess(0x1000, 0, pid)  # PROCESS_QUERY_LIMITED_INFORMATION
    path, size = ctypes.create_unicode_buffer(1024), ctypes.c_ulong(1024)
    kernel32.QueryFullProcessImageNameW(process, 0, path, ctypes.byref(size))
    kernel32.CloseHandle(process)
    return path.value.rpartition("\\")[2], "", title.value
