"""The app in front: what the engine, the page and recordings are told of it."""

from typing import Any

import pytest

from conductor.runtime import foreground_apps
from conductor.system import foreground


class EngineThatListens:
    def __init__(self) -> None:
        self.fronts: list[tuple[str, str, str]] = []

    def set_foreground_app(self, app: tuple[str, str, str]) -> None:
        self.fronts.append(app)


class WindowThatChanges:
    def __init__(self, on_change: Any) -> None:
        self.on_change = on_change

    def why_unavailable(self) -> str | None:
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
    def why_unavailable(self) -> str:
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
