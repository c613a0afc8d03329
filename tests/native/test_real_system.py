"""Keys, the foreground app and MIDI on the system that runs the test: macOS or Windows."""

import queue
import threading
import tkinter as tk
from collections.abc import Generator
from pathlib import Path

import pytest

from conductor.devices.listing import list_midi_ports
from conductor.system.build import make_keyboard
from conductor.system.doctor import check_system
from conductor.system.foreground import ForegroundWatcher

WAIT_S = 20.0


class KeyWindow:
    """A window in front that records the keys that it receives."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self._root = tk.Tk()
        self._root.title("Conductor test")
        self._root.bind("<KeyPress>", lambda event: self.keys.append(event.keysym))
        self._root.attributes("-topmost", True)
        self._root.update()
        self._root.focus_force()
        self._root.update()

    def run_until(self, is_done: threading.Event | None, count: int = 0) -> None:
        """Process events until keys have arrived, the event is set, or the time is over."""
        ends = threading.Event()
        timer = threading.Timer(WAIT_S, ends.set)
        timer.start()
        while not ends.is_set() and len(self.keys) < count:
            self._root.update()
            if is_done is not None and is_done.is_set():
                break
        timer.cancel()

    def close(self) -> None:
        self._root.destroy()


@pytest.fixture
def window() -> Generator[KeyWindow]:
    window = KeyWindow()
    yield window
    window.close()


def test_keys_reach_a_window(window: KeyWindow) -> None:
    if not check_system(Path("none"))[0].ok:
        pytest.skip("this runner does not let programs press keys")
    keyboard = make_keyboard()
    keyboard.press_keys(["a"])
    keyboard.release_keys(["a"])
    keyboard.type_text("é")
    window.run_until(None, count=2)
    assert window.keys[0] == "a"
    assert window.keys[1] in ("eacute", "é")


def test_the_window_in_front_is_reported(window: KeyWindow) -> None:
    names: queue.Queue[str] = queue.Queue()
    is_python = threading.Event()

    def report(executable: str, _bundle_id: str, _title: str) -> None:
        names.put(executable)
        if executable.lower().startswith("python"):
            is_python.set()

    watcher = ForegroundWatcher(report)
    watcher.start()
    window.run_until(is_python)
    watcher.stop()
    assert is_python.is_set(), list(names.queue)


def test_midi_ports_are_listed_without_a_problem() -> None:
    _, problems = list_midi_ports()
    assert problems == []
