"""SDL's numbers are translated to events; runs without SDL."""

import pytest

from conductor.devices.gamepad.events import (
    CONTROLLER_AXES,
    CONTROLLER_BUTTONS,
    convert_controller_axis,
    convert_controller_button,
    convert_joystick_axis,
    convert_joystick_button,
    convert_joystick_hat,
    parse_usb_ids,
    scale_axis,
)
from conductor.domain.keys import AXIS_NAMES, canonicalize_axis, canonicalize_button


def test_every_button_and_axis_has_a_name_known_to_configs() -> None:
    assert [canonicalize_button(name) for name in CONTROLLER_BUTTONS] == list(CONTROLLER_BUTTONS)
    assert CONTROLLER_AXES == AXIS_NAMES


@pytest.mark.parametrize(
    ("raw", "position"), [(-32_768, -1.0), (-32_767, -1.0), (0, 0.0), (32_767, 1.0)]
)
def test_an_axis_reaches_both_ends_and_the_middle_exactly(raw: int, position: float) -> None:
    assert scale_axis(raw) == position


@pytest.mark.parametrize(("raw", "up"), [(-32_768, 1.0), (32_767, -1.0), (0, 0.0)])
def test_up_is_positive_on_both_sticks(raw: int, up: float) -> None:
    for index in (1, 3):
        assert [said.value for said in convert_controller_axis(index, raw, pulled=False)] == [up]


def test_a_trigger_button_does_not_chatter_around_half_way() -> None:
    near = [round(32_767 * pull) for pull in (0.51, 0.49, 0.51, 0.41)]
    assert [len(list(convert_controller_axis(5, raw, pulled=True))) for raw in near] == [1, 1, 1, 1]
    kinds = [said.kind for said in convert_controller_axis(5, round(32_767 * 0.39), pulled=True)]
    assert kinds == ["gamepad_trigger", "button_up"]


def test_a_button_added_by_a_later_sdl_is_numbered() -> None:
    assert convert_controller_button(40, down=True)[:2] == ("button_down", "button_40")


def test_names_of_unknown_pads_are_known_to_configs() -> None:
    assert canonicalize_button(str(convert_joystick_button(12, down=False).number)) == "button_12"
    assert canonicalize_axis(str(convert_joystick_axis(5, 0.0).number)) == "axis_5"
    assert convert_joystick_axis(5, 32_767 / 32_768).value == 1.0


def test_a_hat_that_swings_across_releases_before_it_presses() -> None:
    said = list(convert_joystick_hat(0, now=(1, 0), was=(-1, 0), buttons=10))
    assert [one[:2] for one in said] == [("button_up", "dpad_left"), ("button_down", "dpad_right")]


def test_a_second_hat_is_numbered_after_the_buttons() -> None:
    said = list(convert_joystick_hat(1, now=(0, -1), was=(0, 0), buttons=10))
    assert [one[:2] for one in said] == [("button_down", "button_11")]


def test_usb_ids_are_read_from_the_guid() -> None:
    assert parse_usb_ids("030000005e0400008e02000010010000") == (0x045E, 0x028E)
    assert parse_usb_ids("ff0002725e0400008e02000000007601") == (0x045E, 0x028E)


def test_a_guid_made_from_a_name_has_no_usb_ids() -> None:
    guid = b"\x05\x00\x00\x00" + b"Generic pad\x00"
    assert parse_usb_ids(guid.hex()) == (None, None)
    assert parse_usb_ids("05000000" + "00" * 12) == (None, None)
