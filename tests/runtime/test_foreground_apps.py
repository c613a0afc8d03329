"""The app in front: what the engine, the page and recordings are told of it."""

import queue
import socket
from typing import Any

import pytest

from conductor.runtime import foreground_apps
from conductor.system import foreground, foreground_watch
from conductor.system.foreground_watch import ReportApp

WAIT_S = 10.0
STOP = ("stop", "", "")


class EngineThatListens:
    def __init__(self) -> None:
        self.fronts: list[tuple[str, str, str]] = []

    def set_foreground_app(self, app: tuple[str, str, str]) -> None:
        self.fronts.append(app)


class WindowThatChanges:
    def __init__(self, on_change: Any) -> None:
        self.on_change = on_change

    def get_unavailable_reason(self) -> str | None:
        return None

    def start(self) -> None:
        self.on_change("firefox", "Navigator", "a" * 100_000)


def test_a_title_of_any_length_goes_on_as_256_characters(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(foreground, "ForegroundWatcher", WindowThatChanges)
    engine, page = EngineThatListens(), list[Any]()
    watched = foreground_apps.ForegroundApps(
        engine,
        lambda _topic, words: page.append(words),
        lambda _text: None,
    )
    watched.start(needed=False)
    assert engine.fronts == [("firefox", "Navigator", "a" * 256)]
    assert page[0]["title"] == "a" * 256


class WindowThatCannotTell(WindowThatChanges):
    def get_unavailable_reason(self) -> str:
        return "no X display"

    def start(self) -> None:
        self.on_change("", "", "")


def test_the_warning_stays_while_the_foreground_app_cannot_be_determined(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(foreground, "ForegroundWatcher", WindowThatCannotTell)
    problems: list[str | None] = []
    watched = foreground_apps.ForegroundApps(
        EngineThatListens(), lambda _topic, _words: None, problems.append
    )
    watched.start(needed=True)
    assert problems == ["profiles cannot follow the foreground app: no X display"]


class CountedSource:
    """A source of the foreground app that counts how often it was probed, and reports what the test sends."""

    name = "counted"

    def __init__(self) -> None:
        self.probe_count = 0
        self.watches: queue.Queue[None] = queue.Queue()
        self.reports: queue.Queue[tuple[str, str, str] | None] = queue.Queue()

    def get_unavailable_reason(self) -> str | None:
        self.probe_count += 1
        return None

    def watch_foreground_app(self, report: ReportApp, wake: socket.socket) -> bool:
        self.watches.put(None)
        while (app := self.reports.get(timeout=WAIT_S)) is not None:
            if app == STOP:
                return True
            report(app)
        return False  # the source has ended


def test_the_sources_are_probed_once_and_again_when_the_current_one_has_ended(
    monkeypatch: pytest.MonkeyPatch,
):
    source = CountedSource()
    monkeypatch.setattr(foreground, "make_foreground_sources", lambda: [source])
    monkeypatch.setattr(foreground_watch, "_RETRY_INTERVAL_S", 0.0)
    published: queue.Queue[str] = queue.Queue()

    def publish(_topic: str, words: Any) -> None:
        published.put(words["title"])

    watched = foreground_apps.ForegroundApps(EngineThatListens(), publish, lambda _text: None)
    watched.start(needed=True)
    for number in range(50):
        source.reports.put(("firefox", "Navigator", f"page {number}"))
        assert published.get(timeout=WAIT_S) == f"page {number}"
        assert watched.get_problem() is None
    assert source.probe_count == 1
    source.reports.put(None)
    for _ in range(2):
        source.watches.get(timeout=WAIT_S)
    assert watched.get_problem() is None
    probe_count = source.probe_count
    assert probe_count > 1
    source.reports.put(("firefox", "Navigator", "again"))
    assert published.get(timeout=WAIT_S) == "again", "the last app was kept meanwhile"
    assert watched.get_problem() is None
    assert source.probe_count == probe_count
    source.reports.put(STOP)
    watched.stop()
