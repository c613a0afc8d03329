"""The app in front is told by a real window manager's events."""

import queue
import subprocess
import threading
from collections.abc import Generator

import pytest
from tests.support.xserver import KeyWindow, XServer, window_manager
from Xlib import X
from Xlib.display import Display

from conductor.system.foreground import Foreground, PollingWatcher

pytestmark = pytest.mark.x11
WAIT_S = 10.0
App = tuple[str, str, str]


class Told:
    """Keeps what was told, in order."""

    def __init__(self) -> None:
        self._queue: queue.Queue[App] = queue.Queue()

    def __call__(self, executable: str, bundle_id: str, title: str) -> None:
        self._queue.put((executable, bundle_id, title))

    def next(self) -> App:
        return self._queue.get(timeout=WAIT_S)

    def until(self, title: str) -> App:
        while (app := self.next())[2] != title:
            pass
        return app


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def desktop(xserver: XServer) -> Generator[XServer]:
    with window_manager(xserver.display):
        yield xserver


@pytest.fixture
def foreground(desktop: XServer, told: Told) -> Generator[Foreground]:
    foreground = Foreground(told)
    foreground.start()
    assert told.next() == ("", "", "")
    yield foreground
    foreground.stop()


def test_switching_windows_is_told(desktop: XServer, foreground: Foreground, told: Told) -> None:
    assert foreground.available() is None
    with KeyWindow(desktop.display, "first é", "editor"):
        assert told.until("first é") == ("editor", "Editor", "first é")
        with KeyWindow(desktop.display, "second", "browser"):
            assert told.until("second") == ("browser", "Browser", "second")
            subprocess.run(["wmctrl", "-a", "first"], check=True)
            assert told.until("first é") == ("editor", "Editor", "first é")


def test_the_executable_comes_from_the_windows_process(
    desktop: XServer, foreground: Foreground, told: Told
) -> None:
    with KeyWindow(desktop.display, "mine", "mine") as window:
        told.until("mine")
        window.set_pid()
        executable, window_class, _ = told.next()
        assert executable.startswith("python")
        assert window_class == "Mine"


def test_a_new_title_is_told(desktop: XServer, foreground: Foreground, told: Told) -> None:
    with KeyWindow(desktop.display, "draft", "editor") as window:
        told.until("draft")
        window.set_title("final")
        assert told.next() == ("editor", "Editor", "final")


def test_a_window_that_says_nothing_of_itself_is_no_trouble(
    desktop: XServer, foreground: Foreground, told: Told
) -> None:
    display = Display(desktop.display)
    screen = display.screen()
    bare = screen.root.create_window(0, 0, 50, 50, 0, screen.root_depth)
    bare.map()
    display.sync()
    with KeyWindow(desktop.display, "after", "after"):
        assert told.until("after") == ("after", "After", "after")
        bare.set_input_focus(X.RevertToNone, X.CurrentTime)
        display.sync()
        assert told.next()[:2] == ("", "")
    display.close()


def test_the_last_window_closed_leaves_no_app(
    desktop: XServer, foreground: Foreground, told: Told
) -> None:
    with KeyWindow(desktop.display, "only", "only"):
        told.until("only")
    assert told.next() == ("", "", "")


def test_a_server_that_goes_away_and_comes_back_is_followed(xserver: XServer, told: Told) -> None:
    foreground = Foreground(told)
    foreground.start()
    for title in ("one", "two"):
        with window_manager(xserver.display), KeyWindow(xserver.display, title):
            told.until(title)
        xserver.stop()
        assert told.until("") == ("", "", "")
        xserver.start()
    foreground.stop()


def test_it_may_be_stopped_at_any_time(xserver: XServer, told: Told) -> None:
    Foreground(told).stop()
    foreground = Foreground(told)
    foreground.start()
    foreground.stop()
    foreground.stop()
    assert not [thread for thread in threading.enumerate() if thread.name == "foreground"]


def test_a_window_manager_that_starts_later_is_followed(xserver: XServer, told: Told) -> None:
    foreground = Foreground(told)
    assert "no window manager" in (foreground.available() or "")
    foreground.start()
    foreground.start()
    assert told.next() == ("", "", "")
    with window_manager(xserver.display), KeyWindow(xserver.display, "later"):
        told.until("later")
    foreground.stop()


def test_a_listener_that_fails_once_is_told_again(
    desktop: XServer, told: Told, caplog: pytest.LogCaptureFixture
) -> None:
    failing = [RuntimeError("not ready")]

    def tell(executable: str, bundle_id: str, title: str) -> None:
        if failing:
            raise failing.pop()
        told(executable, bundle_id, title)

    foreground = Foreground(tell)
    foreground.start()
    with KeyWindow(desktop.display, "still here"):
        told.until("still here")
    foreground.stop()
    assert "it is tried again" in caplog.text


def test_on_wayland_a_watcher_tells_of_no_app(
    desktop: XServer, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    foreground = Foreground(told)
    foreground.start()
    assert told.next() == ("", "", "")
    foreground.stop()


def test_what_is_missing_is_told(
    xserver: XServer, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    foreground = Foreground(told)
    assert "no window manager" in (foreground.available() or "")
    xserver.stop()
    assert "cannot be reached" in (foreground.available() or "")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert "Wayland" in (foreground.available() or "")
    monkeypatch.delenv("WAYLAND_DISPLAY")
    monkeypatch.delenv("DISPLAY")
    assert "no X display" in (foreground.available() or "")
    foreground.stop()


def test_the_polling_watcher_tells_only_changes(told: Told) -> None:
    looks = iter([("a", "", ""), ("a", "", ""), ("b", "", "t")])
    watcher = PollingWatcher(told, lambda: next(looks, ("b", "", "t")), interval_s=0.001)
    watcher.start()
    assert [told.next(), told.next()] == [("a", "", ""), ("b", "", "t")]
    watcher.stop()
