"""Event scripts may name controls as they are printed; errors name the closest ones."""

from typing import Any

import pytest

from conductor.domain.control_names import ControlNames, NamedControl
from conductor.domain.events import InputEvent
from conductor.engine.script import parse_script
from conductor.errors import BadScript

NAMES = ControlNames(
    {
        "virtual": (
            NamedControl("note", 36, 10, "Pad 1"),
            NamedControl("cc", 40, 1, "Fader 1"),
            NamedControl("cc", 102, 1, "Play"),
        ),
        "pads": (
            NamedControl("note", 41, None, "Pad 1"),
            NamedControl("note", 52, None, "Pad 12"),
            NamedControl("cc", 7, 3, "Fader 1: Master"),
            NamedControl("cc", 21, 3, "Knob 1"),
            NamedControl("pitch_bend", 0, 2, "Pitch strip"),
            NamedControl("program_change", 5, None, "Bank 6"),
        ),
        "pad": (
            NamedControl("button", "south", None, "A"),
            NamedControl("axis", "left_x", None, "Left stick 1"),
            NamedControl("gamepad_trigger", "left", None, "Trigger 1"),
        ),
    }
)


def events(script: str, device: str = "") -> list[tuple[Any, ...]]:
    return [
        (item.device, item.channel, item.kind, item.number, item.value)
        for item in parse_script(script, device, 0, lambda: NAMES)
        if isinstance(item, InputEvent)
    ]


@pytest.mark.parametrize("name", ["Pad 1", "pad1", "PAD 1", "pad_1", '"Pad 1"'])
@pytest.mark.parametrize("word", ["tap ", ""])
def test_a_pad_is_tapped_by_its_name_however_it_is_written(name: str, word: str):
    assert events(f"{word}{name}") == [
        ("pads", 0, "note_on", 41, 100),
        ("pads", 0, "note_off", 41, 0),
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("down pad1", ("pads", 0, "note_on", 41, 100)),
        ("down pad1 90", ("pads", 0, "note_on", 41, 90)),
        ("down Pad 12 vel 90", ("pads", 0, "note_on", 52, 90)),
        ("down pad1 dev virtual", ("virtual", 10, "note_on", 36, 100)),
        ("down pad1 ch 4", ("pads", 4, "note_on", 41, 100)),
        ("up Pad 1", ("pads", 0, "note_off", 41, 0)),
        ("fader1 64", ("pads", 3, "cc", 7, 64)),
        ("cc Fader 1: Master 64", ("pads", 3, "cc", 7, 64)),
        ("Knob 1 2", ("pads", 3, "cc", 21, 2)),
        ("turn Knob 1 +1", ("pads", 3, "cc", 21, 1)),
        ("down Play", ("virtual", 1, "cc", 102, 127)),
        ("up play", ("virtual", 1, "cc", 102, 0)),
        ("Pitch strip 9000", ("pads", 2, "pitch_bend", 0, 9000)),
        ("bank 6", ("pads", 0, "program_change", 5, 5)),
        ("down A", ("pad", 0, "button_down", "south", 1)),
        ("Left stick 1 0.5", ("pad", 0, "axis", "left_x", 0.5)),
        ("Trigger 1 0.5", ("pad", 0, "gamepad_trigger", "left", 0.5)),
        ("down 36", ("", 0, "note_on", 36, 100)),
        ("cc 21 64 dev pads", ("pads", 0, "cc", 21, 64)),
    ],
)
def test_a_name_stands_for_the_message_of_its_control(line: str, expected: tuple[Any, ...]):
    assert events(line) == [expected]


def test_a_button_that_sends_cc_is_tapped_and_time_passes():
    script = "tap Play; cc 9 1"
    times = [round(item.time * 1000) for item in parse_script(script, "", 0, lambda: NAMES)]
    assert times == [0, 20, 20]
    assert [event[2:] for event in events("cc 102 tap")] == [("cc", 102, 127), ("cc", 102, 0)]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("tap padd1", "no control is named `padd1` - did you mean `Pad 1`, `Pad 12`, `Fader 1`?"),
        ("knb 1 64", "no control is named `knb 1 64` - did you mean `Knob 1`"),
        ("tap xyzzy", "no control is named `xyzzy`; write a name such as `Pad 1`, or the number"),
        ("xyzzy 7", "unknown word; lines begin with down, up, tap"),
        ("turn Pad 1 3", "`Pad 1` cannot be used with `turn`; leave out `turn`"),
        ("Knob 1", "write `Knob 1 64`, or `tap Knob 1` if `Knob 1` is a button"),
        ("tap pad1 dev other", "no profile names the controls of `other`: write the number"),
        ("fader1 200", "value 200 is outside 0 to 127"),
    ],
)
def test_what_is_wrong_with_a_name_is_said(line: str, words: str):
    with pytest.raises(BadScript, match="line 1") as refused:
        events(line)
    assert words in str(refused.value)


def test_a_name_on_two_devices_needs_the_device_unless_they_send_the_same():
    pad = NamedControl("note", 36, None, "Pad 1")
    same = ControlNames({"a": (pad,), "b": (pad,)})
    (event,) = parse_script("down pad1", "", 0, lambda: same)
    assert event == InputEvent("note_on", "", 0, 36, 100, 0.0)
    other = ControlNames({"a": (pad,), "b": (pad._replace(number=40),)})
    with pytest.raises(BadScript, match="`Pad 1` is on the devices `a`, `b`: add `dev a`"):
        parse_script("down pad1", "", 0, lambda: other)
    (event,) = parse_script("down pad1 dev b", "", 0, lambda: other)
    assert event == InputEvent("note_on", "b", 0, 40, 100, 0.0)


def test_the_names_are_not_read_for_a_script_with_numbers():
    def read_names() -> ControlNames:
        raise AssertionError("the names were read")

    assert len(parse_script("tap 36; cc 21 64; button south; app x, y", "", 0, read_names)) == 6
