"""A pad presses keys in a Wayland session, a profile follows the app in front, and no death leaves a key down."""

import os
import signal
from collections.abc import Generator

import pytest
from tests.support.jack import MidiPeer
from tests.support.running import RunningConductor, mapped, running_conductor
from tests.support.sway import Sway, WaylandWindow, sway

pytestmark = [pytest.mark.jack, pytest.mark.wayland]
HOLD = (
    "{ type = 'Note', note = 36, device = 'pads' }",
    "{ type = 'Keystroke', keys = ['shift', 'h'], hold = 'while_held' }",
)
TYPE = (
    "{ type = 'Note', note = 37, device = 'pads' }",
    "{ type = 'Text', text = 'é€🎹' }",
)
PROFILE = """
[[profiles]]
name = "Editor"
match = { executable = "editor" }
"""


@pytest.fixture(scope="module")
def compositor() -> Generator[Sway]:
    with sway() as compositor:
        yield compositor


@pytest.fixture
def window(compositor: Sway) -> Generator[WaylandWindow]:
    with WaylandWindow(compositor) as window:
        yield window


@pytest.fixture
def conductor(compositor: Sway, pads: MidiPeer) -> Generator[RunningConductor]:
    with running_conductor(
        mapped(HOLD, TYPE, more=PROFILE), environment=compositor.environment, own_process=True
    ) as running:
        running.wait_for_device("pads")
        yield running


def press_and_hold(pads: MidiPeer, window: WaylandWindow) -> None:
    pads.send("90 24 64")
    keys = [window.next_key() for _ in range(2)]
    assert [(key.name, key.pressed) for key in keys] == [("Shift_L", True), ("H", True)]


def wait_until_all_keys_are_up(window: WaylandWindow) -> None:
    keys = [window.next_key() for _ in range(2)]
    assert [key.pressed for key in keys] == [False, False]
    assert not window.down


def test_a_pad_presses_keys_and_types_and_the_status_names_the_way(
    conductor: RunningConductor, pads: MidiPeer, window: WaylandWindow
) -> None:
    press_and_hold(pads, window)
    assert conductor.status()["input_route"] == "Wayland virtual keyboard"
    assert "keys by   Wayland virtual keyboard" in conductor.cli("status").stdout
    pads.send("80 24 00")
    wait_until_all_keys_are_up(window)
    pads.send("90 25 64")
    assert window.next_text(3) == "é€🎹"


def test_no_key_stays_down_when_the_engine_is_killed_and_the_next_one_works(
    conductor: RunningConductor, pads: MidiPeer, window: WaylandWindow
) -> None:
    press_and_hold(pads, window)
    os.kill(conductor.status()["engine"]["pid"], signal.SIGKILL)
    wait_until_all_keys_are_up(window)
    conductor.wait_status(
        lambda status: (
            status["engine"]["restarts"] == 1
            and status["config"]["active"]
            and status["input_route"] is not None
        )
    )
    conductor.wait_for_device("pads")
    press_and_hold(pads, window)
    pads.send("80 24 00")
    wait_until_all_keys_are_up(window)


def test_no_key_stays_down_when_the_app_is_killed(
    conductor: RunningConductor, pads: MidiPeer, window: WaylandWindow
) -> None:
    press_and_hold(pads, window)
    conductor.kill()
    wait_until_all_keys_are_up(window)


def test_a_profile_follows_the_app_in_front(
    compositor: Sway, conductor: RunningConductor, window: WaylandWindow
) -> None:
    conductor.use(mapped(HOLD, more=PROFILE.replace("executable", "bundle_id")))
    conductor.wait_status(lambda status: status["profile"] is None)
    with WaylandWindow(compositor, "Text", "editor"):
        conductor.wait_status(lambda status: status["profile"] == "Editor")
    conductor.wait_status(lambda status: status["profile"] is None)
