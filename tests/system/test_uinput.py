"""The kernel's virtual device is set up and fed as its interface demands. A pipe stands for /dev/uinput."""

import os
import struct
from collections.abc import Generator
from pathlib import Path

import pytest

from conductor.errors import ActionFailed
from conductor.system import uinput
from conductor.system.uinput import UinputDevice, UinputKeyboard, UinputMouse, UinputRoute

EVENT = struct.Struct("@llHHi")
SHIFT, CTRL, KEY_C, KEY_2, KEY_F13, BUTTON_RIGHT = 42, 29, 46, 3, 183, 0x111


class Kernel:
    """Records what the device was set up with and sent."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self._reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self.calls: list[tuple[int, int | bytes]] = []

    def ioctl(self, _fd: int, request: int, argument: int | bytes) -> int:
        self.calls.append((request, argument))
        return 0

    def read_events(self) -> list[tuple[int, int, int]]:
        """Return the events without the reports of their ends, which must follow each."""
        events = [each[2:] for each in EVENT.iter_unpack(os.read(self._reader, 65536))]
        assert events[1::2] == [(0, 0, 0)] * (len(events) // 2)
        return events[::2]

    def is_closed(self) -> bool:
        return os.read(self._reader, 1) == b""

    def close(self) -> None:
        os.close(self._reader)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "uinput"


@pytest.fixture
def kernel(path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Kernel]:
    monkeypatch.setattr(uinput, "_DEVICE_READY_DELAY_S", 0.0)
    kernel = Kernel(path)
    yield kernel
    kernel.close()


@pytest.fixture
def device(path: Path, kernel: Kernel) -> Generator[UinputDevice]:
    device = UinputDevice(path, kernel.ioctl)
    yield device
    device.close()


def test_the_device_has_all_keys_buttons_and_axes(device: UinputDevice, kernel: Kernel) -> None:
    device.open()
    keys = {argument for request, argument in kernel.calls if request == 0x40045565}
    assert {1, 30, KEY_F13, 0x110, 0x111, 0x112} <= keys
    assert {argument for request, argument in kernel.calls if request == 0x40045566} == {0, 1, 6, 8}
    (_, setup), (created, _) = kernel.calls[-2:]
    assert isinstance(setup, bytes)
    assert (len(setup), setup[8:17]) == (92, b"Conductor")
    assert created == 0x5501


def test_a_chord_goes_down_in_order_and_up_in_reverse(device: UinputDevice, kernel: Kernel) -> None:
    keyboard = UinputKeyboard(device)
    keyboard.press_keys(["ctrl", "c"])
    assert kernel.read_events() == [(1, CTRL, 1), (1, KEY_C, 1)]
    keyboard.release_keys(["ctrl", "c"])
    assert kernel.read_events() == [(1, KEY_C, 0), (1, CTRL, 0)]
    keyboard.press_keys(["f13"])
    assert kernel.read_events() == [(1, KEY_F13, 1)]


def test_a_text_is_typed_with_shift_where_a_us_keyboard_needs_it(
    device: UinputDevice, kernel: Kernel
) -> None:
    UinputKeyboard(device).type_text("c@")
    assert kernel.read_events() == [
        (1, KEY_C, 1),
        (1, KEY_C, 0),
        (1, SHIFT, 1),
        (1, KEY_2, 1),
        (1, KEY_2, 0),
        (1, SHIFT, 0),
    ]


def test_a_text_is_typed_in_chunks_that_fit_into_the_buffer_of_the_kernel(
    device: UinputDevice, kernel: Kernel
) -> None:
    keyboard, pauses = UinputKeyboard(device), list[int]()

    class Pause:
        """Counts the events before each pause."""

        def wait(self, _timeout_s: float) -> None:
            pauses.append(len(kernel.read_events()))

    keyboard._pause = Pause()  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]
    keyboard.type_text("C" * 20)
    assert pauses == [32, 32]
    assert 2 * max(pauses) + 4 < 128
    assert len(kernel.read_events()) == 16


def test_a_shift_that_a_mapping_holds_does_not_change_a_text(
    device: UinputDevice, kernel: Kernel
) -> None:
    keyboard = UinputKeyboard(device)
    keyboard.press_keys(["shift"])
    keyboard.type_text("c@")
    assert kernel.read_events() == [
        (1, SHIFT, 1),
        (1, SHIFT, 0),
        (1, KEY_C, 1),
        (1, KEY_C, 0),
        (1, SHIFT, 1),
        (1, KEY_2, 1),
        (1, KEY_2, 0),
        (1, SHIFT, 0),
        (1, SHIFT, 1),
    ]
    keyboard.release_keys(["shift"])
    assert kernel.read_events() == [(1, SHIFT, 0)]
    keyboard.type_text("c")
    assert kernel.read_events() == [(1, KEY_C, 1), (1, KEY_C, 0)]


def test_a_held_shift_stays_down_when_a_shifted_character_is_released(
    device: UinputDevice, kernel: Kernel
) -> None:
    keyboard = UinputKeyboard(device)
    keyboard.press_keys(["shift"])
    keyboard.press_keys(["@"])
    keyboard.release_keys(["@"])
    assert kernel.read_events()[-2:] == [(1, KEY_2, 1), (1, KEY_2, 0)]
    device.close()
    keyboard.press_keys(["@"])
    keyboard.release_keys(["@"])
    assert kernel.read_events()[-1] == (1, SHIFT, 0), "a closed device holds nothing"


def test_a_character_that_the_route_cannot_type_is_refused_before_anything_is_typed(
    device: UinputDevice, kernel: Kernel
) -> None:
    with pytest.raises(ActionFailed, match="`é` is not on a US keyboard"):
        UinputKeyboard(device).type_text("café")
    assert not device.is_open


def test_the_mouse_clicks_moves_by_a_distance_and_scrolls(
    device: UinputDevice, kernel: Kernel
) -> None:
    mouse = UinputMouse(device)
    mouse.click("right", 1)
    assert kernel.read_events() == [(1, BUTTON_RIGHT, 1), (1, BUTTON_RIGHT, 0)]
    mouse.move_by(3, -4)
    assert kernel.read_events() == [(2, 0, 3), (2, 1, -4)]
    mouse.scroll(0, 2)
    assert kernel.read_events() == [(2, 8, 2)]
    with pytest.raises(ActionFailed, match="relative move"):
        mouse.move_to(1, 2)


def test_closing_removes_the_device_with_its_keys(device: UinputDevice, kernel: Kernel) -> None:
    UinputKeyboard(device).press_keys(["c"])
    assert kernel.read_events() == [(1, KEY_C, 1)]
    device.close()
    assert kernel.is_closed()


def test_the_reason_for_being_unavailable_is_returned(tmp_path: Path) -> None:
    route = UinputRoute(UinputDevice(tmp_path / "missing"))
    assert "does not exist" in (route.get_unavailable_reason() or "")
    with pytest.raises(ActionFailed, match="cannot be opened"):
        route.connect()
    assert route.is_lost
