"""What a person sees and does on the screen around the window: its frame, the tray, menus, dialogs.

with window_manager(display), tray(display):
    choose(display, "Down", "Return")
"""

import os
import subprocess
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.support.running import wait_for
from Xlib import X
from Xlib.display import Display
from Xlib.error import BadWindow

WAIT_S = 45
DIALOG_TRIES = 10
POPUPS = ("POPUP_MENU", "DROPDOWN_MENU")


def run(display: str, *words: str) -> str:
    """Run a program on the display; return its output."""
    environment = {**os.environ, "DISPLAY": display}
    return subprocess.run(words, env=environment, check=True, capture_output=True, text=True).stdout


def press(display: str, *keys: str) -> None:
    """Press keys one after another, in the window with the focus."""
    run(display, "xdotool", "key", "--delay", "40", *keys)


def windows(display: str, title: str, pid: int | None = None) -> list[str]:
    """Return the windows with this title, of this process, that can be seen."""
    of = [] if pid is None else ["--all", "--pid", str(pid)]
    command = ["xdotool", "search", "--onlyvisible", *of, "--name", f"^{title}$"]
    environment = {**os.environ, "DISPLAY": display}
    return subprocess.run(command, env=environment, capture_output=True, text=True).stdout.split()


def type_path(display: str, path: Path, is_answered: Callable[[], bool]) -> None:
    """Type a path into the dialog that asks where to save, and press Return until it is answered.

    Qt's list of completions may still be open, as it is filled by a thread; then Return only closes the list.
    """
    typed: set[str] = set()
    for _ in range(DIALOG_TRIES):
        wait_for(lambda: is_answered() or windows(display, "Save"), bool)
        for dialog in windows(display, "Save"):
            keys = ["windowfocus", "--sync", dialog]
            if dialog not in typed:
                keys += ["key", "ctrl+a", "type", "--delay", "5", str(path)]
            with suppress(subprocess.CalledProcessError):  # an earlier dialog that has just gone
                run(display, "xdotool", *keys)
                press(display, "Return")
                typed.add(dialog)
        with suppress(TimeoutError):
            wait_for(is_answered, bool, WAIT_S / DIALOG_TRIES)
            return
    raise TimeoutError(f"{path} was typed into {typed}, and the dialog stays open")


@contextmanager
def tray(display: str) -> Generator[None]:
    """Run a tray in a corner of the screen."""
    environment = {**os.environ, "DISPLAY": display}
    process = subprocess.Popen(["trayer", "--widthtype", "request"], env=environment)
    try:
        wait_for(lambda: windows(display, "panel"), bool)
        yield
    finally:
        process.terminate()
        process.wait(WAIT_S)


def tray_place(display: str) -> dict[str, int]:
    """Return the position of the tray, which is that of its only icon."""
    panel = wait_for(lambda: windows(display, "panel"), bool)[0]  # gone while it is laid out
    return place_of(display, panel)


def place_of(display: str, window: str) -> dict[str, int]:
    """Return X, Y, WIDTH and HEIGHT of a window, without its frame."""
    output = run(display, "xdotool", "getwindowgeometry", "--shell", window)
    return {name: int(value) for name, value in (line.split("=") for line in output.split())}


def click_tray(display: str, button: int) -> None:
    """Click the only icon in the tray."""
    place = tray_place(display)
    x, y = place["X"] + place["WIDTH"] // 2, place["Y"] + place["HEIGHT"] // 2
    run(display, "xdotool", "mousemove", str(x), str(y), "click", str(button))


def choose(display: str, *keys: str) -> None:
    """Open the menu of the tray icon, and choose an entry with keys."""
    _open_menu(display)
    press(display, *keys)
    wait_for(lambda: popups(display), lambda seen: not seen)


def _open_menu(display: str, attempts: int = 15) -> None:
    """Click until the menu is open: a click is lost while trayer lays out icons, or a menu is closing."""
    for attempt in range(attempts):
        click_tray(display, 3)
        try:
            wait_for(lambda: popups(display), bool, 1.5)
            return
        except TimeoutError:
            if attempt == attempts - 1:
                raise


def popups(display: str, kinds: Sequence[str] = POPUPS) -> list[int]:
    """Return the menus, or other windows of these kinds, that can be seen."""
    connection = Display(display)
    try:
        children = connection.screen().root.query_tree().children
        return [item.id for item in children if _is_popup(connection, item, kinds)]
    finally:
        connection.close()


def _is_popup(connection: Any, window: Any, kinds: Sequence[str]) -> bool:
    wanted = {connection.get_atom(f"_NET_WM_WINDOW_TYPE_{kind}") for kind in kinds}
    kind = connection.get_atom("_NET_WM_WINDOW_TYPE")
    try:
        if window.get_attributes().map_state != X.IsViewable:
            return False
        found = window.get_full_property(kind, X.AnyPropertyType)
    except BadWindow:  # it went while it was looked at
        return False
    return found is not None and bool(wanted & set(found.value))
