"""The app in front is read from the sockets of Hyprland and niri, which fakes of the test serve here.

Their messages are those of https://wiki.hypr.land/IPC/ and https://docs.rs/niri-ipc.
"""

import json
import os
import queue
import select
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from conductor.system.foreground_hyprland import HyprlandSource
from conductor.system.foreground_niri import NiriSource
from conductor.system.foreground_watch import (
    ForegroundSource,
    ReportApp,
    SourceWatcher,
    explain_unavailable_sources,
    probe_sources,
)

WAIT_S = 10.0
PYTHON = Path(sys.executable).resolve().name
App = tuple[str, str, str]


class Changes:
    """The reported apps, in order."""

    def __init__(self) -> None:
        self._queue: queue.Queue[App] = queue.Queue()

    def __call__(self, executable: str, bundle_id: str, title: str) -> None:
        self._queue.put((executable, bundle_id, title))

    def next(self) -> App:
        return self._queue.get(timeout=WAIT_S)


@pytest.fixture
def changes() -> Changes:
    return Changes()


@pytest.fixture
def folder() -> Generator[Path]:
    with tempfile.TemporaryDirectory(prefix="ipc-", dir="/tmp") as name:
        yield Path(name)


class Server:
    """A socket that answers each connection with a function in a thread."""

    def __init__(self, path: Path, serve: Callable[[socket.socket], None]) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(path))
        self._socket.listen()
        self._serve = serve
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            self._serve(client)

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(WAIT_S)
        self._socket.close()


class Hyprland:
    """The two sockets of Hyprland, with one active window."""

    def __init__(self, folder: Path) -> None:
        path = folder / "hypr" / "signature"
        path.mkdir(parents=True)
        self.window: dict[str, Any] = {}
        self._listeners: queue.Queue[socket.socket] = queue.Queue()
        self._requests = Server(path / ".socket.sock", self._answer)
        self._events = Server(path / ".socket2.sock", self._listeners.put)
        self._listener: socket.socket | None = None

    def activate(self, window: dict[str, Any], event: str) -> None:
        self.window = window
        if self._listener is None:
            self._listener = self._listeners.get(timeout=WAIT_S)
        data = f"workspace>>2\n{event}\n".encode()
        self._listener.sendall(data[:5])  # an event may arrive in pieces
        self._listener.sendall(data[5:])

    def close(self) -> None:
        if self._listener is not None:
            self._listener.close()
        self._requests.close()
        self._events.close()

    def _answer(self, client: socket.socket) -> None:
        with client:
            assert client.recv(100) == b"j/activewindow"
            client.sendall(json.dumps(self.window).encode())


def watch(changes: Changes, source: ForegroundSource) -> SourceWatcher:
    watcher = SourceWatcher(changes, lambda: [source])
    watcher.start()
    return watcher


def test_the_active_window_of_hyprland_is_reported(
    folder: Path, changes: Changes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    monkeypatch.setenv("HYPRLAND_INSTANCE_SIGNATURE", "signature")
    hyprland = Hyprland(folder)
    assert HyprlandSource().get_unavailable_reason() is None
    watcher = watch(changes, HyprlandSource())
    assert changes.next() == ("", "", "")
    window = {"class": "editor", "title": "Text", "pid": os.getpid()}
    hyprland.activate(window, "activewindow>>editor,Text")
    assert changes.next() == (PYTHON, "editor", "Text")
    hyprland.activate(window | {"title": "Über"}, "windowtitle>>80e62df0")
    assert changes.next() == (PYTHON, "editor", "Über")
    hyprland.activate({"class": "game", "title": "Play", "pid": 0}, "activewindow>>game,Play")
    assert changes.next() == ("game", "game", "Play")
    hyprland.activate({}, "activewindow>>,")
    assert changes.next() == ("", "", "")
    watcher.stop()
    hyprland.close()


class Niri:
    """The socket of niri, which streams events to one client."""

    def __init__(self, path: Path) -> None:
        self._clients: queue.Queue[socket.socket] = queue.Queue()
        self._server = Server(path, self._clients.put)
        self._client: socket.socket | None = None

    def send(self, *events: object) -> None:
        if self._client is None:
            self._client = self._clients.get(timeout=WAIT_S)
            assert self._client.recv(100) == b'"EventStream"\n'
        data = "".join(json.dumps(event) + "\n" for event in events).encode()
        self._client.sendall(data[:9])  # an event may arrive in pieces
        self._client.sendall(data[9:])

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
        self._server.close()


def test_the_focused_window_of_niri_is_reported(
    folder: Path, changes: Changes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIRI_SOCKET", str(folder / "niri"))
    niri = Niri(folder / "niri")
    watcher = watch(changes, NiriSource())
    editor = {"id": 1, "app_id": "editor", "title": "Text", "pid": os.getpid(), "is_focused": True}
    game = {"id": 2, "app_id": "game", "title": "Play", "pid": None, "is_focused": True}
    niri.send({"Ok": "Handled"}, {"WindowsChanged": {"windows": [editor]}})
    assert changes.next() == (PYTHON, "editor", "Text")
    niri.send({"WindowOpenedOrChanged": {"window": game}})
    assert changes.next() == ("game", "game", "Play")
    niri.send({"KeyboardLayoutSwitched": {"idx": 0}}, {"WindowFocusChanged": {"id": 1}})
    assert changes.next() == (PYTHON, "editor", "Text")
    niri.send({"WindowOpenedOrChanged": {"window": editor | {"title": "Über"}}})
    assert changes.next() == (PYTHON, "editor", "Über")
    niri.send({"WindowClosed": {"id": 1}})
    assert changes.next() == ("", "", "")
    niri.send({"WindowFocusChanged": {"id": 2}})
    assert changes.next() == ("game", "game", "Play")
    niri.send({"WindowFocusChanged": {"id": None}})
    assert changes.next() == ("", "", "")
    watcher.stop()
    niri.close()


@pytest.mark.parametrize("source", [HyprlandSource(), NiriSource()])
def test_a_desktop_that_has_ended_is_named(
    folder: Path, source: ForegroundSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "not running" in (source.get_unavailable_reason() or "")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    monkeypatch.setenv("HYPRLAND_INSTANCE_SIGNATURE", "ended")
    monkeypatch.setenv("NIRI_SOCKET", str(folder / "ended"))
    assert "cannot be reached" in (source.get_unavailable_reason() or "")


class Confused:
    """A source that answers with what nobody expects."""

    name = "confused"

    def get_unavailable_reason(self) -> str | None:
        raise KeyError("nodes")

    def watch_foreground_app(self, report: ReportApp, wake: socket.socket) -> bool:
        raise KeyError("nodes")


class Steady:
    """A source that always has the same app."""

    name = "steady"

    def get_unavailable_reason(self) -> str | None:
        return None

    def watch_foreground_app(self, report: ReportApp, wake: socket.socket) -> bool:
        report(("editor", "", ""))
        select.select([wake], [], [])
        return True


def test_an_unexpected_answer_of_one_source_does_not_hide_the_others(changes: Changes) -> None:
    sources: list[ForegroundSource] = [Confused(), Steady()]
    assert explain_unavailable_sources(sources) is None
    confused, steady = probe_sources(sources)
    assert "unexpected answer" in str(confused.problem)
    assert steady.problem is None
    watcher = SourceWatcher(changes, lambda: sources)
    watcher.start()
    assert changes.next() == ("editor", "", "")
    watcher.stop()


class Scripted:
    """A source that reports an app, or none, and then ends in the next way of the test's list."""

    name = "scripted"

    def __init__(self, *ways: tuple[str, Exception | bool]) -> None:
        self._ways = list(ways)

    def get_unavailable_reason(self) -> str | None:
        return None

    def watch_foreground_app(self, report: ReportApp, wake: socket.socket) -> bool:
        app, end = self._ways.pop(0) if self._ways else ("end", True)
        if app:
            report((app, "", ""))
        if isinstance(end, Exception):
            raise end
        if end:
            select.select([wake], [], [])
        return end


def watch_until_end(
    source: Scripted, monkeypatch: pytest.MonkeyPatch, fail: Callable[[str], object] = lambda _: 0
) -> list[str]:
    """Watch a source until it reports `end`. Return the executables that the listener accepted."""
    monkeypatch.setattr("conductor.system.foreground_watch._RETRY_INTERVAL_S", 0.01)
    accepted: list[str] = []
    ended = threading.Event()

    def listen(executable: str, _bundle_id: str, _title: str) -> None:
        fail(executable)
        accepted.append(executable)
        if executable == "end":
            ended.set()

    watcher = SourceWatcher(listen, lambda: [source])
    watcher.start()
    assert ended.wait(WAIT_S), accepted
    watcher.stop()
    return accepted


def test_the_last_app_is_kept_until_a_source_answers_or_none_works(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unexpected = KeyError("nodes")
    found_again = Scripted(("editor", False), ("editor", unexpected), ("browser", False))
    assert watch_until_end(found_again, monkeypatch) == ["editor", "browser", "end"]
    lost = Scripted(("editor", False), ("", False), ("", unexpected), ("editor", False))
    assert watch_until_end(lost, monkeypatch) == ["editor", "", "editor", "end"]


def test_a_listener_that_fails_hears_the_app_again_and_never_that_there_is_none(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failures = {"browser": [OSError("full"), OSError("full"), OSError("gone")]}

    def fail(executable: str) -> None:
        if failures.get(executable):
            raise failures[executable].pop(0)

    source = Scripted(("editor", False), *[("browser", False)] * 4, ("editor", False))
    accepted = watch_until_end(source, monkeypatch, fail)
    assert accepted == ["editor", "browser", "editor", "end"]
    assert len(caplog.records) == 2, "once for each reason"


def test_a_failure_is_logged_again_when_its_reason_changes_or_it_worked_in_between(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    nodes, pid = KeyError("nodes"), KeyError("pid")
    watch_until_end(Scripted(("", nodes), ("", nodes), ("", pid), ("", nodes)), monkeypatch)
    assert len(caplog.records) == 3
    caplog.clear()
    watch_until_end(Scripted(("", nodes), ("editor", False), ("", nodes)), monkeypatch)
    assert len(caplog.records) == 2
