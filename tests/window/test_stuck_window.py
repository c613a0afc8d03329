"""A window that hangs while an answer streams and pads are played: what the app keeps for it, and what it shows after.

The app runs in this process, so that its memory can be measured; the window, the engine and the page are the real ones.
"""

import asyncio
import os
import signal
import threading
import tracemalloc
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
from playwright.sync_api import Page, Playwright, expect
from tests.journeys.stage import go
from tests.support.engine_forks import fork_engines_of, fork_windows_of
from tests.support.llm_server import LlmServer
from tests.support.running import mapped, short_home
from tests.support.xserver import XServer
from tests.window.conftest import LOOK_FOR_MS
from tests.window.rig import free_tcp_port, page_of, window_environment

from conductor.app.build import App
from conductor.domain.wire_rows import EventRow, TraceRow
from conductor.runtime.events import TRACE_TOPIC

pytestmark = [pytest.mark.x11, pytest.mark.window, pytest.mark.timeout(300)]
WAIT_S = 60
WORDS = " ".join(f"word{number}" for number in range(200))
ANSWER = {
    "match": {"userMessage": "speak long"},
    "response": {"content": WORDS},
    "chunkSize": 4,
    "streamingProfile": {"tps": 100},
}
BURSTS, BURST, EVERY_S = 200, 50, 0.02
WEIGHT = 4_000
KEPT_AT_MOST = 20_000_000
"""Bytes. All traces weigh more than three times as much."""
Result = TypeVar("Result")


class Desktop:
    """An app and its window, on a loop of their own."""

    def __init__(self, home: Path, environment: dict[str, str]) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        fork_engines_of(home)
        fork_windows_of(home)
        self.app = self._do(self._make(home))
        self._serving = asyncio.run_coroutine_threadsafe(self.app.run(), self._loop)
        self._do(self.app.window.open_window(environment))
        self.asked = 0
        """Questions that the tests have asked."""

    async def _make(self, home: Path) -> App:
        return App(home, asyncio.Event())

    def _do(self, work: Coroutine[Any, Any, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(WAIT_S)

    def pid(self) -> int | None:
        window = self.app.window.get_window()
        return None if window is None else window.pid

    def pages(self) -> int:
        return self.app.pages.page_count

    def play(self) -> None:
        """Send pad events to the page, much faster than a person can play."""
        pause = threading.Event()
        for number in range(BURSTS * BURST):
            event: EventRow = {
                "kind": "note_on",
                "device": "d",
                "channel": 1,
                "number": number % 128,
                "value": 1,
                "time": float(number),
            }
            trace: TraceRow = {
                "sequence": number,
                "event": event,
                "outcome": "unmatched",
                "mode": "Default",
                "profile": None,
                "candidates": [],
                "effects": [],
                "note": f"{number:>{WEIGHT}}",
            }
            self.app.bus.publish(TRACE_TOPIC, trace)
            if number % BURST == 0:
                pause.wait(EVERY_S)

    def close(self) -> None:
        self.app.request_quit()
        self._serving.result(WAIT_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(WAIT_S)
        self._loop.close()


@contextmanager
def desktop(home: Path, environment: dict[str, str]) -> Generator[Desktop]:
    running = Desktop(home, environment)
    try:
        yield running
    finally:
        running.close()


@contextmanager
def standing_still(pid: int) -> Generator[None]:
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def config(server: LlmServer, name: str) -> str:
    row = ("{ type = 'Note', note = 36 }", "{ type = 'Keystroke', keys = ['h'] }")
    provider = f'kind = "custom"\nbase_url = "{server.base_url("custom")}"\nmodel = "gpt-sim"'
    llm = f'[llm]\ndefault_provider = "sim"\n\n[llm.providers.sim]\n{provider}\n'
    return mapped(row, more=llm).replace("trigger =", f"description = '{name}'\ntrigger =")


def ask(page: Page, words: str) -> None:
    box = page.get_by_role("textbox", name="Message")
    box.fill(words)
    box.press("Enter")


@pytest.fixture(scope="module")
def file() -> Generator[Path]:
    """Return the path of the config."""
    with short_home() as home:
        yield home / "config.toml"


@pytest.fixture(scope="module")
def running(
    playwright: Playwright, screen: XServer, server: LlmServer, file: Path
) -> Generator[tuple[Desktop, Page]]:
    """Run an app with its window, for both tests."""
    server.add(ANSWER)
    file.write_text(config(server, "as it was"))
    port = free_tcp_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JACK_DEFAULT_SERVER", "none")
        with desktop(file.parent, dict(window_environment(screen.display, port))) as it:
            page = page_of(playwright, port)
            page.set_default_timeout(LOOK_FOR_MS)
            yield it, page


@pytest.mark.parametrize("stuck_after_s", [30.0, 0.5], ids=["waited for", "left out as stuck"])
def test_a_stuck_window_costs_no_memory_and_shows_everything_once_it_continues(
    running: tuple[Desktop, Page],
    server: LlmServer,
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    stuck_after_s: float,
) -> None:
    it, page = running
    answers = page.get_by_role("article", name="Answer")
    changed = f"changed while stuck for {stuck_after_s} s"
    go(page, "Chat")
    ask(page, "speak long")
    it.asked += 1
    expect(answers).to_have_count(it.asked)
    expect(answers.last).to_contain_text("word5")
    go(page, "Monitor")
    monkeypatch.setattr("conductor.window.supervisor.STUCK_PAGE_TIMEOUT_S", stuck_after_s)
    monkeypatch.setattr("conductor.window.supervisor.MAX_PENDING_EVENT_BATCHES", 8)
    pid = it.pid()
    assert pid is not None
    with standing_still(pid):
        file.write_text(config(server, changed))
        tracemalloc.start()
        before, _ = tracemalloc.get_traced_memory()
        it.play()
        after, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert after - before < KEPT_AT_MOST
        assert it.pages() == (stuck_after_s > 1)
    go(page, "Chat")
    expect(answers).to_have_count(it.asked)
    expect(answers.last).to_contain_text(WORDS)
    go(page, "Mappings")
    expect(page.get_by_text(changed)).to_be_visible()
    assert it.pages() == 1
