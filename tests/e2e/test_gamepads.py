"""Every kind of gamepad trigger, played on SDL's virtual joysticks in the engine process."""

from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from tests.support.joystick import Joystick, RemoteStage
from tests.support.running import (
    JOYSTICK_LAUNCHER,
    RunningConductor,
    mapped,
    running_conductor,
    short_home,
)
from tests.support.xserver import KeyWindow, XServer

pytestmark = [pytest.mark.gamepad, pytest.mark.x11]
WITHOUT_JACK = {"JACK_DEFAULT_SERVER": "none"}
SOUTH, EAST = 0, 1
LEFT_X, LEFT_TRIGGER = 0, 4
TYPE_F = "{ type = 'Keystroke', keys = ['f'] }"
TYPE_END = "{ type = 'Keystroke', keys = ['x'] }"
END = "{ type = 'GamepadButton', button = 'start' }"
START = 6
Play = Callable[[Joystick], None]


@pytest.fixture(scope="module")
def stage_path() -> Generator[Path]:
    with short_home() as folder:
        yield folder / "stage.sock"


@pytest.fixture(scope="module")
def conductor(screen: XServer, stage_path: Path) -> Generator[RunningConductor]:
    environment = {"DISPLAY": screen.display, **WITHOUT_JACK}
    launcher = (JOYSTICK_LAUNCHER, str(stage_path))
    with running_conductor(environment=environment, launcher=launcher) as running:
        running.wait_status(lambda _: stage_path.exists())
        yield running


@pytest.fixture
def pad(conductor: RunningConductor, stage_path: Path) -> Generator[Joystick]:
    stage = RemoteStage(stage_path)
    pad = stage.attach("Test Pad")
    conductor.wait_for_device("raw:Test Pad", "gamepad")
    yield pad
    pad.detach()
    conductor.wait_for_device("raw:Test Pad", "gamepad", connected=False)
    stage.close()


def push_and_return(pad: Joystick) -> None:
    for position in (0.3, 0.9, 0.95, 0.0, -0.9, 0.0):
        pad.axis(LEFT_X, position)


def pull_and_return(pad: Joystick) -> None:
    for position in (0.0, 1.0, -1.0):
        pad.axis(LEFT_TRIGGER, position)


def press_both(pad: Joystick) -> None:
    for button in (SOUTH, EAST):
        pad.press(button)
    for button in (SOUTH, EAST):
        pad.release(button)


def tap(pad: Joystick) -> None:
    pad.press(SOUTH)
    pad.release(SOUTH)


def tap_twice(pad: Joystick) -> None:
    tap(pad)
    tap(pad)


@pytest.mark.parametrize(
    ("trigger", "play"),
    [
        ("{ type = 'GamepadButton', button = 'south' }", tap),
        (
            "{ type = 'GamepadButtonChord', buttons = ['south', 'east'], timeout_ms = 1000 }",
            press_both,
        ),
        (
            "{ type = 'GamepadAnalogStick', axis = 'left_x', direction = 'positive' }",
            push_and_return,
        ),
        ("{ type = 'GamepadTrigger', trigger = 'left', threshold = 0.7 }", pull_and_return),
        ("{ type = 'DoubleTap', button = 'south', timeout_ms = 2000 }", tap_twice),
    ],
)
def test_a_gamepad_trigger_fires_once_for_one_gesture(
    conductor: RunningConductor, pad: Joystick, window: KeyWindow, trigger: str, play: Play
):
    conductor.use(mapped((trigger, TYPE_F), (END, TYPE_END)))
    play(pad)
    pad.press(START)
    pad.release(START)
    assert window.next_text(2) == "fx"


def test_a_held_gamepad_button_fires_a_long_press(
    conductor: RunningConductor, pad: Joystick, window: KeyWindow
):
    trigger = "{ type = 'LongPress', button = 'south', duration_ms = 100 }"
    conductor.use(mapped((trigger, TYPE_F)))
    pad.press(SOUTH)
    assert window.next_text(1) == "f"
    pad.release(SOUTH)


def test_a_key_held_by_a_gamepad_goes_up_when_the_gamepad_is_unplugged(
    conductor: RunningConductor, stage_path: Path, window: KeyWindow
):
    hold = "{ type = 'Keystroke', keys = ['h'], hold = 'while_held' }"
    conductor.use(mapped(("{ type = 'GamepadButton', button = 'south' }", hold)))
    stage = RemoteStage(stage_path)
    pad = stage.attach("Loose Pad")
    conductor.wait_for_device("raw:Loose Pad", "gamepad")
    pad.press(SOUTH)
    assert window.next_key().pressed
    pad.detach()
    assert not window.next_key().pressed
    stage.close()
