"""Keys, text and the mouse arrive in a window of a real Wayland compositor as they were meant."""

import queue
import string
import subprocess
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.support.sway import KeyEvent, Sway, WaylandWindow, sway

from conductor.domain.keys import KEY_NAMES
from conductor.domain.ports import Keyboard, Mouse
from conductor.errors import ActionFailed
from conductor.system.build import SystemOutputs, make_input_routes
from conductor.system.doctor import check_system
from conductor.system.input_routes import InputRouter
from conductor.system.wayland.keyboard import WaylandKeyboard
from conductor.system.wayland.link import WaylandLink
from conductor.system.wayland.mouse import WaylandMouse

pytestmark = pytest.mark.wayland

NO_TOKEN = Path("/nowhere/token")
NAMED_KEYS = {
    "alt": "Alt_L",
    "backspace": "BackSpace",
    "brightnessdown": "XF86MonBrightnessDown",
    "brightnessup": "XF86MonBrightnessUp",
    "capslock": "Caps_Lock",
    "cmd": "Super_L",
    "ctrl": "Control_L",
    "delete": "Delete",
    "down": "Down",
    "end": "End",
    "enter": "Return",
    "escape": "Escape",
    **{f"f{number}": f"F{number}" for number in range(1, 25)},
    "home": "Home",
    "insert": "Insert",
    "left": "Left",
    "menu": "Menu",
    "minus": "minus",
    "mute": "XF86AudioMute",
    "next": "XF86AudioNext",
    **{f"num{digit}": f"KP_{digit}" for digit in range(10)},
    "numadd": "KP_Add",
    "numdecimal": "KP_Decimal",
    "numdiv": "KP_Divide",
    "numenter": "KP_Enter",
    "numlock": "Num_Lock",
    "nummul": "KP_Multiply",
    "numsub": "KP_Subtract",
    "pagedown": "Next",
    "pageup": "Prior",
    "pause": "Pause",
    "play": "XF86AudioPlay",
    "playpause": "XF86AudioPlay",
    "plus": "plus",
    "previous": "XF86AudioPrev",
    "printscreen": "Print",
    "right": "Right",
    "scrolllock": "Scroll_Lock",
    "shift": "Shift_L",
    "space": "space",
    "stop": "XF86AudioStop",
    "super": "Super_L",
    "tab": "Tab",
    "up": "Up",
    "volumedown": "XF86AudioLowerVolume",
    "volumeup": "XF86AudioRaiseVolume",
}
CODES = {"a": 30, "f13": 183, "f24": 194, "volumeup": 115, "num5": 76, "z": 44}
CHORDS = (
    (["ctrl", "c"], "c", {"Control"}),
    (["ctrl", "shift", "k"], "K", {"Control", "Shift"}),
    (["alt", "tab"], "Tab", {"Mod1"}),
    (["super", "left"], "Left", {"Mod4"}),
    (["cmd", "f13"], "F13", {"Mod4"}),
    (["ctrl", "alt", "shift", "super", "f24"], "F24", {"Control", "Mod1", "Shift", "Mod4"}),
    (["ctrl", "€"], "U20AC", {"Control"}),
    (["shift", "é"], "eacute", {"Shift"}),
)
TEXTS = (
    "é",
    "€",
    "🎹",
    "ß",
    "Ñandú",
    "Žluťoučký kůň",
    "Съешь ещё",
    "Ξεσκεπάζω",
    "שלום",
    "สวัสดี",
    "日本語",
    "한국어",
    "a\nb\tc",
    "e\u0301",
    "«≠»",
    "👩‍💻",
    string.ascii_letters + string.digits,
    string.punctuation,
    "".join(chr(code) for code in range(0xA1, 0x100)),
    "".join(chr(code) for code in range(0x4E00, 0x4E00 + 300)),
    "aAé" * 200,
)


@pytest.fixture(scope="module")
def compositor() -> Generator[Sway]:
    with sway() as compositor:
        yield compositor


@pytest.fixture(scope="module")
def window(compositor: Sway) -> Generator[WaylandWindow]:
    with WaylandWindow(compositor) as window:
        yield window


@pytest.fixture(autouse=True)
def session(compositor: Sway, monkeypatch: pytest.MonkeyPatch) -> None:
    compositor.join(monkeypatch)


@pytest.fixture
def link() -> Generator[WaylandLink]:
    link = WaylandLink()
    yield link
    link.close()


@pytest.fixture
def keyboard(link: WaylandLink) -> Keyboard:
    return WaylandKeyboard(link)


@pytest.fixture
def mouse(link: WaylandLink) -> Mouse:
    return WaylandMouse(link)


def read_key(window: WaylandWindow) -> tuple[str, bool]:
    key = window.next_key()
    return key.name, key.pressed


def test_every_key_name_has_a_case() -> None:
    assert set(NAMED_KEYS) | {"fn"} == KEY_NAMES


@pytest.mark.parametrize("key", sorted(NAMED_KEYS))
def test_a_key_goes_down_and_up(window: WaylandWindow, keyboard: Keyboard, key: str) -> None:
    name, shifted = NAMED_KEYS[key], key == "plus"
    keyboard.press_keys([key])
    keyboard.release_keys([key])
    shift = [("Shift_L", True)] if shifted else []
    expected = [*shift, (name, True), (name, False), *[(each, False) for each, _ in shift]]
    assert [read_key(window) for _ in expected] == expected
    assert not window.down


@pytest.mark.parametrize("key", sorted(CODES))
def test_a_key_has_the_code_of_a_real_keyboard(
    window: WaylandWindow, keyboard: Keyboard, key: str
) -> None:
    keyboard.press_keys([key])
    keyboard.release_keys([key])
    assert [window.next_key().code, window.next_key().code] == [CODES[key]] * 2


@pytest.mark.parametrize(("keys", "name", "modifiers"), CHORDS)
def test_a_chord_goes_down_in_order_and_up_in_reverse(
    window: WaylandWindow, keyboard: Keyboard, keys: list[str], name: str, modifiers: set[str]
) -> None:
    keyboard.press_keys(keys)
    pressed = [window.next_key() for _ in keys]
    assert pressed[-1] == KeyEvent(
        name, pressed[-1].text, pressed[-1].code, pressed=True, modifiers=frozenset(modifiers)
    )
    keyboard.release_keys(keys)
    released = [window.next_key() for _ in keys]
    assert [key.code for key in released] == [key.code for key in reversed(pressed)]
    assert not window.down
    keyboard.press_keys(["x"])
    keyboard.release_keys(["x"])
    assert [window.next_key().modifiers, window.next_key().modifiers] == [frozenset()] * 2


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_arrives_exactly(window: WaylandWindow, keyboard: Keyboard, text: str) -> None:
    keyboard.type_text(text)
    assert window.next_text(len(text)).replace("\r", "\n") == text
    keyboard.press_keys(["escape"])
    keyboard.release_keys(["escape"])
    while window.next_key().name != "Escape":
        pass
    assert window.next_key().name == "Escape"
    assert not window.down


def test_a_key_stays_down_for_two_seconds(window: WaylandWindow, keyboard: Keyboard) -> None:
    keyboard.press_keys(["h"])
    assert read_key(window) == ("h", True)
    with pytest.raises(queue.Empty):
        window.next(timeout_s=2.0)
    keyboard.release_keys(["h"])
    assert read_key(window) == ("h", False)


def test_a_key_stays_down_while_a_text_changes_the_keymap(
    window: WaylandWindow, keyboard: Keyboard
) -> None:
    keyboard.press_keys(["ctrl", "é"])
    keyboard.type_text("ŵ")
    keyboard.release_keys(["é", "ctrl"])
    events = [window.next_key() for _ in range(6)]
    assert [(key.name, key.pressed) for key in events] == [
        ("Control_L", True),
        ("eacute", True),
        ("wcircumflex", True),
        ("wcircumflex", False),
        ("Control_L", False),
        ("eacute", False),
    ]
    assert events[2].modifiers == {"Control"}


def test_a_text_is_typed_with_caps_lock_off_and_keys_with_it_on(
    window: WaylandWindow, keyboard: Keyboard
) -> None:
    keyboard.press_keys(["capslock"])
    keyboard.release_keys(["capslock"])
    keyboard.type_text("a")
    keyboard.press_keys(["b"])
    keyboard.release_keys(["b"])
    names = [window.next_key().name for _ in range(6)]
    assert names == ["Caps_Lock", "Caps_Lock", "a", "a", "B", "B"]


def test_a_control_character_is_refused_and_nothing_is_typed(
    window: WaylandWindow, keyboard: Keyboard
) -> None:
    with pytest.raises(ActionFailed, match=r"U\+0007"):
        keyboard.type_text("ab\a")
    keyboard.press_keys(["x"])
    keyboard.release_keys(["x"])
    assert [window.next_key().name, window.next_key().name] == ["x", "x"]


@pytest.mark.parametrize(("button", "code"), [("left", 272), ("right", 273), ("middle", 274)])
def test_a_click_arrives(
    window: WaylandWindow, keyboard: Keyboard, mouse: Mouse, button: str, code: int
) -> None:
    mouse.move_to(100, 50)
    mouse.click(button, 2)
    clicks = [window.next_pointer("button").values for _ in range(4)]
    assert clicks == [(code, 1), (code, 0), (code, 1), (code, 0)]


def test_the_mouse_moves_to_a_place_and_by_a_distance(window: WaylandWindow, mouse: Mouse) -> None:
    mouse.move_to(0, 0)
    mouse.move_to(640, 321)
    mouse.move_by(-40, 9)
    while (place := window.next_pointer("motion").values) != (640, 321):
        assert place in ((0, 0), (100, 50))
    assert window.next_pointer("motion").values == (600, 330)
    mouse.move_to(5000, 5000)
    assert window.next_pointer("motion").values == (1279, 719)


@pytest.mark.parametrize(
    ("dx", "dy", "turns"),
    [(0, 2, [(0, -1)] * 2), (0, -1, [(0, 1)]), (3, 0, [(1, 1)] * 3), (-1, 0, [(1, -1)])],
)
def test_the_wheel_turns(
    window: WaylandWindow, mouse: Mouse, dx: int, dy: int, turns: list[tuple[int, int]]
) -> None:
    mouse.move_to(100, 50)
    mouse.scroll(dx, dy)
    assert [window.next_pointer("wheel").values for _ in turns] == turns


def test_a_click_happens_while_a_modifier_is_down(
    window: WaylandWindow, keyboard: Keyboard, mouse: Mouse
) -> None:
    mouse.move_to(100, 50)
    keyboard.press_keys(["ctrl"])
    mouse.click("left", 1)
    keyboard.release_keys(["ctrl"])
    kinds: list[object] = []
    while len(kinds) < 4:
        event = window.next()
        if isinstance(event, KeyEvent):
            kinds.append((event.name, event.pressed))
        elif event.kind == "button":
            kinds.append(event.values)
    assert kinds == [("Control_L", True), (272, 1), (272, 0), ("Control_L", False)]


def test_the_compositor_releases_held_keys_when_the_connection_ends(
    window: WaylandWindow, link: WaylandLink, keyboard: Keyboard
) -> None:
    keyboard.press_keys(["ctrl", "shift", "é"])
    assert [window.next_key().pressed for _ in range(3)] == [True] * 3
    link.close()
    assert [window.next_key().pressed for _ in range(3)] == [False] * 3
    assert not window.down


def test_another_client_sees_the_same_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    with sway() as own:
        own.join(monkeypatch)
        link = WaylandLink()
        keyboard = WaylandKeyboard(link)
        keyboard.type_text("x")  # wev crashes in a session in which no keyboard has been used
        wev = subprocess.Popen(["stdbuf", "-oL", "wev"], stdout=subprocess.PIPE, text=True)
        assert wev.stdout is not None
        try:
            lines = iter(wev.stdout)
            while "wl_keyboard] enter" not in next(lines):
                pass
            keyboard.type_text("é€")
            symbols = (line.partition("sym: ")[2].split()[0] for line in lines if "sym: " in line)
            seen = [next(symbols) for _ in range(4)]
        finally:
            wev.kill()
            wev.communicate()
            link.close()
    assert seen == ["eacute", "eacute", "U20AC", "U20AC"]


def test_the_virtual_keyboard_is_chosen_and_the_doctor_names_the_others(
    window: WaylandWindow,
) -> None:
    system = SystemOutputs(NO_TOKEN)
    system.keyboard.press_keys(["q"])
    assert read_key(window) == ("q", True)
    assert system.input_route == "Wayland virtual keyboard"
    system.close()
    assert read_key(window) == ("q", False)
    check = next(each for each in check_system(NO_TOKEN) if each.name == "keyboard and mouse")
    assert check.ok
    assert check.detail == "Wayland virtual keyboard: every program, text in any script"
    assert "XTEST: this Wayland session has no XWayland (DISPLAY is not set)" in check.notes


def test_a_key_works_again_after_the_compositor_was_restarted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    router = InputRouter(make_input_routes(NO_TOKEN), retry_s=0)
    with sway() as first:
        first.join(monkeypatch)
        with WaylandWindow(first) as window:
            router.keyboard.press_keys(["a"])
            assert read_key(window) == ("a", True)
    with pytest.raises(ActionFailed, match="cannot be reached"):
        router.keyboard.press_keys(["b"])
    with sway() as second:
        second.join(monkeypatch)
        with WaylandWindow(second) as window:
            router.keyboard.press_keys(["c"])
            assert read_key(window) == ("c", True)
        router.close()
