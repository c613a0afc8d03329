"""Controls are called by what is printed on them; numbers only where nothing is printed."""

import pytest
from pydantic import TypeAdapter

from conductor.domain.change_kinds import (
    Change,
    CreateMapping,
    DeleteMapping,
    MoveMapping,
    UpdateMapping,
)
from conductor.domain.changes import describe_change
from conductor.domain.config import Config
from conductor.domain.config import Mapping as ConfigMapping
from conductor.domain.control_labels import ControlLabel, LabelledControl, label_controls
from conductor.domain.control_names import (
    VIRTUAL_DEVICE,
    ControlNames,
    NamedControl,
    list_named_controls,
    parse_own_name,
)
from conductor.domain.device_profile import Variant
from conductor.domain.events import InputEvent
from conductor.domain.mapping_names import format_mapping_name, format_trigger_name
from conductor.domain.phrases import describe_event_row, describe_named_event
from conductor.domain.row_phrases import (
    find_printed_control_name,
    format_control_numbers,
    format_trigger_phrase,
)
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
    assert NAMES.find_control_name("pads", "note", 40) == "Pad 1"
    assert NAMES.find_control_name("pads", "note", 36) == "Pad 5"
    assert NAMES.find_control_name("pads", "cc", 7) == "Fader 1: Master"


def test_a_control_has_no_name_on_another_channel_or_device() -> None:
    assert NAMES.find_control_name("pads", "note", 40, 10) == "Pad 1"
    assert NAMES.find_control_name("pads", "note", 40, 3) is None
    assert NAMES.find_control_name("keys", "note", 40) is None


def test_a_mapping_for_every_device_has_a_name_if_the_devices_agree() -> None:
    assert NAMES.find_control_name(None, "note", 40) == "Pad 1"
    other = NamedControl("note", 40, None, "Play")
    both = ControlNames({"pads": list_named_controls(PADS), "deck": [other]})
    assert both.find_control_name(None, "note", 40) is None
    assert both.find_control_name("deck", "note", 40) == "Play"


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
    assert names.find_control_name(None, "note", 60) == name
    assert names.find_control_name(VIRTUAL_DEVICE, "note", 60) == "Pad 1"


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
    assert format_trigger_phrase(made, NAMES) == words
    assert format_control_numbers(made) == numbers


def test_a_chord_with_a_control_that_has_no_name_keeps_its_numbers() -> None:
    made = trigger(type="NoteChord", notes=[40, 99])
    assert format_trigger_phrase(made, NAMES) == format_trigger_phrase(made)


OWN_NAMES = ControlNames({"pads": (parse_own_name(("note 41 10", "Kick")), *NAMES.devices["pads"])})


@pytest.mark.parametrize(
    ("fields", "printed"),
    [
        ({"type": "Note", "note": 41, "device": "pads"}, "Pad 2"),
        ({"type": "Note", "note": 41}, "Pad 2"),
        ({"type": "NoteChord", "notes": [40, 41], "device": "pads"}, "Pad 2"),
        ({"type": "Note", "note": 40, "device": "pads"}, ""),
        ({"type": "Note", "note": 99, "device": "pads"}, ""),
    ],
)
def test_the_printed_name_of_a_control_with_a_name_of_the_users_own_is_known(
    fields: dict[str, object], printed: str
) -> None:
    assert find_printed_control_name(trigger(**fields), OWN_NAMES) == printed
    assert find_printed_control_name(trigger(**fields), NAMES) == ""


def test_an_event_is_described_with_the_name_of_its_control() -> None:
    event: EventRow = {
        "kind": "note_on",
        "device": "pads",
        "channel": 10,
        "number": 40,
        "value": 100,
        "time": 1.0,
    }
    named = NAMES.add_name_to_event(event)
    assert describe_event_row(named) == "Pad 1, note 40 (E1) ch 10 velocity 100"
    assert describe_event_row(event) == "note 40 (E1) ch 10 velocity 100"
    assert "printed" not in named
    assert OWN_NAMES.add_name_to_event({**event, "number": 41}).get("printed") == "Pad 2"
    assert NAMES.add_name_to_event({**event, "kind": "timer"}).get("control") is None


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"type": "Note", "note": 40}, "Pad 1 (note 40)"),
        ({"type": "Note", "note": 40, "channel": 10}, "Pad 1 (note 40 ch 10)"),
        (
            {"type": "LongPress", "note": 40, "duration_ms": 600, "device": "pads"},
            "Hold Pad 1 (note 40) 600 ms on pads",
        ),
        (
            {"type": "NoteChord", "notes": [40, 41]},
            "Chord Pad 1 + Pad 2 (note 40, note 41)",
        ),
        ({"type": "CC", "cc": 7, "value_min": 64}, "Fader 1: Master (CC 7) from 64"),
        ({"type": "Note", "note": 99, "channel": 2}, "Note 99 (D#6) ch 2"),
    ],
)
def test_a_sentence_has_the_name_of_a_control_before_its_number(
    fields: dict[str, object], words: str
) -> None:
    assert format_trigger_name(trigger(**fields), NAMES) == words


def test_a_kind_of_trigger_that_shows_no_name_keeps_its_numbers_and_channel() -> None:
    names = ControlNames({"keys": [NamedControl("pitch_bend", 0, None, "Pitch wheel")]})
    made = trigger(type="PitchBend", channel=3)
    assert format_trigger_name(made, names) == format_trigger_name(made) == "Pitch bend ch 3"


def mapping(note: int, description: str | None = None) -> ConfigMapping:
    return ConfigMapping.model_validate(
        {
            "description": description,
            "trigger": {"type": "Note", "note": note, "device": "pads"},
            "action": {"type": "Keystroke", "keys": ["x"]},
        }
    )


def test_a_mapping_without_a_description_is_called_by_its_control() -> None:
    assert (
        format_mapping_name("mode:Live", 0, mapping(40), NAMES)
        == "Pad 1 (note 40) on pads, mapping 1 of mode Live"
    )
    assert (
        format_mapping_name("mode:Live", 0, mapping(40, "Undo"), NAMES)
        == "Undo, mapping 1 of mode Live"
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            CreateMapping(mode="Live", mapping=mapping(41)),
            "Pad 2 -> X, in mode Live",
        ),
        (
            UpdateMapping(mode="Live", index=0, trigger=trigger(type="Note", note=41)),
            "Change Pad 1 in mode Live: fire on Pad 2",
        ),
        (
            DeleteMapping(mode="Live", index=0),
            "Delete Pad 1 in mode Live",
        ),
        (
            MoveMapping(mode="Live", index=0, to_index=1),
            "Move Pad 1 in mode Live to place 2",
        ),
        (
            DeleteMapping(mode="Live", index=1),
            "Delete Note 99 (D#6) on pads in mode Live",
        ),
        (
            UpdateMapping(mode="Live", index=2, enabled=False),
            "Change “Save it all” in mode Live: switch it off",
        ),
        (
            UpdateMapping(mode="Live", index=2, action=mapping(41).action),
            "Change “Save it all” in mode Live: X",
        ),
        (
            UpdateMapping(mode="Live", index=2, action=mapping(41).action, description="Cut"),
            "Change “Save it all” in mode Live: do X, name it “Cut”",
        ),
        (
            UpdateMapping(mode="Live", index=2, description=""),
            "Change “Save it all” in mode Live: remove its name",
        ),
        (
            DeleteMapping(mode="Live", index=3),
            "Delete “Twice”, mapping 4 of mode Live",
        ),
    ],
)
def test_a_change_is_described_with_the_name_of_its_mapping(change: Change, words: str) -> None:
    twice = [mapping(97, "Twice"), mapping(96, "Twice")]
    rows = [mapping(40), mapping(99), mapping(98, "Save it all"), *twice]
    config = Config.model_validate(
        {"modes": [{"name": "Live", "mappings": [row.to_plain() for row in rows]}]}
    )
    assert describe_change(change, names=NAMES, config=config) == words


def test_a_recorded_event_is_described_as_a_live_one_is() -> None:
    event = InputEvent("note_on", "pads", 10, 40, 100, 1.0)
    assert describe_named_event(event, NAMES) == "Pad 1, note 40 (E1) ch 10 velocity 100"
    assert describe_named_event(event) == "note 40 (E1) ch 10 velocity 100"
    assert describe_named_event(InputEvent("timer", "", 0, 0, 0, 1.0), NAMES) == "timer"


def test_the_controls_of_a_gesture_have_labels_unless_two_devices_disagree() -> None:
    def label(*controls: tuple[str, int]) -> tuple[ControlLabel, ...]:
        labelled = (LabelledControl(device, "note", number, None) for device, number in controls)
        return label_controls(labelled, NAMES)

    assert label(("pads", 40), ("pads", 41), ("pads", 99)) == (
        ControlLabel(control="note 40", name="Pad 1"),
        ControlLabel(control="note 41", name="Pad 2"),
    )
    assert label(("pads", 40), ("keys", 40)) == ()
