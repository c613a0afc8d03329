"""The app in front is reported by a real window manager's events."""

import queue
import subprocess
import threading
from collections.abc import Generator

import pytest
from tests.support.xserver import KeyWindow, XServer, window_manager
from Xlib import X
from Xlib.display import Display

from conductor.system.foreground import ForegroundWatcher, PollingWatcher

pytestmark = pytest.mark.x11
WAIT_S = 30.0
App = tuple[str, str, str]


class Changes:
    """The reported apps, in order."""

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
def changes() -> Changes:
    return Changes()


@pytest.fixture
def desktop(xserver: XServer) -> Generator[XServer]:
    with window_manager(xserver.display):
        yield xserver


@pytest.fixture
def foreground(desktop: XServer, changes: Changes) -> Generator[ForegroundWatcher]:
    foreground = ForegroundWatcher(changes)
    foreground.start()
    assert changes.next() == ("", "", "")
    yield foreground
    foreground.stop()


def test_switching_windows_is_reported(
    desktop: XServer, foreground: ForegroundWatcher, changes: Changes
) -> None:
    assert foreground.get_unavailable_reason() is None
    with KeyWindow(desktop.display, "first é", "editor"):
        assert changes.until("first é") == ("editor", "Editor", "first é")
        with KeyWindow(desktop.display, "second", "browser"):
            assert changes.until("second") == ("browser", "Browser", "second")
            subprocess.run(["wmctrl", "-a", "first"], check=True)
            assert changes.until("first é") == ("editor", "Editor", "first é")


def test_the_executable_comes_from_the_windows_process(
    desktop: XServer, foreground: ForegroundWatcher, changes: Changes
) -> None:
    with KeyWindow(desktop.display, "mine", "mine") as window:
        changes.until("mine")
        window.set_pid()
        executable, window_class, _ = changes.next()
        assert executable.startswith("python")
        assert window_class == "Mine"


def test_a_new_title_is_reported(
    desktop: XServer, foreground: ForegroundWatcher, changes: Changes
) -> None:
    with KeyWindow(desktop.display, "draft", "editor") as window:
        changes.until("draft")
        window.set_title("final")
        assert changes.next() == ("editor", "Editor", "final")


def test_a_window_without_properties_is_reported_without_values(
    desktop: XServer, foreground: ForegroundWatcher, changes: Changes
) -> None:
    display = Display(desktop.display)
    screen = display.screen()
    bare = screen.root.create_window(0, 0, 50, 50, 0, screen.root_depth)
    bare.map()
    display.sync()
    with KeyWindow(desktop.display, "after", "after"):
        assert changes.until("after") == ("after", "After", "after")
        bare.set_input_focus(X.RevertToNone, X.CurrentTime)
        display.sync()
        assert changes.next()[:2] == ("", "")
    display.close()


def test_the_last_window_closed_leaves_no_app(
    desktop: XServer, foreground: ForegroundWatcher, changes: Changes
) -> None:
    with KeyWindow(desktop.display, "only", "only"):
        changes.until("only")
    assert changes.next() == ("", "", "")


def test_a_restarted_server_is_watched_again(xserver: XServer, changes: Changes) -> None:
    foreground = ForegroundWatcher(changes)
    foreground.start()
    for title in ("one", "two"):
        with window_manager(xserver.display), KeyWindow(xserver.display, title):
            changes.until(title)
        xserver.stop()
        assert changes.until("") == ("", "", "")
        xserver.start()
    foreground.stop()


def test_the_watcher_can_be_stopped_at_any_time(xserver: XServer, changes: Changes) -> None:
    ForegroundWatcher(changes).stop()
    foreground = ForegroundWatcher(changes)
    foreground.start()
    foreground.stop()
    foreground.stop()
    assert not [thread for thread in threading.enumerate() if thread.name == "foreground"]


def test_a_window_manager_that_starts_later_is_used(xserver: XServer, changes: Changes) -> None:
    foreground = ForegroundWatcher(changes)
    assert "no window manager" in (foreground.get_unavailable_reason() or "")
    foreground.start()
    foreground.start()
    assert changes.next() == ("", "", "")
    with window_manager(xserver.display), KeyWindow(xserver.display, "later"):
        changes.until("later")
    foreground.stop()


def test_a_listener_that_fails_once_is_called_again(
    desktop: XServer, changes: Changes, caplog: pytest.LogCaptureFixture
) -> None:
    failing = [RuntimeError("not ready")]

    def report(executable: str, bundle_id: str, title: str) -> None:
        if failing:
            raise failing.pop()
        changes(executable, bundle_id, title)

    foreground = ForegroundWatcher(report)
    foreground.start()
    with KeyWindow(desktop.display, "still here"):
        changes.until("still here")
    foreground.stop()
    assert "trying again" in caplog.text


def test_a_watcher_reports_no_app_on_wayland(
    desktop: XServer, changes: Changes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    foreground = ForegroundWatcher(changes)
    foreground.start()
    assert changes.next() == ("", "", "")
    foreground.stop()


def test_the_reason_for_being_unavailable_is_returned(
    xserver: XServer, changes: Changes, monkeypatch: pytest.MonkeyPatch
) -> None:
    foreground = ForegroundWatcher(changes)
    assert "no window manager" in (foreground.get_unavailable_reason() or "")
    xserver.stop()
    assert "cannot be reached" in (foreground.get_unavailable_reason() or "")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert "this Wayland compositor does not tell" in (foreground.get_unavailable_reason() or "")
    monkeypatch.delenv("WAYLAND_DISPLAY")
    monkeypatch.delenv("DISPLAY")
    assert "no X display" in (foreground.get_unavailable_reason() or "")
    foreground.stop()


def test_the_polling_watcher_reports_only_changes(changes: Changes) -> None:
    looks = iter([("a", "", ""), ("a", "", ""), ("b", "", "t")])
    watcher = PollingWatcher(changes, lambda: next(looks, ("b", "", "t")), interval_s=0.001)
    watcher.start()
    assert [changes.next(), changes.next()] == [("a", "", ""), ("b", "", "t")]
    watcher.stop()
