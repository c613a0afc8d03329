"""Names of keys and gamepad controls: canonical names, aliases, and suggestions for unknown names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductor.domain import keys
from conductor.domain.keys import (
    canonicalize_analog_trigger,
    canonicalize_axis,
    canonicalize_button,
    canonicalize_key,
    split_keys,
)


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        ("Cmd", "cmd"),
        ("command", "cmd"),
        ("Control", "ctrl"),
        ("option", "alt"),
        ("Win", "super"),
        ("Return", "enter"),
        ("ESC", "escape"),
        ("UpArrow", "up"),
        ("page_down", "pagedown"),
        ("prtsc", "printscreen"),
        ("nexttrack", "next"),
        ("volume_up", "volumeup"),
        ("Strg", "ctrl"),
        ("Pos1", "home"),
        ("F13", "f13"),
        ("A", "a"),
        (" a ", "a"),
        ("é", "é"),
        ("+", "plus"),
        ("-", "minus"),
        (" ", "space"),
    ],
)
def test_a_key_is_understood_in_many_spellings(spelled: str, name: str):
    assert canonicalize_key(spelled) == name


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("entr", "enter"), ("spcae", "space"), ("shfit", "shift"), ("f99", "f9"), ("pgupp", "pgup")],
)
def test_an_unknown_key_is_answered_with_the_nearest(typed: str, meant: str):
    with pytest.raises(ValueError, match=f"unknown key `{typed}` - did you mean `{meant}`"):
        canonicalize_key(typed)


def test_a_key_like_no_other_is_answered_without_a_guess():
    with pytest.raises(ValueError, match=r"unknown key `qqqqqq`$"):
        canonicalize_key("qqqqqq")


@given(st.sampled_from(sorted(keys.KEY_NAMES)))
def test_every_key_name_is_its_own_spelling_in_any_case(name: str):
    assert canonicalize_key(name) == name
    assert canonicalize_key(name.upper()) == name


@given(st.sampled_from(sorted(keys.KEY_NAMES)) | st.characters(codec="latin-1"))
def test_reading_a_key_twice_changes_nothing(name: str):
    try:
        once = canonicalize_key(name)
    except ValueError:
        return
    assert canonicalize_key(once) == once


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("cmd+shift+c", ["cmd", "shift", "c"]),
        ("c", ["c"]),
        ("+", ["plus"]),
        ("ctrl++", ["ctrl", "plus"]),
        ("ctrl+-", ["ctrl", "-"]),
        ("ctrl + a", ["ctrl ", " a"]),
    ],
)
def test_a_chord_written_as_one_text_is_split_at_its_plus_signs(text: str, names: list[str]):
    assert split_keys(text) == names


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        ("A", "south"),
        ("cross", "south"),
        ("Circle", "east"),
        ("LB", "l1"),
        ("share", "select"),
        ("up", "dpad_up"),
        ("button_31", "button_31"),
        (128, "south"),
        (131, "north"),
        (132, "dpad_up"),
        (136, "l1"),
        (140, "start"),
        (142, "guide"),
        (144, "r2"),
        (155, "button_27"),
    ],
)
def test_a_gamepad_button_is_understood_by_name_label_and_old_number(spelled: int | str, name: str):
    assert canonicalize_button(spelled) == name


@pytest.mark.parametrize("number", [0, 127, 256, -1])
def test_a_button_number_outside_the_old_range_is_refused(number: int):
    with pytest.raises(ValueError, match="outside 128-255"):
        canonicalize_button(number)


def test_a_truth_value_is_no_button():
    with pytest.raises(ValueError, match="a button is a name"):
        canonicalize_button(name=True)


def test_an_unknown_button_is_answered_with_the_nearest():
    with pytest.raises(ValueError, match="did you mean `triangle`"):
        canonicalize_button("triangel")


def test_an_unknown_button_like_no_other_is_answered_with_all():
    with pytest.raises(ValueError, match=r"buttons are south, east"):
        canonicalize_button("zzz")


@pytest.mark.parametrize(
    ("spelled", "name"),
    [("LeftX", "left_x"), ("right_stick_y", "right_y"), (128, "left_x"), (131, "right_y")],
)
def test_a_stick_axis_is_understood_by_name_and_old_number(spelled: int | str, name: str):
    assert canonicalize_axis(spelled) == name


@pytest.mark.parametrize("name", ["left", "axis_", 132])
def test_an_unknown_axis_is_refused(name: int | str):
    with pytest.raises(ValueError, match="axis"):
        canonicalize_axis(name)


@pytest.mark.parametrize(
    ("spelled", "name"), [("LT", "left"), ("r2", "right"), (132, "left"), (133, "right")]
)
def test_an_analog_trigger_is_understood_by_name_and_old_number(spelled: int | str, name: str):
    assert canonicalize_analog_trigger(spelled) == name


def test_an_unknown_analog_trigger_is_refused_with_the_two_there_are():
    with pytest.raises(ValueError, match="`left` or `right`"):
        canonicalize_analog_trigger("middle")
