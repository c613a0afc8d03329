"""Controls are called by what is printed on them; numbers only where nothing is printed."""

import pytest
from pydantic import TypeAdapter

from conductor.domain.control_names import (
    VIRTUAL_DEVICE,
    ControlNames,
    NamedControl,
    list_named_controls,
)
from conductor.domain.device_profile import Variant
from conductor.domain.phrases import describe_event_row
from conductor.domain.row_phrases import format_numbers, format_trigger
from conductor.domain.triggers import Trigger
from conductor.domain.wire_rows import EventRow

PADS = Variant.model_validate(
    {
        "id": "factory",
        "name": "Factory",
        "when": "always",
        "groups": [
            {
                "id": "pads",
                "role": "pad",
                "name": "Pad {n}",
                "message": "note",
                "numbers": ["36-43"],
                "columns": 4,
                "rows_from_bottom": True,
                "channel": 10,
                "grade": "one_source",
                "sources": ["manual"],
            },
            {
                "id": "master",
                "role": "fader",
                "name": "Fader {n}: Master",
                "message": "cc",
                "numbers": [7],
                "grade": "one_source",
                "sources": ["manual"],
            },
        ],
    }
)
NAMES = ControlNames({"pads": list_named_controls(PADS)})
_TRIGGER: TypeAdapter[Trigger] = TypeAdapter(Trigger)


def trigger(**fields: object) -> Trigger:
    return _TRIGGER.validate_python(fields)


def test_a_control_is_numbered_as_on_the_device() -> None:
    assert NAMES.find("pads", "note", 40) == "Pad 1"
    assert NAMES.find("pads", "note", 36) == "Pad 5"
    assert NAMES.find("pads", "cc", 7) == "Fader 1: Master"


def test_a_control_has_no_name_on_another_channel_or_device() -> None:
    assert NAMES.find("pads", "note", 40, 10) == "Pad 1"
    assert NAMES.find("pads", "note", 40, 3) is None
    assert NAMES.find("keys", "note", 40) is None


def test_a_mapping_for_every_device_has_a_name_if_the_devices_agree() -> None:
    assert NAMES.find(None, "note", 40) == "Pad 1"
    other = NamedControl("note", 40, None, "Play")
    both = ControlNames({"pads": list_named_controls(PADS), "deck": [other]})
    assert both.find(None, "note", 40) is None
    assert both.find("deck", "note", 40) == "Play"


@pytest.mark.parametrize(
    ("devices", "others", "name"),
    [
        (("virtual",), False, "Pad 1"),
        (("virtual",), True, None),
        (("virtual", "pads"), False, None),
    ],
)
def test_the_virtual_controller_names_the_controls_of_no_other_device(
    devices: tuple[str, ...], others: bool, name: str | None
) -> None:
    known = {
        VIRTUAL_DEVICE: (NamedControl("note", 60, 10, "Pad 1"),),
        "pads": list_named_controls(PADS),
    }
    names = ControlNames({device: known[device] for device in devices}, others=others)
    assert names.find(None, "note", 60) == name
    assert names.find(VIRTUAL_DEVICE, "note", 60) == "Pad 1"


@pytest.mark.parametrize(
    ("fields", "words", "numbers"),
    [
        ({"type": "Note", "note": 40, "channel": 10}, "Pad 1", "note 40 (E1) ch 10"),
        ({"type": "Note", "note": 40, "velocity_min": 80}, "Pad 1 velocity 80+", "note 40 (E1)"),
        (
            {"type": "LongPress", "note": 40, "duration_ms": 600},
            "Hold Pad 1 600 ms",
            "note 40 (E1)",
        ),
        ({"type": "DoubleTap", "note": 41}, "Double tap Pad 2", "note 41 (F1)"),
        (
            {"type": "NoteChord", "notes": [40, 41]},
            "Chord Pad 1 + Pad 2",
            "note 40 (E1), note 41 (F1)",
        ),
        ({"type": "NoteRelease", "note": 40}, "Release Pad 1", "note 40 (E1)"),
        ({"type": "CC", "cc": 7, "value_min": 64}, "Fader 1: Master from 64", "CC 7"),
        ({"type": "EncoderTurn", "cc": 7}, "Fader 1: Master", "CC 7"),
    ],
)
def test_a_trigger_is_described_with_the_names_of_its_controls(
    fields: dict[str, object], words: str, numbers: str
) -> None:
    made = trigger(**fields)
    assert format_trigger(made, NAMES) == words
    assert format_numbers(made) == numbers


def test_a_chord_with_a_control_that_has_no_name_keeps_its_numbers() -> None:
    made = trigger(type="NoteChord", notes=[40, 99])
    assert format_trigger(made, NAMES) == format_trigger(made)


def test_an_event_is_described_with_the_name_of_its_control() -> None:
    event: EventRow = {
        "kind": "note_on",
        "device": "pads",
        "channel": 10,
        "number": 40,
        "value": 100,
        "time": 1.0,
    }
    named = NAMES.add_to_event(event)
    assert describe_event_row(named) == "Pad 1, note 40 (E1) ch 10 velocity 100"
    assert describe_event_row(event) == "note 40 (E1) ch 10 velocity 100"
    assert NAMES.add_to_event({**event, "kind": "timer"}).get("control") is None
