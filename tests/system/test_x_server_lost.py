"""An X server that dies, freezes or restarts fails one action at most; later keys are sent."""

import subprocess
from collections.abc import Generator

import pytest
from tests.support.xserver import KeyEvent, KeyWindow, XServer

from conductor.errors import ActionFailed
from conductor.system.keyboard_x11 import X11Keyboard

pytestmark = pytest.mark.x11


@pytest.fixture
def keyboard(xserver: XServer) -> Generator[X11Keyboard]:
    keyboard = X11Keyboard()
    yield keyboard
    keyboard.close()


def down(name: str) -> KeyEvent:
    return KeyEvent(name, pressed=True, modifiers=frozenset())


def up(name: str) -> KeyEvent:
    return KeyEvent(name, pressed=False, modifiers=frozenset())


def test_a_display_that_dies_fails_the_action_and_works_again_after_its_restart(
    xserver: XServer,
) -> None:
    keyboard = X11Keyboard()
    with KeyWindow(xserver.display) as window:
        keyboard.press_keys(["a"])
        assert window.next_key() == down("a")
    xserver.stop()

    with pytest.raises(ActionFailed, match=f"X display {xserver.display} cannot be reached"):
        keyboard.press_keys(["f13"])

    xserver.start()
    with KeyWindow(xserver.display) as window:
        keyboard.press_keys(["f13"])
        assert window.next_key() == down("F13")
    keyboard.close()


def test_a_frozen_server_fails_the_action_and_loses_no_key(
    xserver: XServer, window: KeyWindow, keyboard: X11Keyboard
) -> None:
    taps = 0

    def tap(times: int) -> None:
        nonlocal taps
        for _ in range(times):
            taps += 1
            keyboard.press_keys(["a"])
            keyboard.release_keys(["a"])

    tap(1)
    assert [window.next_key(), window.next_key()] == [down("a"), up("a")]
    keyboard.connect()  # takes in what the server told so far: from here on nothing is asked of it
    taps = 0
    with xserver.frozen(), pytest.raises(ActionFailed, match="does not respond"):
        tap(20_000)
    keyboard.release_keys(["a"])
    assert taps > 10
    assert [window.next_key().pressed for _ in range(2 * taps)] == [True, False] * taps


def test_a_server_that_freezes_before_it_answers_fails_the_action_and_gets_the_next_key(
    xserver: XServer, window: KeyWindow, keyboard: X11Keyboard
) -> None:
    keyboard.connect()
    subprocess.run(["setxkbmap", "-layout", "fr"], check=True)  # so that the layout is asked
    with xserver.frozen(), pytest.raises(ActionFailed, match="does not respond"):
        keyboard.press_keys(["b"])
    keyboard.press_keys(["b"])
    assert window.next_key() == down("b")


def test_a_server_that_was_restarted_unnoticed_gets_the_next_key(xserver: XServer) -> None:
    keyboard = X11Keyboard()
    keyboard.press_keys(["ctrl"])
    xserver.stop()
    xserver.start()
    with KeyWindow(xserver.display) as window:
        keyboard.press_keys(["b"])
        assert window.next_key() == down("b")
    keyboard.close()
