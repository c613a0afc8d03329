"""The report on a config: unknown names, impossible gestures, and coverage."""

from typing import Any

import pytest

from conductor.base.suggestions import format_suggestion
from conductor.domain.config import Config
from conductor.domain.validate import Problem, Report, check_config

KEY = {"type": "Keystroke", "keys": ["a"]}
NOTE = {"type": "Note", "note": 36}
PADS = {"alias": "pads", "matchers": [{"type": "NameContains", "pattern": "Pad"}]}


def report(*mappings: tuple[dict[str, Any], dict[str, Any]], **tables: Any) -> Report:
    rows = [{"trigger": trigger, "action": action} for trigger, action in mappings]
    modes = [{"name": "Default", "mappings": rows}, {"name": "Media"}]
    return check_config(Config.model_validate({"modes": modes, **tables}))


def errors(*mappings: tuple[dict[str, Any], dict[str, Any]], **tables: Any) -> list[str]:
    return [problem.format() for problem in report(*mappings, **tables).errors]


def warnings(*mappings: tuple[dict[str, Any], dict[str, Any]], **tables: Any) -> list[str]:
    return [problem.format() for problem in report(*mappings, **tables).warnings]


def test_a_sound_config_is_valid_and_quiet():
    sound = report((NOTE, KEY))
    assert (sound.valid, sound.errors, sound.warnings) == (True, (), ())


def test_an_unknown_mode_is_an_error_with_its_place_and_the_nearest_name():
    wrong = report((NOTE, {"type": "ModeChange", "mode": "Meida"}))
    assert not wrong.valid
    assert [problem.format() for problem in wrong.errors] == [
        "modes[0].mappings[0].action: Invalid mode: 'Meida' does not exist - did you mean `Media`?"
    ]


def test_an_unknown_mode_deep_inside_an_action_is_found():
    inner = {"type": "ModeChange", "mode": "Nowhere"}
    nested = {"type": "Conditional", "condition": "Always", "then": KEY, "else": inner}
    [text] = errors((NOTE, {"type": "Sequence", "actions": [nested]}))
    assert text.startswith("modes[0].mappings[0].action: Invalid mode: 'Nowhere' does not exist")
    assert text.endswith("there is `Default`, `Media`")


@pytest.mark.parametrize(
    ("tables", "place"),
    [
        ({"settings": {"engine": {"start_mode": "Gone"}}}, "settings.engine.start_mode"),
        (
            {"profiles": [{"name": "P", "match": {"executable": "x"}, "mode": "Gone"}]},
            "profiles[0].mode",
        ),
    ],
)
def test_an_unknown_mode_in_settings_and_profiles_is_found(tables: dict[str, Any], place: str):
    assert [text.split(":")[0] for text in errors(**tables)] == [place]


def test_an_unknown_mode_in_a_condition_is_found_in_triggers_and_actions():
    gone = {"type": "Not", "condition": {"type": "ModeIs", "mode": "Gone"}}
    found = errors(
        ({**NOTE, "when": [gone]}, KEY),
        (NOTE, {"type": "Conditional", "condition": gone, "then": KEY}),
    )
    assert [text.split(":")[0] for text in found] == [
        "modes[0].mappings[0].trigger.when",
        "modes[0].mappings[1].action.condition",
    ]


@pytest.mark.parametrize(
    ("tables", "text"),
    [
        (
            {"devices": [PADS, PADS]},
            "devices[1].alias: device `pads` already exists: give this one another alias, or add its matchers to the first",
        ),
        (
            {"modes": [{"name": "A"}, {"name": "A"}]},
            "modes[1].name: mode `A` already exists: put its mappings under it and delete this header",
        ),
        (
            {"profiles": [{"name": "P", "match": {"executable": "x"}}] * 2},
            "profiles[1].name: profile `P` already exists: put its mappings under it and delete this header",
        ),
    ],
)
def test_a_name_given_twice_is_an_error(tables: dict[str, Any], text: str):
    assert [problem.format() for problem in check_config(Config.model_validate(tables)).errors] == [
        text
    ]


def test_an_unknown_device_is_a_warning_with_the_nearest_alias():
    known = {"devices": [PADS]}
    assert warnings(({**NOTE, "device": "pds"}, KEY), **known) == [
        "modes[0].mappings[0].trigger.device: no device is called `pds` - did you mean `pads`?"
    ]


def test_an_unknown_device_in_a_condition_is_found():
    held = {"type": "ControlHeld", "note": 1, "device": "gone"}
    assert "no device is called `gone`" in warnings(({**NOTE, "when": [held]}, KEY))[0]


@pytest.mark.parametrize("device", ["pads", "virtual", "osc", "raw:Some Port 1"])
def test_aliases_the_built_in_devices_and_raw_ports_are_known(device: str):
    assert warnings(({**NOTE, "device": device}, KEY), devices=[PADS]) == []


def test_shell_actions_that_are_off_are_a_warning_that_says_how_to_switch_them_on():
    shell = {"type": "Sequence", "actions": [{"type": "Shell", "argv": ["true"]}] * 2}
    [text] = warnings((NOTE, shell))
    assert "settings.engine.allow_shell = true" in text
    assert warnings((NOTE, shell), settings={"engine": {"allow_shell": True}}) == []


def test_an_older_config_whose_launch_counts_as_shell_now_is_told_what_to_do():
    launch = {"type": "Launch", "app": "firefox", "args": ["--new-window"]}
    [text] = warnings((NOTE, launch))
    assert "settings.engine.allow_shell = true" in text
    assert "counts as Shell" in text
    assert warnings((NOTE, launch), settings={"engine": {"allow_shell": True}}) == []
    assert warnings((NOTE, {"type": "Launch", "app": "firefox"})) == []


def test_forms_that_no_client_may_answer_are_a_warning():
    [text] = warnings((NOTE, KEY), llm={"mcp": {"approval": "elicit_or_gui"}})
    assert "`llm.mcp.form_clients`" in text
    named = {"approval": "elicit_or_gui", "form_clients": ["a at /b"]}
    assert warnings((NOTE, KEY), llm={"mcp": named}) == []


@pytest.mark.parametrize(
    "trigger",
    [
        {"type": "EncoderTurn", "cc": 1},
        {"type": "ProgramChange", "program": 1},
        {"type": "NoteRelease", "note": 1},
        {"type": "Sysex", "pattern": "7E"},
        {"type": "CC", "cc": 1},
        {"type": "PitchBend"},
        {"type": "GamepadTrigger", "trigger": "left", "threshold": 0},
    ],
)
@pytest.mark.parametrize(
    "action",
    [
        {"type": "Keystroke", "keys": ["a"], "hold": "while_held"},
        {"type": "ModeChange", "mode": "Media", "behaviour": "momentary"},
        {"type": "PushToTalk"},
        {"type": "Repeat", "action": KEY, "delay_ms": 50, "until_release": True},
    ],
)
def test_waiting_for_a_release_that_never_comes_is_a_warning(
    trigger: dict[str, Any], action: dict[str, Any]
):
    [text] = warnings((trigger, action))
    assert (
        f"{trigger['type']} is never released, so `{action['type']}` cannot wait for that" in text
    )


@pytest.mark.parametrize(
    "trigger",
    [
        NOTE,
        {"type": "CC", "cc": 64, "value_min": 64},
        {"type": "GamepadButton", "button": "a"},
        {"type": "NoteChord", "notes": [1, 2]},
        {"type": "Aftertouch", "pressure_min": 64},
    ],
)
def test_waiting_for_a_release_that_comes_is_fine(trigger: dict[str, Any]):
    assert warnings((trigger, {**KEY, "hold": "while_held"})) == []


def test_a_channel_where_there_is_none_is_a_warning():
    trigger = {"type": "GamepadButton", "button": "a", "channel": 1}
    assert warnings((trigger, KEY)) == [
        "modes[0].mappings[0].trigger.channel: GamepadButton has no channel"
    ]


def test_forwarding_what_is_no_midi_is_a_warning():
    forward = {"type": "MidiForward", "port": "Synth"}
    assert (
        "no MIDI message to forward"
        in warnings(({"type": "GamepadButton", "button": "a"}, forward))[0]
    )


def test_coverage_counts_each_control_once():
    used = report(
        (NOTE, KEY),
        ({"type": "LongPress", "note": 36}, KEY),
        ({"type": "NoteChord", "notes": [36, 40]}, KEY),
        ({"type": "CC", "cc": 7}, KEY),
        ({"type": "EncoderTurn", "cc": 7}, KEY),
        ({"type": "EncoderTurn", "cc": 8}, KEY),
        ({"type": "GamepadButtonChord", "buttons": ["a", "b"]}, KEY),
        ({"type": "OscMessage", "address": "/a"}, KEY),
    )
    assert used.to_summary()["coverage"] == {
        "midi": {"notes_used": 2, "cc_used": 2},
        "hid": {"buttons_used": 2},
        "osc": {"addresses_used": 1},
    }


def test_profiles_and_global_mappings_are_checked_too():
    row = {"trigger": {**NOTE, "device": "x"}, "action": KEY}
    profiles = [{"name": "P", "match": {"executable": "x"}, "mappings": [row]}]
    found = report(global_mappings=[row], profiles=profiles).warnings
    assert [problem.path for problem in found] == [
        "profiles[0].mappings[0].trigger.device",
        "global_mappings[0].trigger.device",
    ]


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem(path="a.b", message="wrong", line=3), "line 3: a.b: wrong"),
        (Problem(path="a.b", message="wrong"), "a.b: wrong"),
        (Problem(path="", message="wrong", line=3), "line 3: wrong"),
    ],
)
def test_a_problem_is_one_line_with_its_place(problem: Problem, text: str):
    assert problem.format() == text


def test_a_hint_names_the_nearest_word_or_what_there_is():
    assert format_suggestion("Meda", ["Media", "DJ"]) == " - did you mean `Media`?"
    assert format_suggestion("zzz", ["Media", "DJ"]) == "; there is `Media`, `DJ`"
    assert format_suggestion("zzz", []) == ""
    assert format_suggestion("liv", ["DJ", "Live scene"]) == " - did you mean `Live scene`?"


HOLD = {"type": "LongPress", "note": 36}


@pytest.mark.parametrize(
    ("mappings", "warning"),
    [
        (
            [(NOTE, KEY), ({**HOLD, "hold_on_other_press": True, "permissive_hold": True}, KEY)],
            (
                "modes[0].mappings[1].trigger.permissive_hold: `permissive_hold` has no effect beside "
                "`hold_on_other_press`, which decides at the press already"
            ),
        ),
        (
            [({**HOLD, "quick_tap_ms": 150}, KEY)],
            (
                "modes[0].mappings[0].trigger.quick_tap_ms: `quick_tap_ms` repeats the tap of note 36, and no "
                "mapping is a tap of it"
            ),
        ),
        (
            [(NOTE, KEY), ({"type": "DoubleTap", "note": 36}, KEY), ({**HOLD, "quick_tap_ms": 300}, KEY)],
            (
                "modes[0].mappings[2].trigger.quick_tap_ms: `quick_tap_ms` has no effect: within 300 ms a second "
                "press of note 36 is a double tap"
            ),
        ),
    ],
)  # fmt: skip
def test_an_option_of_a_gesture_without_effect_is_warned_of(
    mappings: list[tuple[dict[str, Any], dict[str, Any]]], warning: str
):
    assert warnings(*mappings) == [warning]


def test_options_of_gestures_that_have_an_effect_are_quiet():
    options = {"permissive_hold": True, "quick_tap_ms": 150, "require_prior_idle_ms": 100}
    assert warnings((NOTE, KEY), ({**HOLD, **options, "keep_order": True}, KEY)) == []
