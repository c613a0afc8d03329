"""Conductor started into the tray, as at login: its menu, notifications and window."""

import os
import signal
from collections.abc import Generator
from contextlib import ExitStack

import pytest
from tests.support.jack import MidiPeer
from tests.support.running import PADS, RunningConductor, running_conductor, wait_for
from tests.support.xserver import KeyWindow, XServer, window_manager
from tests.window.desktop import choose, click_tray, popups, run, tray, tray_place, windows
from tests.window.rig import free_tcp_port, window_environment, window_pids

pytestmark = [pytest.mark.x11, pytest.mark.window, pytest.mark.jack, pytest.mark.timeout(300)]
CONFIG = f"""{PADS}
[[modes]]
name = "Default"

[[modes.mappings]]
trigger = {{ type = "Note", note = 36, device = "pads" }}
action = {{ type = "Keystroke", keys = ["h"] }}

[[modes]]
name = "R&D"
"""
SHOW, MODES, PAUSE, PANIC, QUIT = 1, 2, 3, 4, 5
"""Positions of the entries in the menu."""


@pytest.fixture(scope="module")
def display(screen: XServer) -> Generator[str]:
    with window_manager(screen.display):
        yield screen.display


class TrayConductor:
    """A Conductor with its icon in the tray and its window hidden; started again when a test has ended it."""

    def __init__(self, display: str) -> None:
        self._display = display
        self._parts = ExitStack()
        self._running: RunningConductor | None = None

    def get(self) -> RunningConductor:
        """Return it as at login: the window hidden, in the first mode."""
        if self._running is None or not self._running.is_running:
            self.close()
            self._running = self._start()
        for window in seen(self._display):
            run(self._display, "wmctrl", "-i", "-c", window)  # closes it to the tray
        wait_for(lambda: seen(self._display), lambda windows: not windows)
        self._running.call("conductor_switch_mode", mode="Default")
        return self._running

    def close(self) -> None:
        self._parts.close()

    def _start(self) -> RunningConductor:
        environment = window_environment(self._display, free_tcp_port())
        arguments = ("run", "--window", "--hidden")
        self._parts.enter_context(tray(self._display))
        running = self._parts.enter_context(
            running_conductor(CONFIG, environment=environment, arguments=arguments)
        )
        running.wait_for_device("pads")
        wait_for(lambda: tray_place(self._display)["WIDTH"], lambda width: width > 10)
        return running


@pytest.fixture(scope="module")
def tray_conductor(display: str, pads_of_module: MidiPeer) -> Generator[TrayConductor]:
    conductor = TrayConductor(display)
    yield conductor
    conductor.close()


@pytest.fixture
def hidden(tray_conductor: TrayConductor) -> RunningConductor:
    return tray_conductor.get()


def pick(display: str, entry: int, *more: str) -> None:
    choose(display, *["Down"] * entry, *more, "Return")


def seen(display: str) -> list[str]:
    return windows(display, "Conductor")


def test_a_plan_of_an_agent_shows_a_notification_and_a_click_on_it_opens_the_window(
    hidden: RunningConductor, display: str
):
    hidden.call("conductor_create_mode", name="Loft")
    (message,) = wait_for(lambda: popups(display, ["TOOLTIP", "NOTIFICATION"]), bool)
    assert seen(display) == []
    run(display, "xdotool", "mousemove", "--window", str(message), "60", "30", "click", "1")
    wait_for(lambda: seen(display), bool)


def test_a_window_that_crashes_in_the_tray_restarts_there_and_a_click_shows_it(
    hidden: RunningConductor, display: str
):
    (before,) = window_pids(hidden)
    # The message of the click follows the one that the window was hidden, so Conductor knows both.
    pick(display, MODES, "Right", "Down")
    hidden.wait_status(lambda status: status["mode"] == "R&D")
    os.kill(before, signal.SIGKILL)
    wait_for(lambda: window_pids(hidden), lambda pids: pids not in ([], [before]))
    pick(display, MODES, "Right")
    hidden.wait_status(lambda status: status["mode"] == "Default")
    assert seen(display) == []
    click_tray(display, 1)
    wait_for(lambda: seen(display), bool)


def test_the_tray_menu_shows_switches_pauses_panics_and_quits(
    hidden: RunningConductor, display: str, window: KeyWindow, pads: MidiPeer
):
    assert seen(display) == []
    pick(display, MODES, "Right", "Down")
    hidden.wait_status(lambda status: status["mode"] == "R&D")
    pick(display, MODES, "Right")
    hidden.wait_status(lambda status: status["mode"] == "Default")

    pick(display, PAUSE)
    hidden.wait_status(lambda status: status["paused"])
    pick(display, PAUSE)
    hidden.wait_status(lambda status: not status["paused"])

    pads.send("90 24 64")
    wait_for(window.next_key, lambda key: key[:2] == ("h", True))
    pick(display, PANIC)
    wait_for(window.next_key, lambda key: key[:2] == ("h", False))

    pick(display, SHOW)
    wait_for(lambda: seen(display), bool)
    pick(display, QUIT)
    assert hidden.process.wait(30) == 0
