"""Clicks, moves and scrolling by XTEST arrive in a real window."""

from collections.abc import Generator

import pytest
from tests.support.xserver import KeyWindow, XServer
from Xlib.display import Display

from conductor.errors import ActionFailed
from conductor.system.keyboard_x11 import X11Keyboard
from conductor.system.mouse_x11 import X11Mouse
from conductor.system.x11_link import X11Link

pytestmark = pytest.mark.x11


@pytest.fixture
def link(xserver: XServer) -> Generator[X11Link]:
    link = X11Link()
    yield link
    link.close()


@pytest.fixture
def mouse(link: X11Link, window: KeyWindow) -> X11Mouse:
    mouse = X11Mouse(link)
    mouse.move_to(100, 80)
    return mouse


def pointer(xserver: XServer) -> tuple[int, int]:
    display = Display(xserver.display)
    answer = display.screen().root.query_pointer()
    display.close()
    return answer.root_x, answer.root_y


@pytest.mark.parametrize(("button", "number"), [("left", 1), ("middle", 2), ("right", 3)])
def test_a_click_arrives_where_the_pointer_is(
    window: KeyWindow, mouse: X11Mouse, button: str, number: int
) -> None:
    mouse.click(button, 1)
    press, release = window.next_button(), window.next_button()
    assert (press.button, press.pressed, press.x, press.y) == (number, True, 100, 80)
    assert (release.button, release.pressed) == (number, False)


def test_a_double_click_is_two_clicks(window: KeyWindow, mouse: X11Mouse) -> None:
    mouse.click("left", 2)
    assert [window.next_button().pressed for _ in range(4)] == [True, False, True, False]


def test_the_pointer_moves_to_and_by(xserver: XServer, link: X11Link, mouse: X11Mouse) -> None:
    mouse.move_to(300, 200)
    mouse.move_by(-50, 25)
    link.call_with_display(lambda display: display.sync())
    assert pointer(xserver) == (250, 225)


@pytest.mark.parametrize(
    ("dx", "dy", "buttons"),
    [(0, 2, [4, 4]), (0, -1, [5]), (1, 0, [7]), (-2, 0, [6, 6]), (1, 1, [4, 7])],
)
def test_scrolling_is_sent_in_notches(
    window: KeyWindow, mouse: X11Mouse, dx: int, dy: int, buttons: list[int]
) -> None:
    mouse.scroll(dx, dy)
    assert [window.next_button().button for _ in range(2 * len(buttons))][::2] == buttons


def test_a_held_key_applies_to_a_click(window: KeyWindow, link: X11Link, mouse: X11Mouse) -> None:
    keyboard = X11Keyboard(link=link)
    keyboard.press_keys(["ctrl"])
    mouse.click("left", 1)
    keyboard.release_keys(["ctrl"])
    assert window.next_button().modifiers == {"ctrl"}


def test_an_unknown_button_is_named(mouse: X11Mouse) -> None:
    with pytest.raises(ActionFailed, match="`thumb`: use left, middle or right"):
        mouse.click("thumb", 1)
