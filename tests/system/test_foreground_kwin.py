"""The script that Conductor gives to KWin reports the active window. Node runs it, with KWin's globals."""

import os
import queue
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.support.kwin import kwin
from tests.support.portal import session_bus

from conductor.system.foreground_kwin import KwinSource
from conductor.system.foreground_watch import SourceWatcher

WAIT_S = 10.0
PYTHON = Path(sys.executable).resolve().name
Apps = queue.Queue[tuple[str, str, str]]


@pytest.fixture
def bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[str]:
    with session_bus(tmp_path) as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
        yield address


@pytest.fixture
def apps() -> Apps:
    return queue.Queue()


def start_watcher(apps: Apps) -> SourceWatcher:
    def report(executable: str, bundle_id: str, title: str) -> None:
        apps.put((executable, bundle_id, title))

    watcher = SourceWatcher(report, lambda: [KwinSource()])
    watcher.start()
    return watcher


@pytest.mark.parametrize("plasma", [5, 6])
def test_the_active_window_of_kwin_is_reported(bus: str, apps: Apps, plasma: int) -> None:
    with kwin(bus, plasma) as desktop:
        assert KwinSource().get_unavailable_reason() is None
        watcher = start_watcher(apps)
        assert apps.get(timeout=WAIT_S) == ("", "", "")
        desktop.activate("editor", "Text", os.getpid())
        assert apps.get(timeout=WAIT_S) == (PYTHON, "editor", "Text")
        desktop.activate("game", "Play")
        assert apps.get(timeout=WAIT_S) == ("game", "game", "Play")
        desktop.set_title("editor", "a window behind")
        desktop.set_title("game", "Über")
        assert apps.get(timeout=WAIT_S) == ("game", "game", "Über")
        desktop.activate(None)
        assert apps.get(timeout=WAIT_S) == ("", "", "")
        watcher.stop()


def test_a_restarted_kwin_gets_the_script_again(bus: str, apps: Apps) -> None:
    with kwin(bus) as first:
        watcher = start_watcher(apps)
        first.activate("editor", "Text")
        while apps.get(timeout=WAIT_S)[1] != "editor":
            pass
    with kwin(bus) as second:
        assert apps.get(timeout=WAIT_S) == ("", "", "")
        second.activate("game", "Play")
        assert apps.get(timeout=WAIT_S) == ("game", "game", "Play")
        watcher.stop()


def test_without_kwin_the_reason_is_returned(bus: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert KwinSource().get_unavailable_reason() == "not running"
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"{bus.partition(',')[0]}-missing")
    assert "no session bus" in (KwinSource().get_unavailable_reason() or "")
