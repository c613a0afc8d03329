"""The gamepad pump on a real SDL, with SDL's own virtual joysticks."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager

import pytest
from tests.support.joystick import Joystick, Stage

from conductor.devices.gamepad import gamepads
from conductor.devices.gamepad.gamepads import GamepadPump
from conductor.devices.gamepad.sdl import Gamepad
from conductor.domain.devices import DeviceIdentity, NameContains, UsbIdentifier
from conductor.domain.events import InputEvent
from conductor.domain.wire_rows import BatteryLevel

pytestmark = pytest.mark.gamepad

TIMEOUT_S = 10.0
A, B, DPAD_UP = 0, 1, 11
LEFT_X, LEFT_Y, LEFT_TRIGGER = 0, 1, 4


class Heard:
    """The events that the pump posted, and the number of its change notifications."""

    def __init__(self) -> None:
        self.events: list[InputEvent] = []
        self.changes = 0
        self._news = threading.Condition()

    def post(self, event: InputEvent) -> None:
        with self._news:
            self.events.append(event)
            self._news.notify_all()

    def changed(self) -> None:
        with self._news:
            self.changes += 1
            self._news.notify_all()

    def until(self, holds: Callable[[], bool]) -> None:
        with self._news:
            assert self._news.wait_for(holds, TIMEOUT_S), self.events

    def until_event(self, kind: str, device: str | None = None) -> InputEvent:
        def found() -> list[InputEvent]:
            return [e for e in self.events if e.kind == kind and device in (None, e.device)]

        self.until(lambda: bool(found()))
        return found()[-1]

    def said(self) -> list[tuple[str, str, int | str, float]]:
        return [(e.kind, e.device, e.number, round(e.value, 2)) for e in self.events]


class Room:
    """A running pump with its stage and its events."""

    def __init__(self) -> None:
        self.heard = Heard()
        self.stage = Stage()
        self.pump = GamepadPump(self.heard.post, self.heard.changed, on_pump=self.stage)

    def attach(self, name: str = "Xbox 360 Controller", *, known: bool = True) -> Joystick:
        before = self.heard.changes
        vendor, product = (0x045E, 0x028E) if known else (0x1234, 0x5678)
        pad = self.stage.attach(name, vendor, product, known=known)
        self.heard.until(lambda: self.heard.changes > before)
        return pad

    def fresh(self) -> None:
        self.heard.events.clear()

    def settled(self, pad: Joystick) -> list[tuple[str, str, int | str, float]]:
        """Press and release B last, and return all events before it."""
        pad.press(B)
        pad.release(B)
        self.heard.until(lambda: len(self.of_b()) == 2)
        return [said for said in self.heard.said() if said[2] not in ("east", "button_1")]

    def of_b(self) -> list[InputEvent]:
        return [e for e in self.heard.events if e.number in ("east", "button_1")]

    def ids(self) -> list[str]:
        return [status.device_id for status in self.pump.status()]


@contextmanager
def running(room: Room) -> Generator[None]:
    stop = threading.Event()
    thread = threading.Thread(target=room.pump.run, args=(stop,), name="pump")
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(TIMEOUT_S)
        assert not thread.is_alive()


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room()
    with running(room):
        yield room


def test_a_button_is_named_by_its_position_and_reported_once_down_and_once_up(room: Room) -> None:
    pad = room.attach()
    room.fresh()
    pad.press(A)
    pad.release(A)
    assert room.settled(pad) == [
        ("button_down", "raw:Xbox 360 Controller", "south", 1),
        ("button_up", "raw:Xbox 360 Controller", "south", 0),
    ]


def test_pushing_a_stick_up_or_right_is_positive(room: Room) -> None:
    pad = room.attach()
    room.fresh()
    pad.axis(LEFT_Y, -1.0)
    pad.axis(LEFT_X, 0.5)
    pad.axis(LEFT_Y, 0.0)
    moves = [(kind, number, value) for kind, _, number, value in room.settled(pad)]
    assert moves == [("axis", "left_y", 1.0), ("axis", "left_x", 0.5), ("axis", "left_y", 0.0)]


def test_a_trigger_goes_from_0_to_1_and_is_a_button_past_half_way(room: Room) -> None:
    pad = room.attach()
    room.fresh()
    for position in (-0.5, 0.2, -0.1, 1.0, -1.0):
        pad.axis(LEFT_TRIGGER, position)
    assert [(kind, number, value) for kind, _, number, value in room.settled(pad)] == [
        ("gamepad_trigger", "left", 0.25),
        ("gamepad_trigger", "left", 0.6),
        ("button_down", "l2", 1),
        ("gamepad_trigger", "left", 0.45),
        ("gamepad_trigger", "left", 1.0),
        ("gamepad_trigger", "left", 0.0),
        ("button_up", "l2", 0),
    ]


def test_the_dpad_of_a_known_pad_is_four_buttons(room: Room) -> None:
    pad = room.attach()
    room.fresh()
    pad.press(DPAD_UP)
    pad.release(DPAD_UP)
    assert [said[0::2][:2] for said in room.settled(pad)] == [
        ("button_down", "dpad_up"),
        ("button_up", "dpad_up"),
    ]


def test_an_unknown_joystick_has_numbered_buttons_and_axes(room: Room) -> None:
    pad = room.attach("Strange Box", known=False)
    room.fresh()
    pad.press(7)
    pad.axis(3, 1.0)
    pad.release(7)
    assert room.settled(pad) == [
        ("button_down", "raw:Strange Box", "button_7", 1),
        ("axis", "raw:Strange Box", "axis_3", 1.0),
        ("button_up", "raw:Strange Box", "button_7", 0),
    ]


def test_the_hat_of_an_unknown_joystick_is_a_dpad(room: Room) -> None:
    pad = room.attach("Strange Box", known=False)
    room.fresh()
    pad.hat(0, 1)
    pad.hat(1, 1)
    pad.hat(1, 0)
    pad.hat(0, 0)
    assert [(kind, number) for kind, _, number, _ in room.settled(pad)] == [
        ("button_down", "dpad_up"),
        ("button_down", "dpad_right"),
        ("button_up", "dpad_up"),
        ("button_up", "dpad_right"),
    ]


@pytest.mark.parametrize("known", [True, False])
def test_plugging_in_reports_the_device_but_not_its_axes(room: Room, *, known: bool) -> None:
    pad = room.attach(known=known)
    assert room.settled(pad) == [("device_back", "raw:Xbox 360 Controller", 0, 0)]


def test_unplugging_releases_the_buttons_and_reports_the_device_as_gone(room: Room) -> None:
    pad = room.attach()
    pad.press(A)
    room.heard.until_event("button_down")
    pad.detach()
    room.heard.until_event("device_gone")
    room.heard.until(lambda: room.heard.changes == 2)
    assert [event.kind for event in room.heard.events[-2:]] == ["button_up", "device_gone"]
    assert room.ids() == []


def test_a_pad_that_is_plugged_in_again_works_under_the_same_id(room: Room) -> None:
    room.attach().detach()
    gone = room.heard.until_event("device_gone")
    pad = room.attach()
    room.fresh()
    pad.press(A)
    assert room.heard.until_event("button_down").device == gone.device


def test_the_charge_of_a_pad_is_reported_when_it_changes(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SDL's virtual joysticks have no battery, so that only the answer of SDL is replaced."""
    monkeypatch.setattr(gamepads, "BATTERY_CHECK_INTERVAL_S", 0.0)
    room.attach()
    assert [pad.battery for pad in room.pump.status()] == [None]
    assert "battery" not in room.pump.status()[0].to_row()
    before = room.heard.changes

    def read_low(_pad: Gamepad) -> BatteryLevel:
        return "low"

    monkeypatch.setattr(Gamepad, "read_battery", read_low)
    room.heard.until(lambda: room.heard.changes == before + 1)
    assert room.pump.status()[0].to_row().get("battery") == "low"
    room.settled(room.attach())
    assert room.heard.changes == before + 2, "the same charge was announced again"


def test_the_pump_can_be_stopped_and_started_again() -> None:
    room = Room()
    for _ in range(2):
        with running(room):
            room.attach().press(A)
            room.heard.until_event("button_down")
        assert room.ids() == []
        room.fresh()


def test_two_equal_pads_are_numbered_in_the_order_of_plugging_in(room: Room) -> None:
    first, second = room.attach("Pad"), room.attach("Pad")
    assert room.ids() == ["raw:Pad", "raw:Pad #2"]
    second.press(A)
    room.heard.until_event("button_down", "raw:Pad #2")
    first.press(A)
    room.heard.until_event("button_down", "raw:Pad")


def test_two_aliases_matching_two_equal_pads_get_one_each_and_keep_it(room: Room) -> None:
    room.pump.set_identities([alias("player one"), alias("player two")])
    first, second = room.attach("Pad"), room.attach("Pad")
    assert room.ids() == ["player one", "player two"]
    first.detach()
    room.heard.until_event("device_gone", "player one")
    second.press(A)
    room.heard.until_event("button_down", "player two")
    again = room.attach("Pad")
    again.press(B)
    assert room.heard.until_event("button_down").device == "player one"


def test_the_second_pad_keeps_its_alias_when_the_config_changes_while_the_first_is_away(
    room: Room,
) -> None:
    room.pump.set_identities([alias("player one"), alias("player two")])
    first, _second = room.attach("Pad"), room.attach("Pad")
    first.detach()
    room.heard.until_event("device_gone", "player one")
    room.pump.set_identities([alias("player one"), alias("player two")])
    assert room.ids() == ["player two"]


def test_a_shared_alias_is_gone_when_its_last_pad_is(room: Room) -> None:
    room.pump.set_identities([alias("both")])
    first, second = room.attach("Pad"), room.attach("Pad")
    assert room.ids() == ["both", "both"]
    first.detach()
    room.heard.until(lambda: room.heard.changes == 3)
    assert room.settled(second) == [("device_back", "both", 0, 0)]
    second.detach()
    room.heard.until_event("device_gone", "both")


def test_a_new_alias_applies_at_once_and_releases_what_was_held(room: Room) -> None:
    pad = room.attach("Pad")
    room.fresh()
    usb = UsbIdentifier(vendor_id=0x045E, product_id=0x028E)
    room.pump.set_identities([DeviceIdentity(alias="sofa", matchers=(usb,))])
    pad.press(A)
    room.heard.until_event("button_down", "sofa")
    assert [event[:2] for event in room.heard.events[:2]] == [
        ("device_gone", "raw:Pad"),
        ("device_back", "sofa"),
    ]
    (status,) = room.pump.status()
    assert (status.device_id, status.port_name, status.kind) == ("sofa", "Pad", "gamepad")
    assert status.is_configured


def test_launched_apps_do_not_inherit_sdl_settings(room: Room) -> None:
    room.attach()
    assert "SDL_VIDEODRIVER" not in os.environ
    assert "SDL_NO_SIGNAL_HANDLERS" not in os.environ


def test_only_the_parts_of_pygame_that_gamepads_need_are_loaded() -> None:
    # in a process of its own: the tests of other folders load more
    start = "import sys; from conductor.devices.gamepad.sdl import Sdl; Sdl(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", start], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "pygame.joystick" in loaded
    assert not {"pygame.mixer", "pygame.font", "pygame.image", "numpy"} & loaded


def test_without_sdl_the_status_says_why_and_the_pump_still_stops(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    room = Room()
    with running(room):
        room.heard.until(lambda: room.heard.changes == 1)
        (status,) = room.pump.status()
        assert not status.connected
        assert "SDL cannot be started" in (status.problem or "")


def alias(name: str) -> DeviceIdentity:
    return DeviceIdentity(alias=name, matchers=(NameContains(pattern="Pad"),))
