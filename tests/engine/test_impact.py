"""The impact of a change: what it covers, what it leaves out, and its summary."""

from typing import Any

import pytest
from tests.support.simulate import Rows, config, does, rows

from conductor.domain.change_kinds import (
    Change,
    CreateDevice,
    CreateMapping,
    CreateMode,
    CreateProfile,
    DeleteDevice,
    DeleteMapping,
    DeleteMode,
    MoveMapping,
    UpdateDevice,
    UpdateMapping,
    UpdateMode,
    UpdateProfile,
    UpdateSettings,
)
from conductor.domain.changes import apply_change
from conductor.domain.config import Config, Mapping
from conductor.domain.events import Control
from conductor.domain.impact import Impact
from conductor.engine.impact.analysis import compute_impact


def world(modes: dict[str, Rows], everywhere: Rows = (), **more: Any) -> Config:
    listed = [{"name": name, "mappings": rows(each)} for name, each in modes.items()]
    return Config.model_validate({"modes": listed, "global_mappings": rows(everywhere), **more})


def mapping(row: str) -> Mapping:
    return Mapping.model_validate(rows(row)[0])


def of(config: Config, *changes: Change) -> Impact:
    new = config
    for change in changes:
        new = apply_change(new, change)
    return compute_impact(config, new)


def note(number: int, device: str = "pads", channel: int = 1) -> Control:
    return Control(device, channel, "note", number)


LIVE = world(
    {
        "Default": ["Note note=36 -> a", "Note note=51 -> ModeChange mode=Live"],
        "Live": ["Note note=36 -> b", "Note note=40 -> c"],
        "Spare": ["Note note=36 -> b"],
    }
)


def test_a_mapping_of_one_mode_affects_its_control_in_that_mode_only():
    found = of(LIVE, DeleteMapping(mode="Live", index=0))
    assert found.summary == "May change: note 36 (C1) in mode Live. Everything else stays the same."
    assert found.covers_control(note(36), "Live")
    assert not found.covers_control(note(36), "Default")
    assert not found.covers_control(note(40), "Live")
    assert (found.modes, found.variables, found.targets) == ((), (), ("keys b",))


def test_a_condition_that_watches_a_knob_affects_the_first_value_of_the_knob():
    config = world({"Default": ["CC cc=7 value_min=64 edge=rising -> a", "Note note=36 -> b"]})
    watching: dict[str, Any] = {
        "trigger": {"type": "Note", "note": 40, "when": [{"type": "ControlHeld", "cc": 7}]},
        "action": {"type": "Keystroke", "keys": ["k"]},
    }
    found = of(config, CreateMapping.model_validate({"mode": "Default", "mapping": watching}))
    assert found.covers_control(Control("pads", 1, "cc", 7), "Default")
    assert not found.covers_control(note(36), "Default")


def test_a_description_affects_nothing():
    change = UpdateMapping(mode="Live", index=0, description="kick")
    assert of(LIVE, change).summary == "Changes nothing that you play."


def test_the_order_of_mappings_that_do_not_compete_affects_nothing():
    change = MoveMapping(mode="Live", index=0, to_index=1)
    assert of(LIVE, change).summary == "Changes nothing that you play."


def test_the_order_of_rivals_affects_their_control():
    config = world({"Default": ["Note note=36 -> a", "Note note=40 -> x", "Note note=36 -> b"]})
    found = of(config, MoveMapping(mode="Default", index=2, to_index=0))
    assert (
        found.summary == "May change: note 36 (C1) in mode Default. Everything else stays the same."
    )
    assert found.targets == ("keys a", "keys b")


def test_another_target_of_a_mode_change_affects_what_the_two_modes_do_differently():
    action = {"type": "ModeChange", "mode": "Spare"}
    found = of(
        LIVE, UpdateMapping.model_validate({"mode": "Default", "index": 1, "action": action})
    )
    assert set(found.modes) == {"Live", "Spare"}
    assert found.covers_control(note(51), "Default")
    assert found.covers_control(note(40), "Live")
    assert not found.covers_control(note(36), "Live")  # both modes have the same mapping for it
    assert not found.covers_control(note(36), "Default")


def test_a_variable_reaches_the_conditional_of_another_pad():
    config = world(
        {
            "Default": [
                "Note note=36 -> SetVariable name=bank value=true",
                {
                    "trigger": {"type": "Note", "note": 40},
                    "action": {
                        "type": "Conditional",
                        "condition": {"type": "VariableIs", "name": "bank"},
                        "then": {"type": "Keystroke", "keys": "a"},
                        "else": {"type": "Keystroke", "keys": "delete"},
                    },
                },
                "Note note=41 -> z",
            ]
        }
    )
    found = of(config, DeleteMapping(mode="Default", index=0))
    assert found.covers_control(note(40), "Default")
    assert not found.covers_control(note(41), "Default")
    assert found.variables == ("bank",)
    assert found.targets == ("keys a", "keys delete")


def test_variables_that_set_one_another_are_followed_to_the_end():
    chain = [
        {
            "trigger": {"type": "Note", "note": 36 + at, "when": {"type": "VariableIs", "name": f"v{at}"}},
            "action": {"type": "SetVariable", "name": f"v{at + 1}"},
        }
        for at in range(5)
    ]  # fmt: skip
    config = world(
        {"Default": ["Note note=30 -> SetVariable name=v0", *chain, "Note note=50 -> a"]}
    )
    found = of(config, DeleteMapping(mode="Default", index=0))
    assert [number for number in range(128) if found.covers_control(note(number), "Default")] == [
        30,
        *range(36, 41),
    ]
    assert found.variables == ("v0", "v1", "v2", "v3", "v4", "v5")


def test_a_chord_affects_each_of_its_notes_and_those_of_chords_that_share_one():
    config = world(
        {"Default": ["NoteChord notes=[38,40] -> a", "Note note=36 -> b", "Note note=44 -> c"]}
    )
    chord = mapping("NoteChord notes=[36,38] -> d")
    found = of(config, CreateMapping(mode="Default", mapping=chord))
    assert [number for number in range(128) if found.covers_control(note(number), "Default")] == [
        36,
        38,
        40,
    ]


def test_a_tap_beside_a_chord_affects_only_its_own_note():
    config = world({"Default": ["NoteChord notes=[38,40] -> a", "Note note=40 -> c"]})
    found = of(config, CreateMapping(mode="Default", mapping=mapping("Note note=38 -> d")))
    assert not found.covers_control(note(40), "Default")


def test_a_double_tap_reaches_the_modes_in_which_its_second_press_may_come():
    found = of(LIVE, CreateMapping(mode="Live", mapping=mapping("DoubleTap note=36 -> z")))
    assert found.covers_control(note(36), "Live")
    assert found.covers_control(note(36), "Default")
    assert not found.covers_control(note(40), "Live")


def test_a_gesture_that_keeps_the_order_reaches_all_that_its_device_plays():
    rows = ["Note note=36 device=pads -> a", "CC cc=1 -> b", "Note note=40 device=keys -> c"]
    config = world({"Default": rows})
    hold = "LongPress note=36 device=pads duration_ms=300"
    found = of(config, CreateMapping(mode="Default", mapping=mapping(f"{hold} -> z")))
    assert not found.covers_control(Control("pads", 1, "cc", 1), "Default")
    ordered = mapping(f"{hold} keep_order=true -> z")
    found = of(config, CreateMapping(mode="Default", mapping=ordered))
    assert found.covers_control(Control("pads", 1, "cc", 1), "Default")
    assert not found.covers_control(note(40, "keys"), "Default")


def test_a_device_and_a_channel_narrow_the_control():
    found = of(LIVE, CreateMapping(mapping=mapping("Note note=60 device=pads channel=10 -> a")))
    assert (
        found.summary == "May change: note 60 (C3) ch 10 on pads. Everything else stays the same."
    )
    assert found.covers_control(note(60, channel=10), "Spare")
    assert not found.covers_control(note(60, channel=9), "Spare")
    assert not found.covers_control(note(60, device="keys", channel=10), "Spare")


PADS = {"alias": "pads", "matchers": [{"type": "NameContains", "pattern": "Mikro"}]}
DEVICES = world(
    {"Default": ["Note note=36 device=pads -> a", "Note note=40 device=keys -> b", "CC cc=1 -> c"]},
    devices=[PADS, {"alias": "keys", "matchers": [{"type": "ExactName", "pattern": "Keystation"}]}],
)


def created(pattern: str) -> CreateDevice:
    device = {"alias": "pads2", "matchers": [{"type": "ExactName", "pattern": pattern}]}
    return CreateDevice.model_validate({"device": device})


def test_an_alias_that_takes_the_port_of_another_affects_its_mappings():
    found = of(DEVICES, created("Maschine Mikro"))
    assert found.covers_control(note(36, "pads"), "Default")
    assert not found.covers_control(note(40, "keys"), "Default")


def test_an_alias_for_another_port_affects_no_mapping_of_a_named_device():
    found = of(DEVICES, created("Launchpad"))
    assert not found.covers_control(note(36, "pads"), "Default")
    assert not found.covers_control(note(40, "keys"), "Default")


def test_a_deleted_alias_affects_its_mappings():
    found = of(DEVICES, DeleteDevice(alias="pads"))
    assert found.covers_control(note(36, "pads"), "Default")
    assert not found.covers_control(note(40, "keys"), "Default")


@pytest.mark.parametrize(
    "change",
    [UpdateDevice(alias="pads", new_alias="drums"), UpdateMode(name="Default", new_name="Main")],
)
def test_another_name_for_the_same_thing_affects_nothing(change: Change):
    found = of(DEVICES, change)
    assert found.summary == "Changes nothing that you play."
    assert not found.covers_control(note(36, "pads"), "Default")


def test_a_renamed_mode_and_a_change_in_it_cover_both_names():
    found = of(LIVE, UpdateMode(name="Live", new_name="Show"), DeleteMapping(mode="Show", index=0))
    assert found.summary == "May change: note 36 (C1) in mode Show. Everything else stays the same."
    assert found.covers_control(note(36), "Live")
    assert found.covers_control(note(36), "Show")


def test_a_muted_device_affects_what_it_plays():
    found = of(DEVICES, UpdateDevice(alias="pads", enabled=False))
    assert found.covers_control(note(36, "pads"), "Default")
    assert found.covers_control(Control("pads", 1, "cc", 1), "Default")
    assert not found.covers_control(Control("keys", 1, "cc", 1), "Default")


OUTPUTS = world(
    {
        "Default": [
            'Note note=36 -> SendMidi port="Conductor" message_type=CC',
            "Note note=37 -> MidiForward port=synth",
            'Note note=38 -> Shell argv=["ls"]',
            "Note note=39 -> cmd+c",
            "Note note=40 -> c",
        ]
    }
)


@pytest.mark.parametrize(
    ("fields", "number"),
    [
        ({"virtual_output": ""}, 36),
        ({"allow_shell": True}, 38),
        ({"cmd_key": "super"}, 39),
        ({"history_minutes": 5}, None),
    ],
)
def test_a_setting_affects_the_mappings_whose_effects_it_changes(
    fields: dict[str, Any], number: int | None
):
    found = of(OUTPUTS, UpdateSettings(settings={"engine": fields}))
    covered = [each for each in range(128) if found.covers_control(note(each), "Default")]
    assert covered == ([] if number is None else [number])
    assert found.settings == tuple(f"settings.engine.{name}" for name in fields)


def test_a_setting_that_nothing_uses_is_named():
    found = of(LIVE, UpdateSettings(settings={"engine": {"allow_shell": True}}))
    assert found.summary == "Changes nothing that you play, only settings.engine.allow_shell."


def test_a_removed_mode_is_named():
    found = of(LIVE, DeleteMode(name="Spare"))
    assert (
        found.summary
        == "May change: everything in mode Spare, which is removed. Everything else stays the same."
    )
    assert found.covers_control(note(36), "Spare")
    assert not found.covers_control(note(36), "Live")


def test_a_new_mode_changes_what_comes_next():
    config = world(
        {"Default": ["Note note=36 -> ModeChange behaviour=next"], "Live": ["Note note=40 -> c"]}
    )
    assert not of(LIVE, CreateMode(name="New")).controls
    found = of(config, CreateMode(name="New", index=1))
    assert found.covers_control(note(36), "Default")
    assert found.covers_control(note(40), "Live")


def test_a_start_mode_affects_what_the_two_modes_do_differently():
    found = of(LIVE, UpdateSettings(settings={"engine": {"start_mode": "Live"}}))
    assert found.covers_control(note(40), "Live")
    assert not found.covers_control(note(41), "Live")
    assert "Conductor starts in mode Live instead of Default" in found.settings


PROFILES = world(
    {"Default": ["Note note=36 -> a"], "Live": ["Note note=36 -> b", "Note note=37 -> c"]},
    profiles=[
        {"name": "web", "match": {"executable": "firefox"}, "mappings": rows("Note note=41 -> x")},
        {"name": "dev", "match": {"executable": "code"}, "mappings": rows("Note note=42 -> y")},
    ],
)


def test_a_mapping_of_a_profile_affects_its_control_under_that_profile():
    found = of(PROFILES, DeleteMapping(profile="web", index=0))
    assert (
        found.summary
        == "May change: note 41 (F1) under profile web. Everything else stays the same."
    )
    assert found.covers_control(note(41), "Live", "web")
    assert not found.covers_control(note(41), "Live", "dev")


def test_another_app_for_a_profile_affects_its_mappings():
    found = of(
        PROFILES, UpdateProfile.model_validate({"name": "web", "match": {"executable": "x"}})
    )
    assert found.covers_control(note(41), "Default", "web")
    assert not found.covers_control(note(42), "Default", "dev")
    assert not found.covers_control(note(36), "Default")


def test_a_new_name_of_a_profile_affects_nothing():
    found = of(PROFILES, UpdateProfile(name="web", new_name="browser"))
    assert found.summary == "Changes nothing that you play."


def test_a_profile_that_chooses_a_mode_affects_what_modes_do_differently():
    profile = {"name": "mail", "match": {"executable": "mail"}, "mode": "Live"}
    found = of(PROFILES, CreateProfile.model_validate({"profile": profile}))
    assert found.covers_control(note(37), "Live")
    assert found.covers_control(note(36), "Default")
    assert not found.covers_control(note(41), "Default", "web")


def test_a_key_held_elsewhere_may_be_released_when_a_mode_change_is_removed():
    config = world(
        {
            "Default": [
                "Note note=51 -> ModeChange mode=Live",
                "Note note=52 -> ModeChange mode=Live",
            ],
            "Live": [],
        },
        ["Note note=36 -> Keystroke keys=shift hold=while_held", "Note note=37 -> a"],
    )
    found = of(config, DeleteMapping(mode="Default", index=0))
    assert found.covers_control(note(36), "Default")
    assert not found.covers_control(note(37), "Default")


def test_an_impact_survives_a_round_trip():
    found = of(LIVE, DeleteMapping(mode="Default", index=1))
    assert Impact.model_validate_json(found.model_dump_json()) == found


def test_a_long_chain_of_variables_is_followed_to_its_end():
    def link(number: int) -> dict[str, Any]:
        action = {"type": "SetVariable", "name": f"v{number + 1}", "operation": "toggle"}
        when = [{"type": "VariableIs", "name": f"v{number}", "value": True}]
        return does(f"CC cc={number % 128} channel={number // 128 + 1}", action, when)

    links = [link(number) for number in range(600)]
    first = does("Note note=1", {"type": "SetVariable", "name": "v0", "operation": "toggle"})
    found = compute_impact(config(links), config([first, *links]))
    assert "v600" in found.variables


def test_a_setting_for_inputs_without_an_alias_affects_only_the_devices_without_one():
    grid = {"alias": "grid", "matchers": [{"type": "NameContains", "pattern": "Grid"}]}
    base = world(
        {"Default": ["Note note=36 device=grid -> a", "Note note=40 -> b"]}, devices=[grid]
    )
    found = of(base, UpdateSettings(settings={"engine": {"open_inputs": "configured"}}))
    devices = ("raw:Pads", "grid", "pads")
    assert [name for name in devices if found.covers_control(note(40, name), "Default")] == [
        "raw:Pads"
    ]
    assert not any(found.covers_control(note(36, name), "Default") for name in devices)
