"""The app in front of a real Wayland compositor is reported by its events."""

import queue
import sys
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

import pytest
from tests.support.sway import Sway, WaylandWindow, sway

from conductor.system.doctor import check_system
from conductor.system.foreground import ForegroundWatcher, make_foreground_sources
from conductor.system.foreground_sway import SwaySource
from conductor.system.foreground_watch import (
    ForegroundSource,
    SourceWatcher,
    explain_unavailable_sources,
)
from conductor.system.wayland.toplevels import ToplevelSource

pytestmark = pytest.mark.wayland
WAIT_S = 10.0
SWITCHES = 50
App = tuple[str, str, str]
PYTHON = Path(sys.executable).resolve().name


class Changes:
    """The reported apps, in order."""

    def __init__(self) -> None:
        self._queue: queue.Queue[App] = queue.Queue()

    def __call__(self, executable: str, bundle_id: str, title: str) -> None:
        self._queue.put((executable, bundle_id, title))

    def next(self) -> App:
        return self._queue.get(timeout=WAIT_S)


@pytest.fixture(scope="module")
def compositor() -> Generator[Sway]:
    with sway() as compositor:
        yield compositor


@pytest.fixture(autouse=True)
def session(compositor: Sway, monkeypatch: pytest.MonkeyPatch) -> None:
    compositor.join(monkeypatch)


@pytest.fixture
def changes() -> Changes:
    return Changes()


def only_sway() -> Sequence[ForegroundSource]:
    return [SwaySource()]


def only_toplevels() -> Sequence[ForegroundSource]:
    return [ToplevelSource()]


@pytest.fixture(params=[(only_sway, PYTHON), (only_toplevels, None)], ids=["sway", "toplevels"])
def source(
    request: pytest.FixtureRequest,
) -> tuple[Callable[[], Sequence[ForegroundSource]], str | None]:
    """Return a source, and the executable of the test's windows as it reports it: None for the app id."""
    return request.param


def test_fifty_switches_and_changes_of_the_title_are_reported(
    compositor: Sway,
    changes: Changes,
    source: tuple[Callable[[], Sequence[ForegroundSource]], str | None],
) -> None:
    make, executable = source
    watcher = SourceWatcher(changes, make)
    watcher.start()
    assert changes.next() == ("", "", "")
    with WaylandWindow(compositor, "First", "one"):
        wait_until(changes, (executable or "one", "one", "First"))
        with WaylandWindow(compositor, "Second", "two") as second:
            wait_until(changes, (executable or "two", "two", "Second"))
            for number in range(SWITCHES):
                app_id, title = ("one", "First") if number % 2 == 0 else ("two", "Second")
                compositor.command(f'[app_id="{app_id}"] focus')
                wait_until(changes, (executable or app_id, app_id, title))
            second.set_title("Über")
            wait_until(changes, (executable or "two", "two", "Über"))
        wait_until(changes, (executable or "one", "one", "First"))
    wait_until(changes, ("", "", ""))
    watcher.stop()


def wait_until(changes: Changes, app: App) -> None:
    """Wait for an app; some compositors report a moment without an app during a switch."""
    while (seen := changes.next()) != app:
        assert seen[1] in ("", "one", "two")


def test_an_empty_workspace_has_no_app_in_front(compositor: Sway, changes: Changes) -> None:
    foreground = ForegroundWatcher(changes)
    foreground.start()
    with WaylandWindow(compositor, "Alone", "one"):
        wait_until(changes, (PYTHON, "one", "Alone"))
        compositor.command("workspace empty")
        assert changes.next() == ("", "", "")
        compositor.command("workspace back_and_forth")
        assert changes.next() == (PYTHON, "one", "Alone")
    foreground.stop()


def test_the_doctor_names_the_source_and_the_others() -> None:
    check = next(
        each for each in check_system(Path("/nowhere/token")) if each.name == "app in front"
    )
    assert check.ok
    assert check.detail == "Sway reports the active window"
    assert "niri: not running (NIRI_SOCKET is not set)" in check.notes
    assert "zwlr_foreign_toplevel_manager_v1: also works, but has lower priority" in check.notes
    assert explain_unavailable_sources(make_foreground_sources()) is None


def test_a_watcher_survives_the_end_of_the_compositor(
    changes: Changes, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sway() as own:
        own.join(monkeypatch)
        watcher = SourceWatcher(changes, make_foreground_sources)
        watcher.start()
        with WaylandWindow(own, "Own", "one"):
            wait_until(changes, (PYTHON, "one", "Own"))
    wait_until(changes, ("", "", ""))
    watcher.stop()
