"""`/map`, `/move` and `/alias` in a set-up: what is there, what was touched, what is meant."""

from typing import Any

import pytest
from tests.agent.saying import STAGE, called, meant, refused, row, seen
from tests.support.simulate import config

from conductor.agent.slash.commands import SlashAnswer, SlashCall, SlashText, parse_command
from conductor.domain.changes import apply_change
from conductor.domain.config import Config
from conductor.domain.control_names import ControlNames, NamedControl
from conductor.tools.catalog import REGISTRY


@pytest.mark.parametrize("word", ["auf", "nach", "zu"])
def test_german_words_stand_for_to(word: str) -> None:
    assert called(f"/map pad 36 {word} strg+c") == called("/map pad 36 to strg+c")
    assert called(f"/move 37 {word} everywhere") == called("/move 37 to everywhere")


def test_to_separates_even_if_a_name_has_a_german_word() -> None:
    named = config("Note note=40 -> a", settings={"names": {"pads": {"note 41": "Rolladen auf"}}})
    assert called("/map Rolladen auf to cmd+c", named).arguments["trigger"]["note"] == 41


def test_a_description_and_a_place_are_taken_in_either_order() -> None:
    one = called('/map 99 to cmd+x in live set as "cut"')
    other = called('/map 99 to cmd+x as "cut" in Live Set')
    first = called('/map 99 in Live Set to cmd+x as "cut"')

    assert one.arguments == other.arguments == first.arguments
    assert one.arguments["description"] == "cut"


def test_the_device_may_be_named_at_the_end() -> None:
    assert row(called("/map encoder 16 clockwise to volume up on pads in Live Set")) == meant(
        "EncoderTurn cc=16 direction=clockwise device=pads -> VolumeControl operation=Up"
    )
    assert called("/map 99 to type hold on pads").arguments["action"]["text"] == "hold on pads"


def test_a_last_in_belongs_to_the_name_before_it() -> None:
    sent = called("/map 99 to send note 60 to DAW In in Live Set")
    assert sent.arguments["mode"] == "Live Set"
    assert row(called("/map 99 to send note 60 to DAW In")).action == row(sent).action


def test_without_a_place_a_new_mapping_is_added_to_the_active_mode() -> None:
    new = parse_command("/map 99 to cmd+x", STAGE, (), mode="Live Set")
    everywhere = parse_command("/map hold 40 500ms to cmd+x", STAGE, (), mode="Live Set")
    assert isinstance(new, SlashCall)
    assert isinstance(everywhere, SlashCall)

    assert new.arguments["mode"] == "Live Set"
    assert everywhere.words == "Change LongPress 40 in every mode to Keystroke cmd+x"


def test_without_an_active_mode_the_only_mode_is_taken_or_else_every_mode() -> None:
    assert called("/map 99 to cmd+x", Config()).arguments["mode"] == "Default"
    assert "mode" not in called("/map 99 to cmd+x").arguments
    assert called("/map 99 to cmd+x in profile web").arguments["profile"] == "Web"
    assert "mode" not in called("/map 99 to cmd+x in every mode", Config()).arguments


def test_a_note_of_a_pad_ends_with_the_press_and_that_of_a_knob_does_not() -> None:
    pad = called("/map pad 99 to send note 60 to Synth").arguments["action"]
    knob = called("/map encoder 16 clockwise to send note 60 to Synth").arguments["action"]

    assert pad["hold"] == "while_held"
    assert "hold" not in knob


@pytest.mark.parametrize("words", ["play note 60", "note 60", "note c3", "note on 60"])
def test_a_message_may_be_sent_without_the_word(words: str) -> None:
    sent = row(called("/map 99 to send note 60 to Synth")).action
    assert row(called(f"/map 99 to {words} to Synth")).action == sent
    assert (
        row(called("/map 99 to cc 7 value 64 to Synth")).action
        == row(called("/map 99 to send cc 7 value 64 to Synth")).action
    )
    assert called("/map 99 to press play").arguments["action"]["type"] == "Keystroke"


def test_a_text_may_have_an_in_of_its_own() -> None:
    answer = called("/map 99 to type sign in here")

    assert answer.arguments["action"]["text"] == "sign in here"


def test_mapping_what_is_mapped_changes_it_and_keeps_its_device() -> None:
    answer = called('/map pad 36 to cmd+x in Default as "cut"')

    assert answer.tool == "conductor_update_mapping"
    assert answer.arguments == {
        "mode": "Default",
        "index": 0,
        "action": {"type": "Keystroke", "keys": ["cmd", "x"]},
        "description": "cut",
    }


def test_a_name_stays_with_another_action_unless_it_is_given() -> None:
    rows = [
        {
            "description": "copy",
            "trigger": {"type": "Note", "note": 36},
            "action": {"type": "Keystroke", "keys": ["cmd", "c"]},
        }
    ]
    before = config(rows)

    changed = called("/map note 36 to cmd+x everywhere", before)
    same = called("/map note 36 to cmd+c everywhere", before)
    renamed = called('/map note 36 to cmd+x everywhere as "cut"', before)

    assert changed.words.startswith("Change “copy” in every mode to ")
    assert changed.note == "It keeps the name “copy”."
    tool = REGISTRY.find_tool(changed.tool)
    assert tool is not None
    (change,) = tool.run(tool.params.model_validate(changed.arguments), before)
    assert apply_change(before, change).global_mappings[0].description == "copy"
    assert "description" not in same.arguments
    assert renamed.arguments["description"] == "cut"
    assert renamed.note == ""


def test_another_device_is_another_mapping() -> None:
    assert called("/map pad 36 on virtual to cmd+x in Default").tool == "conductor_create_mapping"


def test_that_is_the_control_touched_last_with_its_device_and_channel() -> None:
    recent_events = [
        seen("cc", 7, 1),
        seen("note_on", 38, 90),
        seen("note_off", 38, 0),
        seen("app", 0, 0),
    ]

    assert row(called("/map that to cmd+x", recent_events=recent_events)) == meant(
        "Note note=38 device=pads channel=10 -> cmd+x"
    )
    assert row(called("/map hold that 400ms to cmd+x", recent_events=recent_events)) == meant(
        "LongPress note=38 device=pads channel=10 duration_ms=400 -> cmd+x"
    )
    assert row(called("/map hard this to cmd+x", recent_events=recent_events)) == meant(
        "VelocityRange note=38 device=pads channel=10 min_velocity=80 -> cmd+x"
    )


def test_that_distinguishes_an_encoder_from_a_fader_by_its_messages() -> None:
    encoder = [seen("cc", 16, value) for value in (1, 1, 127, 1, 2)]
    fader = [seen("cc", 17, value) for value in (10, 14, 19, 25)]

    turned = row(called("/map that to volume up", recent_events=encoder)).trigger
    moved = row(called("/map that to volume from the fader", recent_events=fader)).trigger

    assert (turned.type, moved.type) == ("EncoderTurn", "CC")
    assert row(called("/map that clockwise to volume up", recent_events=encoder)) == meant(
        "EncoderTurn cc=16 device=pads channel=10 direction=clockwise -> VolumeControl operation=Up"
    )


def test_a_stick_that_was_pushed_is_that_too() -> None:
    pushed = [seen("axis", "left_x", -0.9, "gamepad", 0)]

    assert row(called("/map that to left", recent_events=pushed)) == meant(
        "GamepadAnalogStick axis=left_x direction=negative device=gamepad -> left"
    )


def test_without_a_touch_that_asks_for_one() -> None:
    assert "touch one" in refused("/map that to cmd+x")


def test_printed_numbers_are_those_of_the_virtual_controller_when_it_is_played() -> None:
    on = config(settings={"engine": {"virtual_controller": "on"}})

    assert (
        row(called("/map knob 3 to volume from the knob", on)).trigger
        == meant("CC cc=22 device=virtual channel=1 -> a").trigger
    )
    assert (
        row(called("/map fader 2 to volume from the knob", on)).trigger
        == meant("CC cc=41 device=virtual channel=1 -> a").trigger
    )
    pad = row(called("/map pad 1 to cmd+c", on)).trigger
    assert pad == meant("Note note=36 device=virtual channel=10 -> a").trigger
    assert (
        row(called("/map button play to space", on)).trigger
        == meant("CC cc=102 value_min=64 device=virtual channel=1 -> a").trigger
    )


def test_printed_numbers_of_unknown_devices_are_asked_for() -> None:
    assert "which control is knob 3" in refused("/map knob 3 to volume from the knob").lower()
    assert "`note 1`" in refused("/map pad 1 to cmd+c")


def test_notes_are_named_as_the_window_names_them() -> None:
    c4 = config(settings={"ui": {"note_names": "C4"}})

    assert row(called("/map C4 to a", c4)).trigger == row(called("/map C3 to a", Config())).trigger
    assert row(called("/map C-1 to a", c4)).trigger == meant("Note note=0 -> a").trigger
    assert "not a note" in refused("/map note G9 to a", Config())


def test_a_device_that_has_no_alias_is_named_by_touching_it() -> None:
    answer = called(
        "/alias keys for that", recent_events=[seen("note_on", 60, 90, "raw:Launchkey MK3")]
    )

    assert answer.arguments["matchers"] == [{"type": "ExactName", "pattern": "Launchkey MK3"}]
    assert "already called `pads`" in refused(
        "/alias keys for that", recent_events=[seen("cc", 7, 1)]
    )


def test_a_mapping_moves_to_another_mode_whole() -> None:
    answer = called("/move 37 to Live Set")

    now = STAGE
    for operation in answer.arguments["operations"]:
        tool = REGISTRY.find_tool(operation["tool"])
        assert tool is not None
        for change in tool.run(tool.params.model_validate(operation["arguments"]), now):
            now = apply_change(now, change)
    assert [len(mode.mappings) for mode in now.modes] == [1, 2]
    assert now.modes[1].mappings[1] == STAGE.modes[0].mappings[1]


def test_a_mapping_for_any_device_that_answers_the_control_is_changed_and_named() -> None:
    now = config(modes={"Default": "Note note=36 -> cmd+c\nLongPress note=36 -> cmd+v"})
    touched = [seen("note_on", 36, 90, "virtual", 10)]

    answer = called("/map that to f5", now, touched)

    assert answer.tool == "conductor_update_mapping"
    assert answer.arguments["index"] == 0
    assert "trigger" not in answer.arguments
    assert answer.words.startswith("Change Note 36")
    assert called("/map 36 on virtual to f5", now, touched).tool == "conductor_update_mapping"
    assert called("/map release that to f5", now, touched).tool == "conductor_create_mapping"


def test_a_mapping_for_this_very_control_is_changed_before_one_for_any() -> None:
    rows = "Note note=36 -> cmd+c\nNote note=36 device=virtual channel=10 -> cmd+v"
    answer = called(
        "/map that to f5",
        config(modes={"Default": rows}),
        [seen("note_on", 36, 90, "virtual", 10)],
    )

    assert answer.arguments["index"] == 1


def test_a_mapping_for_another_device_stays() -> None:
    now = config(modes={"Default": "Note note=36 device=pads -> cmd+c"})
    touched = [seen("note_on", 36, 90, "virtual", 10)]
    assert called("/map that to f5", now, touched).tool == "conductor_create_mapping"


def test_a_hold_without_a_time_lasts_as_long_as_the_settings_say() -> None:
    now = config(settings={"learn": {"long_press_ms": 650}})
    trigger = called("/map hold pad 40 to f5", now).arguments["trigger"]
    assert trigger["duration_ms"] == 650
    assert called("/map hold pad 40 1 s to f5", now).arguments["trigger"]["duration_ms"] == 1000


def test_a_gesture_that_is_mapped_is_changed_whatever_its_time() -> None:
    now = config(
        modes={
            "Default": "DoubleTap note=36 timeout_ms=250 -> f4\nLongPress note=36 duration_ms=900 -> f6"
        }
    )

    for typed, index in (("double tap", 0), ("hold", 1)):
        answer = called(f"/map {typed} pad 36 to f5 in Default", now)
        assert (answer.tool, answer.arguments["index"]) == ("conductor_update_mapping", index)
    assert called("/map double tap 36 250ms to f5 in Default", now).arguments["index"] == 0
    assert (
        called("/map double tap 36 400ms to f5 in Default", now).tool == "conductor_create_mapping"
    )
    assert called("/map hold 36 2s to f5 in Default", now).tool == "conductor_create_mapping"


def test_of_two_holds_the_one_with_the_usual_time_is_changed() -> None:
    now = config(
        modes={
            "Default": "LongPress note=36 duration_ms=2000 -> f4\nLongPress note=36 duration_ms=500 -> f6"
        }
    )
    assert called("/map hold pad 36 to f5 in Default", now).arguments["index"] == 1


def test_a_command_without_its_separator_names_the_words_that_are_not_understood() -> None:
    assert refused("/map note 99 weit oben").startswith(
        "`weit oben` is not understood here; write `/map "
    )
    assert refused("/map note 99").startswith("Write `/map ")


PRINTED = ControlNames(
    {
        "pads": [
            NamedControl("note", 41, 10, "Pad 6"),
            NamedControl("cc", 70, None, "Encoder 1"),
        ],
        "keys": [NamedControl("note", 99, None, "Pad 6"), NamedControl("cc", 7, None, "Fader 2")],
    }
)


def printed(text: str, *events: Any) -> SlashAnswer:
    return parse_command(text, STAGE, events, PRINTED)


def test_a_control_is_found_by_the_name_that_is_printed_on_it() -> None:
    answer = printed("/map pad 6 on pads to cmd+x in Live Set")
    assert isinstance(answer, SlashCall)
    assert row(answer) == meant("Note note=41 device=pads channel=10 -> cmd+x")
    assert answer.words == "Map Pad 6 (Note 41 on pads) to Keystroke cmd+x in mode Live Set"

    knob = printed("/map knob 1 to volume from the knob in Live Set")
    assert isinstance(knob, SlashCall)
    assert knob.arguments["trigger"]["cc"] == 70


def test_a_control_is_found_by_the_name_that_the_user_gave_it() -> None:
    own = {"virtual": {"note 41": "Snare", "cc 20": "Filter Cutoff"}}
    now = config(settings={"names": own})
    trigger = called("/map double tap snare to cmd+z", now).arguments["trigger"]
    assert (trigger["type"], trigger["note"], trigger["device"]) == ("DoubleTap", 41, "virtual")
    knob = called("/map filter cutoff to volume from the knob", now).arguments["trigger"]
    assert (knob["type"], knob["cc"], knob["device"]) == ("CC", 20, "virtual")


def test_a_name_that_two_devices_have_means_the_one_that_was_used_last() -> None:
    unknown = printed("/map pad 6 to cmd+x")
    assert isinstance(unknown, SlashText)
    assert "Which control is pad 6?" in unknown.text
    last = printed("/map pad 6 to cmd+x", seen("note_on", 50, 1.0, device="pads"))
    assert isinstance(last, SlashCall)
    assert last.arguments["trigger"] == {
        "type": "Note",
        "note": 41,
        "device": "pads",
        "channel": 10,
    }


def test_a_number_above_those_on_pads_stays_the_number_of_a_note() -> None:
    assert called("/map pad 41 to cmd+x").arguments["trigger"]["note"] == 41
