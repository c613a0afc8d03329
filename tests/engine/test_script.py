"""Event scripts: every form of a line, and errors that name the line and the word."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.simulate import config

from conductor.domain.events import InputEvent
from conductor.engine.script import ScriptedModeSwitch, parse_script
from conductor.engine.simulate import Simulation
from conductor.errors import BadScript


def events(text: str) -> list[tuple[Any, ...]]:
    """Return events as (kind, number, value, ms)."""
    return [
        (item.kind, item.number, item.value, round(item.time * 1000, 3))
        for item in parse_script(text)
        if isinstance(item, InputEvent)
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("down 36", [("note_on", 36, 100, 0)]),
        ("down 36 vel 90", [("note_on", 36, 90, 0)]),
        ("up 36", [("note_off", 36, 0, 0)]),
        ("tap 36", [("note_on", 36, 100, 0), ("note_off", 36, 0, 20)]),
        ("down 0x24", [("note_on", 36, 100, 0)]),
        ("cc 21 64", [("cc", 21, 64, 0)]),
        ("turn 21 +2", [("cc", 21, 1, 0), ("cc", 21, 1, 10)]),
        ("turn 21 -1", [("cc", 21, 127, 0)]),
        ("turn 21 0", []),
        ("bend 8192", [("pitch_bend", 0, 8192, 0)]),
        ("pressure 80", [("channel_pressure", 0, 80, 0)]),
        ("pressure 80 note 36", [("poly_pressure", 36, 80, 0)]),
        ("program 5", [("program_change", 5, 5, 0)]),
        ("nrpn 300 8192", [("nrpn", 300, 8192, 0)]),
        ("rpn 0 256", [("rpn", 0, 256, 0)]),
        ("sysex F0 7E 01 F7", [("sysex", 0, 4, 0)]),
        ("button south down", [("button_down", "south", 1, 0)]),
        ("button a up", [("button_up", "south", 0, 0)]),
        ("button south", [("button_down", "south", 1, 0), ("button_up", "south", 0, 20)]),
        ("button south tap", [("button_down", "south", 1, 0), ("button_up", "south", 0, 20)]),
        ("axis left_x -0.8", [("axis", "left_x", -0.8, 0)]),
        ("axis left_x 7", [("axis", "left_x", 1.0, 0)]),
        ("trigger left 0.6", [("gamepad_trigger", "left", 0.6, 0)]),
        ("osc /a/b 0.5", [("osc", "/a/b", 0.5, 0)]),
        ("osc /a/b hello", [("osc", "/a/b", 1.0, 0)]),
        ("app firefox Some title", [("app", 0, 0, 0)]),
        ("unplug pads", [("device_gone", 0, 0, 0)]),
        ("plug pads", [("device_back", 0, 0, 0)]),
        ("wait 600", []),
        ("# only a comment", []),
        ("", []),
    ],
)
def test_every_form_of_a_line_is_read(line: str, expected: list[tuple[Any, ...]]):
    assert events(line) == expected


def test_a_line_may_name_its_device_channel_and_velocity_in_any_order():
    (item,) = parse_script("down 36 ch 10 vel 90 dev pads")
    assert item == InputEvent("note_on", "pads", 10, 36, 90, 0.0)
    assert parse_script("down 36 dev pads vel 90 ch 10") == [item]


def test_a_line_that_names_no_device_is_about_the_one_given():
    assert parse_script("down 36", "keys", 3) == [InputEvent("note_on", "keys", 3, 36, 100, 0.0)]


def test_what_has_no_channel_gets_none():
    script = "button south; axis left_x 1; trigger left 1; sysex 01; osc /a 1"
    assert {item.channel for item in parse_script(script) if isinstance(item, InputEvent)} == {0}


def test_an_osc_message_has_all_its_arguments_and_comes_from_osc():
    assert parse_script("osc /a x 2 y") == [
        InputEvent("osc", "osc", 0, "/a", 2.0, 0.0, ("x", 2.0, "y"))
    ]


def test_sysex_may_leave_its_frame_out():
    (item,) = parse_script("sysex 7E 01")
    assert isinstance(item, InputEvent)
    assert item.data == b"\xf0\x7e\x01\xf7"


def test_an_app_is_known_by_name_and_title():
    (item,) = parse_script("app firefox Some title")
    assert isinstance(item, InputEvent)
    assert item.data == ("firefox", "firefox", "Some title")


def test_a_mode_is_chosen_by_its_whole_name():
    assert parse_script("mode Big Room @50") == [ScriptedModeSwitch("Big Room", 0.05)]


def test_an_at_sign_sets_the_time_of_its_line_and_the_following_ones():
    assert [ms for *_, ms in events("down 1 @100; up 1; down 2 @250ms; up 2")] == [
        100,
        100,
        250,
        250,
    ]


def test_a_line_of_only_a_time_moves_the_time():
    assert [ms for *_, ms in events("@500; down 1")] == [500]


def test_waiting_and_tapping_move_the_time_on():
    assert [ms for *_, ms in events("tap 1; down 2; wait 600; up 2")] == [0, 20, 20, 620]


def test_lines_come_out_in_order_of_time():
    assert [number for _, number, *_ in events("down 1 @300; down 2 @100")] == [2, 1]


def test_lines_end_at_semicolons_and_comments_at_the_line_s_end():
    assert len(events("down 1 # strike; not a line\nup 1; down 2")) == 3


def test_a_comma_separates_gestures_but_may_be_part_of_a_title():
    assert parse_script("down 36 @100, wait 600, up 36") == parse_script(
        "down 36 @100; wait 600; up 36"
    )
    (titled,) = parse_script("app code Notes, again")
    assert isinstance(titled, InputEvent)
    assert titled.data == ("code", "code", "Notes, again")


def test_a_semicolon_in_a_comment_is_still_in_the_comment():
    assert events("down 1 # strike; up 1") == [("note_on", 1, 100, 0)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("jump 36", "line 1: `jump 36`: unknown word; lines begin with down, up, tap"),
        ("down 36\ndown x", "line 2: `down x`: `x` is not a note (0 to 127)"),
        ("down", "line 1: `down`: a note (0 to 127) is missing"),
        ("down 128", "line 1: `down 128`: note 128 is outside 0 to 127"),
        ("down 36 vel 200", "velocity 200 is outside 0 to 127"),
        ("down 36 vel loud", "`loud` is not a velocity (0 to 127)"),
        ("down 36 ch 17", "channel 17 is outside 1 to 16"),
        ("down 36 @soon", "`@soon` is not a time in ms"),
        ("wait long", "`long` is not a time in ms"),
        ("cc 21", "a value (0 to 127) is missing"),
        ("turn 21 fast", "`fast` is not a number of steps (-63 to 63)"),
        ("bend 16384", "bend 16384 is outside 0 to 16383"),
        ("pressure 80 note 200", "note 200 is outside 0 to 127"),
        ("nrpn 20000 1", "parameter 20000 is outside 0 to 16383"),
        ("sysex XY", "line 1: `sysex XY`"),
        ("button hat", "unknown gamepad button `hat`"),
        ("button south sideways", "a button goes `down`, `up` or `tap`"),
        ("axis sideways 1", "unknown stick axis `sideways`; axes are left_x"),
        ("axis left_x far", "`far` is not a position from -1 to 1"),
        ("trigger middle 1", "unknown gamepad trigger `middle`"),
        ("trigger left hard", "`hard` is not a pull from 0 to 1"),
        ("down 36 loud", "`loud` is not understood here"),
        ("down 36 dev", "`dev` is not understood here"),
        ("wait 5 dev", "`dev` is not understood here"),
        ("down 1; down 2\ndown x; up 1", "line 2: `down x`: "),
        ("button", "line 1: `button`: the button's name is missing"),
        ("axis", "line 1: `axis`: "),
        ("osc", "line 1: `osc`: "),
        ("osc a 1", "`a` is not an OSC address: it begins with /"),
        ("app", "line 1: `app`: "),
        ("unplug", "line 1: `unplug`: "),
        ("mode", "line 1: `mode`: "),
        ("sysex", "line 1: `sysex`: "),
        ("axis left_x nan", "`nan` is not a position"),
        ("wait nan", "`nan` is not a time in ms"),
        ("down 1 @inf", "`@inf` is not a time in ms"),
        ("wait -5", "`-5` is not a time in ms"),
    ],
)
def test_a_line_that_cannot_be_read_is_named_with_the_word(text: str, message: str):
    with pytest.raises(BadScript) as caught:
        parse_script(text)
    assert message in str(caught.value)
    assert "list index out of range" not in str(caught.value)


def test_a_mode_that_is_not_there_is_refused():
    with pytest.raises(BadScript, match="Invalid mode: 'Nope' does not exist"):
        Simulation(config("Note note=1 -> a")).play_items(parse_script("mode Nope"))


@given(st.text(max_size=60) | st.text("down up tap cc 0123456789 @;#.-+/x\n", max_size=60))
def test_any_text_is_a_script_or_a_bad_script(text: str):
    try:
        items = parse_script(text)
    except BadScript:
        return
    assert [item.time for item in items] == sorted(item.time for item in items)
