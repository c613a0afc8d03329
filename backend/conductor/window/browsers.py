"""Chooses between the Qt window and a browser, and builds the command line of a browser's app window.

In app mode, a browser shows one page in a window of its own, without tabs and an address bar. Only browsers
that are based on Chromium have it.
"""

import importlib.util
import os
import shutil
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from conductor.window.requirements import BROWSER_ADVICE, find_window_problem, has_display

WINDOW_VARIABLE = "CONDUCTOR_WINDOW"
"""The environment variable that selects a browser (`browser`) although Qt is installed."""
QT_PACKAGES = {"webview": "pywebview", "PySide6": "PySide6"}
"""The packages of the Qt window on Linux by the names of their modules."""
APP_BROWSERS = {
    "chromium": "Chromium",
    "chromium-browser": "Chromium",
    "google-chrome": "Chrome",
    "google-chrome-stable": "Chrome",
    "microsoft-edge": "Edge",
    "microsoft-edge-stable": "Edge",
    "brave-browser": "Brave",
    "brave": "Brave",
}
"""The names of the browsers with an app mode by the programs that start them, in order of preference."""
WINDOW_CLASS = "conductor"
"""The class of the app window, by which the desktop finds the icon (`StartupWMClass` in conductor.desktop)."""
SNAP_FOLDER = Path("/snap")
LOCK_NAME = "SingletonLock"
"""The symbolic link in a profile folder that names the host and the process id of the browser that uses it."""


class AppBrowser(NamedTuple):
    """A browser with an app mode."""

    name: str
    program: str


def find_browser_reason() -> str | None:
    """Return why a browser shows the page instead of the Qt window, or None if it is the Qt window.

    Other systems than Linux have a window without Qt.
    """
    if sys.platform != "linux":
        return None
    if os.environ.get(WINDOW_VARIABLE) == "browser":
        return f"{WINDOW_VARIABLE} is set to `browser`"
    missing = [name for module, name in QT_PACKAGES.items() if _is_missing(module)]
    return f"this installation has no {' and no '.join(missing)}" if missing else None


def find_app_browser(environment: Mapping[str, str]) -> AppBrowser | None:
    """Return the first browser on the search path that has an app mode, or None."""
    for command, name in APP_BROWSERS.items():
        program = shutil.which(command, path=environment.get("PATH", os.defpath))
        if program is not None:
            return AppBrowser(name, program)
    return None


def build_app_command(browser: AppBrowser, url: str, profile: Path) -> list[str]:
    """Return the command line that opens an address in an app window, with a profile of its own.

    The profile keeps the window apart from the user's tabs and extensions, and makes it a process that ends
    when the window is closed.
    """
    # Chromium's sandbox does not work for root
    is_root = sys.platform != "win32" and os.geteuid() == 0
    sandbox = ["--no-sandbox"] if is_root else []
    return [
        browser.program,
        f"--app={url}",
        f"--user-data-dir={profile}",
        f"--class={WINDOW_CLASS}",
        "--no-first-run",
        "--no-default-browser-check",
        # without it, a new profile asks for the password of the keyring
        "--password-store=basic",
        "--hide-crash-restore-bubble",
        *sandbox,
    ]


def find_profile_folder(browser: AppBrowser, home: Path) -> Path:
    """Return the folder of the browser's profile.

    A browser in a snap cannot use hidden folders, in which the home folder usually is.
    """
    if Path(browser.program).is_relative_to(SNAP_FOLDER):
        return Path.home() / "snap" / Path(browser.program).name / "common" / "conductor"
    return home / "browser"


def end_remaining_browser(profile: Path) -> int | None:
    """Ask a browser to end that a killed Conductor has left behind, and return its process id.

    A browser that is already running opens each new window itself, so the window would not belong to a
    process that this Conductor started.
    """
    try:
        pid = int((profile / LOCK_NAME).readlink().name.rpartition("-")[2])
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except (OSError, ValueError):
        return None
    if os.fsencode(f"--user-data-dir={profile}") not in command.split(b"\0"):
        return None
    with suppress(OSError):  # it has just ended
        os.kill(pid, signal.SIGTERM)
    return pid


def describe_window(environment: Mapping[str, str] | None = None) -> str:
    """Return what shows the page of this installation, and why."""
    reason = find_browser_reason()
    if reason is None:
        return "Qt window" if sys.platform == "linux" else "window of the system"
    browser = find_app_browser(os.environ if environment is None else environment)
    if browser is not None:
        return f"app window of {browser.name} ({browser.program}), because {reason}"
    return f"default browser, because {reason} and no {list_browser_names()} was found"


def describe_open_window(*, is_open: bool) -> str:
    """Return what shows the page, or what would show it while no page is open."""
    kind = describe_window()
    return kind if is_open else f"not open; it would open as: {kind}"


def list_browser_names() -> str:
    """Return the names of the browsers with an app mode, for a sentence."""
    *names, last = dict.fromkeys(APP_BROWSERS.values())
    return f"{', '.join(names)} or {last}"


def find_page_problem(environment: dict[str, str]) -> str | None:
    """Return why neither the Qt window nor a browser can show the page, or None if one of them can."""
    if find_browser_reason() is None:
        return find_window_problem()
    if not has_display(environment):
        return f"there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set): {BROWSER_ADVICE}"
    openers = ("xdg-open", "gio")
    path = environment.get("PATH", os.defpath)
    if find_app_browser(environment) or any(shutil.which(name, path=path) for name in openers):
        return None
    return f"no browser was found: install {list_browser_names()}, or {BROWSER_ADVICE}"


def _is_missing(module: str) -> bool:
    return importlib.util.find_spec(module) is None
