"""`conductor` without Qt: its page in an app window of a browser, and what the command line gives away."""

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from tests.support.page import Page
from tests.support.running import RunningConductor, conductor_environment, running_conductor
from tests.support.running import conductor as run_conductor
from tests.window.fake_browser import FakeBrowser, FakeBrowsers, fake_browsers
from websockets.exceptions import ConnectionClosed

pytestmark = pytest.mark.timeout(300)
CONFIG = "[[modes]]\nname = 'Default'\n"


@pytest.fixture
def chromium(tmp_path: Path) -> Generator[FakeBrowsers]:
    with fake_browsers(tmp_path, "chromium", "xdg-open") as browsers:
        yield browsers


@pytest.fixture
def default_browser(tmp_path: Path) -> Generator[FakeBrowsers]:
    with fake_browsers(tmp_path, "xdg-open") as browsers:
        yield browsers


def started_by(browsers: FakeBrowsers, *more: str) -> AbstractContextManager[RunningConductor]:
    return running_conductor(
        CONFIG, environment=browsers.environment, arguments=("run", "--window", *more)
    )


def second_start(running: RunningConductor) -> str:
    """Start `conductor` again, as a second double click does, and return what it prints."""
    done = run_conductor("run", "--window", environment=running.environment, own_process=True)
    return done.stdout + done.stderr


def run_in_thread(work: Callable[[], str]) -> Callable[[], str]:
    """Run work in a thread; the returned function waits for its result."""
    threads = ThreadPoolExecutor(1)
    result = threads.submit(work)
    threads.shutdown(wait=False)
    return result.result


def can_change(browser: FakeBrowser) -> bool:
    return browser.call("engine.panic") != "not_allowed"


def ends_by_itself(running: RunningConductor) -> bool:
    return running.process.wait(45) == 0


def test_the_page_opens_in_an_app_window_and_closing_it_ends_conductor(chromium: FakeBrowsers):
    with started_by(chromium) as running:
        browser = chromium.wait_for_start()
        assert f"--app={browser.address}" in browser.arguments
        assert f"--user-data-dir={running.home / 'browser'}" in browser.arguments
        assert "--class=conductor" in browser.arguments
        assert browser.open_page() == "open"
        assert can_change(browser)
        assert "app window of Chromium" in running.status()["window"]
        browser.close()
        assert ends_by_itself(running)


def test_a_page_that_reloads_keeps_conductor_running(chromium: FakeBrowsers):
    with started_by(chromium) as running:
        browser = chromium.wait_for_start()
        browser.open_page()
        assert browser.reload_page() == "open"
        assert can_change(browser)
        browser.close()
        assert ends_by_itself(running)


def test_only_the_browser_itself_can_use_the_address_in_its_command_line(chromium: FakeBrowsers):
    with started_by(chromium) as running:
        browser = chromium.wait_for_start()
        with pytest.raises(ConnectionClosed):
            Page(browser.address)
        assert browser.open_page() == "open"
        assert can_change(browser)
        with pytest.raises(ConnectionClosed):
            Page(browser.address)
        assert "tried to open page 1" in running.log()


def test_a_second_start_opens_the_page_again_and_conductor_ends_with_the_last(
    chromium: FakeBrowsers,
):
    with started_by(chromium) as running:
        first = chromium.wait_for_start()
        first.open_page()
        again = run_in_thread(lambda: second_start(running))
        second = chromium.wait_for_start()
        assert second.address != first.address
        second.open_page()
        assert "already running" in again()
        assert can_change(second)
        first.close()
        assert can_change(second)
        second.close()
        assert ends_by_itself(running)


def test_the_end_of_conductor_closes_the_app_window(chromium: FakeBrowsers):
    with started_by(chromium) as running:
        browser = chromium.wait_for_start()
        browser.open_page()
        running.stop()
        assert browser.wait_until_ended()


def test_a_hidden_start_opens_the_page_at_the_next_start(chromium: FakeBrowsers):
    with started_by(chromium, "--hidden") as running:
        again = run_in_thread(lambda: second_start(running))
        browser = chromium.wait_for_start()
        browser.open_page()
        again()
        browser.close()
        assert ends_by_itself(running)


def test_without_an_app_mode_the_default_browser_opens_the_page(default_browser: FakeBrowsers):
    with started_by(default_browser) as running:
        browser = default_browser.wait_for_start()
        assert browser.arguments == [browser.address]
        assert browser.open_page() == "open"
        assert can_change(browser)
        browser.close()
        assert ends_by_itself(running)


def test_a_page_that_a_second_start_opens_in_the_default_browser_must_be_confirmed(
    default_browser: FakeBrowsers,
):
    """Any program can start Conductor again, and read the address in the list of processes."""
    with started_by(default_browser) as running:
        first = default_browser.wait_for_start()
        first.open_page()
        again = run_in_thread(lambda: second_start(running))
        second = default_browser.wait_for_start()
        second.open_page()
        again()
        assert not can_change(second)
        assert "conductor pages confirm 2" in " ".join(running.status()["notices"])
        first.call("pages.confirm", number=2)
        assert can_change(second)


def test_a_browser_that_fails_ends_conductor_with_the_reason(tmp_path: Path):
    with fake_browsers(tmp_path, "chromium") as browsers:
        (tmp_path / "chromium").write_text("#!/bin/sh\nexit 3\n")
        text = failed_start(tmp_path, browsers)
    assert "Chromium has ended: see logs/browser.log" in text


def test_without_any_browser_conductor_says_how_to_get_an_address(tmp_path: Path):
    with fake_browsers(tmp_path) as browsers:
        text = failed_start(tmp_path, browsers)
    assert "no browser was found: install Chromium, Chrome, Edge or Brave" in text
    assert "conductor run --browser" in text


def failed_start(home: Path, browsers: FakeBrowsers) -> str:
    environment = conductor_environment(home, browsers.environment)
    done = run_conductor("run", "--window", environment=environment, own_process=True)
    assert done.returncode == 1
    return done.stderr
