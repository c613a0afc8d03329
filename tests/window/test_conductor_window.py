"""`conductor` with its window, as a user starts it: one instance, and an engine that outlives the window."""

import os
import signal
from collections.abc import Generator

import pytest
from playwright.sync_api import Page, Playwright
from tests.cli.at_the_keys import at_the_keys
from tests.support.jack import MidiPeer
from tests.support.processes import alive
from tests.support.running import (
    RunningConductor,
    conductor_environment,
    mapped,
    running_conductor,
    short_home,
    wait_for,
)
from tests.support.running import conductor as run_conductor
from tests.support.xserver import KeyWindow, XServer, x_server
from tests.window.desktop import windows
from tests.window.rig import free_tcp_port, page_of, window_environment, window_pids

pytestmark = [pytest.mark.x11, pytest.mark.window, pytest.mark.jack, pytest.mark.timeout(300)]
HEADLESS = ("run", "--headless", "--quiet")
NOTE = "{ type = 'Note', note = 36 }"
KEY = "{ type = 'Keystroke', keys = ['h'] }"
PRESS, RELEASE = "90 24 64", "80 24 00"


class WindowedConductor:
    """A Conductor and the page in its window."""

    def __init__(self, playwright: Playwright, conductor: RunningConductor, port: int) -> None:
        self._playwright = playwright
        self.conductor = conductor
        self.port = port

    def page(self) -> Page:
        return page_of(self._playwright, self.port)

    def window_pids(self) -> list[int]:
        return window_pids(self.conductor)


@pytest.fixture(scope="module")
def shown(
    playwright: Playwright, screen: XServer, pads_of_module: MidiPeer
) -> Generator[WindowedConductor]:
    port = free_tcp_port()
    environment = window_environment(screen.display, port)
    config = mapped((NOTE, KEY))
    with running_conductor(config, environment=environment, arguments=(), as_fork=False) as running:
        running.wait_for_device("pads")
        yield WindowedConductor(playwright, running, port)


def test_conductor_alone_opens_the_window_and_its_page_is_painted(shown: WindowedConductor):
    page = shown.page()
    page.wait_for_selector("text=Conductor")
    wait_for(lambda: page.evaluate("innerWidth"), lambda width: width >= 900)
    wait_for(lambda: page.evaluate("location.hash"), lambda part: part == "")


def test_a_second_start_shows_the_window_of_the_first_and_ends_well(shown: WindowedConductor):
    before = shown.window_pids()
    done = shown.conductor.cli()
    assert (done.returncode, done.stderr) == (0, "")
    assert "already running" in done.stdout
    assert shown.window_pids() == before


def test_a_killed_window_is_restarted_while_the_engine_keeps_mapping(
    shown: WindowedConductor, window: KeyWindow, pads: MidiPeer
):
    engine, (before,) = shown.conductor.engine_pid, shown.window_pids()
    pads.send(PRESS)
    key = window.next_key()
    assert (key.name, key.pressed) == ("h", True)

    os.kill(before, signal.SIGKILL)
    assert (window.next_key().name, shown.conductor.engine_pid) == ("h", engine)
    for _ in range(5):
        pads.send(RELEASE)
        pads.send(PRESS)
        assert [window.next_key().pressed for _ in range(2)] == [True, False]

    (after,) = wait_for(shown.window_pids, lambda pids: pids not in ([], [before]))
    assert after != before
    page = shown.page()
    wait_for(lambda: page.evaluate("innerWidth"), lambda width: width >= 900)
    assert shown.conductor.engine_pid == engine


def test_the_end_of_the_app_is_the_end_of_the_window_even_when_it_is_killed(
    shown: WindowedConductor,
):
    left = shown.conductor.kill()
    assert left
    wait_for(lambda: alive(left), lambda pids: not pids)


@pytest.fixture(scope="module")
def unseen(playwright: Playwright, screen: XServer) -> Generator[WindowedConductor]:
    """Run a Conductor that was started without a display."""
    port = free_tcp_port()
    windowed = window_environment(screen.display, port)
    bare = {"DISPLAY": "", "QTWEBENGINE_REMOTE_DEBUGGING": windowed["QTWEBENGINE_REMOTE_DEBUGGING"]}
    with running_conductor("", environment=bare, arguments=HEADLESS, own_process=True) as running:
        yield WindowedConductor(playwright, running, port)


def test_without_a_display_a_second_start_reports_why_there_is_no_window(unseen: WindowedConductor):
    environment = unseen.conductor.environment
    done = run_conductor("run", "--window", environment=environment, own_process=True)
    assert done.returncode == 1
    assert "there is no display" in done.stderr
    assert "conductor run --browser" in done.stderr
    assert unseen.conductor.status()["engine"]["running"]


def test_a_window_attaches_for_the_user_at_a_terminal_to_a_conductor_that_runs_without_one(
    unseen: WindowedConductor, screen: XServer
):
    windowed = window_environment(screen.display, unseen.port)
    environment = conductor_environment(unseen.conductor.home, windowed)
    refused = run_conductor(environment=environment, own_process=True)
    assert "started without a display" in refused.stderr
    with at_the_keys(environment) as keys:
        assert keys.ends() == 0, keys.shown
    page = unseen.page()
    wait_for(lambda: page.evaluate("innerWidth"), lambda width: width >= 900)
    assert len(unseen.window_pids()) == 1


def test_a_display_that_does_not_answer_ends_the_start_with_a_reason():
    with short_home() as home:
        environment = conductor_environment(home, {"DISPLAY": ":9", "JACK_DEFAULT_SERVER": "none"})
        done = run_conductor("run", "--window", environment=environment, own_process=True)
        assert done.returncode == 1
        assert "the display :9 does not answer" in done.stderr
        assert "conductor run --browser" in done.stderr


def test_the_end_of_the_display_ends_a_conductor_started_for_its_window_with_a_reason():
    with x_server() as server:
        environment = window_environment(server.display, free_tcp_port())
        with running_conductor(
            "", environment=environment, arguments=(), own_process=True
        ) as running:
            wait_for(lambda: windows(server.display, "Conductor"), bool)
            server.stop()
            assert running.process.wait(60) == 1
            reason = f"the display {server.display} does not answer"
            assert "Conductor has ended because the window has closed" in running.log()
            assert reason in running.log()
            assert reason in (running.home / "logs" / "conductor.log").read_text()
