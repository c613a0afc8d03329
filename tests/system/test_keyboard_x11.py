"""Keys pressed by XTEST arrive in a real window as if from a real keyboard."""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Generator, Iterable

import pytest
from tests.support.xserver import KeyEvent, KeyWindow, XServer
from Xlib.display import Display

from conductor.domain.keys import KEY_NAMES
from conductor.errors import ActionFailed
from conductor.system.keyboard_x11 import X11Keyboard
from conductor.system.mouse_x11 import X11Mouse
from conductor.system.x11_link import X11Link

pytestmark = pytest.mark.x11


@pytest.fixture
def keyboard(xserver: XServer) -> Generator[X11Keyboard]:
    keyboard = X11Keyboard()
    yield keyboard
    keyboard.close()


def down(name: str, *modifiers: str) -> KeyEvent:
    return KeyEvent(name, pressed=True, modifiers=frozenset(modifiers))


def up(name: str, *modifiers: str) -> KeyEvent:
    return KeyEvent(name, pressed=False, modifiers=frozenset(modifiers))


def _keymap(xserver: XServer) -> list[list[int]]:
    display = Display(xserver.display)
    rows = [list(row) for row in display.get_keyboard_mapping(8, 248)]
    display.close()
    return rows


def test_a_chord_goes_down_in_order_and_up_in_reverse(
    window: KeyWindow, keyboard: X11Keyboard
) -> None:
    keyboard.press_keys(["ctrl", "shift", "k"])
    keyboard.release_keys(["ctrl", "shift", "k"])

    assert [window.next_key() for _ in range(6)] == [
        down("Control_L"),
        down("Shift_L", "ctrl"),
        down("K", "ctrl", "shift"),
        up("K", "ctrl", "shift"),
        up("Shift_L", "ctrl", "shift"),
        up("Control_L", "ctrl"),
    ]


@pytest.mark.parametrize("character", ["A", "!", "plus"])
def test_a_shifted_character_brings_its_shift(
    window: KeyWindow, keyboard: X11Keyboard, character: str
) -> None:
    keyboard.press_keys([character])
    keyboard.release_keys([character])

    name = {"plus": "+"}.get(character, character)
    assert [window.next_key() for _ in range(4)] == [
        down("Shift_L"),
        down(name, "shift"),
        up(name, "shift"),
        up("Shift_L", "shift"),
    ]


def test_a_held_shift_stays_down_when_a_shifted_character_is_released(
    window: KeyWindow, keyboard: X11Keyboard
) -> None:
    keyboard.press_keys(["shift"])
    keyboard.press_keys(["!"])
    keyboard.release_keys(["!"])
    keyboard.press_keys(["a"])
    keyboard.release_keys(["a"])

    assert [window.next_key() for _ in range(5)] == [
        down("Shift_L"),
        down("!", "shift"),
        up("!", "shift"),
        down("A", "shift"),
        up("A", "shift"),
    ]


@pytest.mark.parametrize("number", [13, 20, 24])
def test_keys_that_no_keyboard_has_arrive(
    window: KeyWindow, keyboard: X11Keyboard, number: int
) -> None:
    for _ in range(2):
        keyboard.press_keys([f"f{number}"])
        keyboard.release_keys([f"f{number}"])

    events = [window.next_key() for _ in range(4)]
    assert events == [down(f"F{number}"), up(f"F{number}")] * 2


def test_media_and_keypad_keys_arrive_by_their_names(
    window: KeyWindow, keyboard: X11Keyboard
) -> None:
    keys = ["playpause", "volumeup", "num7", "numenter", "pageup", "super", "capslock", "capslock"]
    for key in keys:
        keyboard.press_keys([key])
        keyboard.release_keys([key])

    names = [window.next_key().name for _ in range(2 * len(keys))][::2]
    assert names == [
        "XF86AudioPlay",
        "XF86AudioRaiseVolume",
        "KP_7",
        "KP_Enter",
        "Prior",
        "Super_L",
        "Caps_Lock",
        "Caps_Lock",
    ]


def test_every_key_name_but_fn_arrives_in_a_window(
    window: KeyWindow, keyboard: X11Keyboard
) -> None:
    for key in sorted(KEY_NAMES - {"fn"}):
        keyboard.press_keys([key])
        keyboard.release_keys([key])
        strokes = 2 if key == "plus" else 1  # with its shift
        assert sum(window.next_key().pressed for _ in range(2 * strokes)) == strokes, key


def test_no_key_is_marked_synthetic(window: KeyWindow, keyboard: X11Keyboard) -> None:
    keyboard.press_keys(["a", "f13", "é"])
    keyboard.release_keys(["a", "f13", "é"])
    assert not any(window.next_key().synthetic for _ in range(6))


def test_a_key_that_is_not_held_can_be_released(window: KeyWindow, keyboard: X11Keyboard) -> None:
    keyboard.release_keys(["a", "shift", "f19", "日"])
    keyboard.press_keys(["b"])
    assert window.next_key() == down("b")


def test_a_new_process_releases_keys_of_a_dead_one(
    window: KeyWindow, keyboard: X11Keyboard
) -> None:
    keyboard.press_keys(["ctrl", "f13"])
    assert [window.next_key().name for _ in range(2)] == ["Control_L", "F13"]

    successor = X11Keyboard()
    successor.release_keys(["ctrl", "f13"])

    assert [window.next_key() for _ in range(2)] == [up("F13", "ctrl"), up("Control_L", "ctrl")]
    successor.close()


def test_text_arrives_whatever_the_layout_has(window: KeyWindow, keyboard: X11Keyboard) -> None:
    text = "Hello, World! é€日🎹 ñß\tÄ~{}\nЖё Ω"
    keyboard.type_text(text)
    assert window.next_text(len(text)) == text


def test_an_application_built_on_libx11_reads_the_text(
    xserver: XServer, keyboard: X11Keyboard
) -> None:
    command = ["xev", "-event", "keyboard", "-event", "expose"]
    environment = os.environ | {"LC_ALL": "C.UTF-8"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as xev:
        assert xev.stdout is not None
        next(line for line in xev.stdout if line.startswith("Expose"))
        link = X11Link()
        X11Mouse(link).move_to(50, 50)  # without a window manager the focus follows the pointer
        link.close()

        for text in [*"aÉ€日🎹!", "aÉ€日🎹!"]:
            keyboard.type_text(text)
            assert _read_by_xev(xev.stdout, len(text)) == text
        xev.terminate()


def _read_by_xev(output: Iterable[str], length: int) -> str:
    typed = ""
    for line in output:
        assert "synthetic YES" not in line
        found = re.search(r'XLookupString gives \d bytes: .* "(.)"', line)
        typed += found[1] if found else ""
        if len(typed) == 2 * length:  # down and up
            break
    return typed[::2]


def test_threads_may_type_at_the_same_time(window: KeyWindow, keyboard: X11Keyboard) -> None:
    def type_often(key: str) -> None:
        for _ in range(25):
            keyboard.press_keys([key])
            keyboard.release_keys([key])

    threads = [threading.Thread(target=type_often, args=(key,)) for key in ("a", "f13", "日")]
    for thread in threads:
        thread.start()
    events = [window.next_key() for _ in range(150)]
    for thread in threads:
        thread.join()
    for name in ("a", "F13", "日"):
        assert [event.pressed for event in events if event.name == name] == [True, False] * 25


def test_a_key_does_not_wait_for_the_end_of_a_long_text(
    window: KeyWindow, keyboard: X11Keyboard
) -> None:
    text = "".join(map(chr, range(0x4E00, 0x4E3C)))
    typing = threading.Thread(target=keyboard.type_text, args=(text,))
    typing.start()
    names = [window.next_key().name]
    keyboard.press_keys(["a"])
    keyboard.release_keys(["a"])
    names += [window.next_key().name for _ in range(121)]
    typing.join()
    assert names.index("a") < 60
    assert [name for name in names if name != "a"][::2] == list(text)


def test_two_simultaneous_texts_do_not_mix(window: KeyWindow, keyboard: X11Keyboard) -> None:
    texts = ["abcdefgh" * 4, "日本語é" * 4]
    threads = [threading.Thread(target=keyboard.type_text, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    assert window.next_text(48) in ("".join(texts), "".join(reversed(texts)))


def test_text_may_use_more_new_characters_than_there_are_spare_keys(
    window: KeyWindow, keyboard: X11Keyboard
) -> None:
    for start in [*range(0x4E00, 0x4E00 + 50, 10), 0x4E00]:
        text = "".join(chr(code) for code in range(start, start + 10))
        keyboard.type_text(text)
        assert window.next_text(10) == text


def test_text_keeps_its_case_under_caps_lock(window: KeyWindow, keyboard: X11Keyboard) -> None:
    keyboard.press_keys(["capslock"])
    keyboard.release_keys(["capslock"])
    keyboard.type_text("aBé")

    keys = [window.next_key() for _ in range(14)]
    assert [(key.name, "lock" in key.modifiers) for key in keys if key.pressed] == [
        ("Caps_Lock", False),
        ("Caps_Lock", True),
        ("a", False),
        ("Shift_L", False),
        ("B", False),
        ("é", False),
        ("Caps_Lock", False),
    ]


def test_a_text_with_a_control_character_is_refused_before_anything_is_typed(
    window: KeyWindow, keyboard: X11Keyboard
) -> None:
    with pytest.raises(ActionFailed, match=r"U\+001B"):
        keyboard.type_text("a\x1bb")
    keyboard.type_text("c")
    assert window.next_key() == down("c")


def test_an_unknown_key_is_refused_before_anything_is_pressed(
    window: KeyWindow, keyboard: X11Keyboard
) -> None:
    with pytest.raises(ActionFailed, match="did you mean `ctrl`"):
        keyboard.press_keys(["a", "ctlr"])
    with pytest.raises(ActionFailed, match="fn"):
        keyboard.press_keys(["a", "fn"])
    keyboard.press_keys(["b"])
    assert window.next_key() == down("b")


def test_a_layout_change_is_used(window: KeyWindow, keyboard: X11Keyboard) -> None:
    keyboard.type_text("y€")
    assert window.next_text(2) == "y€"
    subprocess.run(["setxkbmap", "-layout", "de"], check=True)
    keyboard.type_text("yzß€")
    assert window.next_text(4) == "yzß€"


def test_both_scripts_arrive_whichever_layout_is_active(
    window: KeyWindow, keyboard: X11Keyboard
) -> None:
    command = ["setxkbmap", "-layout", "us,ru", "-option", "grp:caps_toggle"]
    subprocess.run(command, check=True)
    keyboard.type_text("yes да!")
    assert window.next_text(7) == "yes да!"

    keyboard.press_keys(["capslock"])
    keyboard.release_keys(["capslock"])
    keyboard.type_text("no Нет?")
    assert window.next_text(7) == "no Нет?"


def test_borrowed_keys_are_returned(xserver: XServer) -> None:
    before = _keymap(xserver)
    keyboard = X11Keyboard()
    keyboard.type_text("日€")
    assert _keymap(xserver) != before
    keyboard.close()
    assert _keymap(xserver) == before


def test_borrowed_keys_of_a_dead_run_are_taken_over(xserver: XServer, window: KeyWindow) -> None:
    keyboard = X11Keyboard()
    before = _keymap(xserver)
    script = "from conductor.system.keyboard_x11 import X11Keyboard as K; K().type_text('日é')"
    subprocess.run([sys.executable, "-c", script], check=True, env=os.environ)
    assert _keymap(xserver) != before

    keyboard.type_text("é")
    assert window.next_text(3) == "日éé"
    keyboard.close()
    assert _keymap(xserver) == before


@pytest.mark.parametrize(
    ("session", "reason"), [("", "no X display: start"), ("wayland", "no XWayland")]
)
def test_without_a_display_the_reason_is_reported(
    monkeypatch: pytest.MonkeyPatch, session: str, reason: str
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("XDG_SESSION_TYPE", session)
    with pytest.raises(ActionFailed, match=reason):
        X11Keyboard().press_keys(["a"])
