"""Changes: each kind does what its sentence says, and references follow a renamed mode or device."""

from typing import Any, get_args

import pytest
from pydantic import TypeAdapter, ValidationError

from conductor.domain.change_kinds import Change, ChangeBase
from conductor.domain.changes import apply_change, describe_change
from conductor.domain.config import Config
from conductor.domain.validate import check_config
from conductor.errors import ConfigError, UnknownDevice, UnknownMode

adapter: TypeAdapter[Change] = TypeAdapter(Change)
ACTION = {"type": "Text", "text": "hi"}
CONFIG = Config.model_validate(
    {
        "devices": [{"alias": "pads", "matchers": [{"type": "ExactName", "pattern": "P"}]}],
        "modes": [
            {
                "name": "Default",
                "color": "blue",
                "mappings": [
                    {"trigger": {"type": "Note", "note": 0, "device": "pads"}, "action": ACTION},
                    {
                        "trigger": {"type": "Note", "note": 1, "when": ["Always"]},
                        "action": {"type": "ModeChange", "mode": "Two"},
                    },
                    {
                        "trigger": {"type": "Note", "note": 2},
                        "action": {
                            "type": "Sequence",
                            "actions": [{"type": "ModeChange", "mode": "Two"}, ACTION],
                        },
                    },
                ],
            },
            {"name": "Two"},
        ],
        "global_mappings": [
            {
                "trigger": {
                    "type": "CC",
                    "cc": 1,
                    "when": [{"type": "Not", "condition": {"type": "ModeIs", "mode": "Two"}}],
                },
                "action": {"type": "Led", "device": "pads", "control": "note 1"},
            },
            {
                "trigger": {
                    "type": "Note",
                    "note": 9,
                    "when": [{"type": "ControlHeld", "note": 1, "device": "pads"}],
                },
                "action": {"type": "MidiForward", "port": "pads"},
            },
        ],
        "profiles": [{"name": "Editor", "match": {"executable": "code"}, "mode": "Two"}],
        "settings": {
            "engine": {"start_mode": "Two", "allow_shell": True},
            "names": {"pads": {"note 0": "Kick"}},
        },
    }
)


def change(kind: str, **fields: Any) -> Change:
    return adapter.validate_python({"change_type": kind, **fields})


def after(kind: str, **fields: Any) -> Config:
    return apply_change(CONFIG, change(kind, **fields))


def notes(config: Config, mode: str = "Default") -> list[int]:
    found = config.find_mode(mode)
    assert found is not None
    return [mapping.trigger.model_dump()["note"] for mapping in found.mappings]


def row(note: int = 36) -> dict[str, Any]:
    return {"trigger": {"type": "Note", "note": note}, "action": ACTION}


def test_a_mapping_is_added_at_the_end_or_at_an_index():
    assert notes(after("CreateMapping", mode="Default", mapping=row())) == [0, 1, 2, 36]
    assert notes(after("CreateMapping", mode="Default", index=1, mapping=row())) == [0, 36, 1, 2]
    assert notes(after("CreateMapping", mode="Default", index=99, mapping=row())) == [0, 1, 2, 36]


def test_a_mapping_without_a_place_is_global_and_one_of_a_profile_goes_there():
    assert len(after("CreateMapping", mapping=row()).global_mappings) == 3
    assert len(after("CreateMapping", profile="Editor", mapping=row()).profiles[0].mappings) == 1


def test_only_the_parts_of_a_mapping_that_are_given_change():
    trigger = {"type": "CC", "cc": 5}
    changed = after("UpdateMapping", mode="Default", index=0, trigger=trigger, enabled=False)
    mapping = changed.modes[0].mappings[0]
    assert mapping.trigger.type == "CC"
    assert not mapping.enabled
    assert mapping.action == CONFIG.modes[0].mappings[0].action


def test_a_description_is_set_and_removed():
    named = after("UpdateMapping", mode="Default", index=0, description="copy")
    assert named.modes[0].mappings[0].description == "copy"
    cleared = apply_change(named, change("UpdateMapping", mode="Default", index=0, description=""))
    assert cleared.modes[0].mappings[0].description is None


def test_a_mapping_is_deleted():
    assert notes(after("DeleteMapping", mode="Default", index=1)) == [0, 2]


def test_a_mapping_is_moved_within_its_mode_and_to_another_place():
    assert notes(after("MoveMapping", mode="Default", index=0)) == [1, 2, 0]
    assert notes(after("MoveMapping", mode="Default", index=2, to_index=0)) == [2, 0, 1]
    moved = after("MoveMapping", mode="Default", index=0, to_mode="Two")
    assert (notes(moved), notes(moved, "Two")) == ([1, 2], [0])
    assert len(after("MoveMapping", mode="Default", index=0, to_global=True).global_mappings) == 3


def test_a_mode_is_created_with_mappings_at_a_place():
    created = after("CreateMode", name="New", color="red", index=0, mappings=[row()])
    assert [mode.name for mode in created.modes] == ["New", "Default", "Two"]
    assert notes(created, "New") == [36]


def test_a_renamed_mode_is_followed_by_all_that_refers_to_it():
    renamed = after("UpdateMode", name="Two", new_name="Three")
    assert check_config(renamed).valid
    assert "Two" not in str(renamed.to_plain())
    assert str(renamed.to_plain()) == str(CONFIG.to_plain()).replace("'Two'", "'Three'")


def test_a_color_is_set_and_removed():
    assert after("UpdateMode", name="Default", color="red").modes[0].color == "red"
    assert after("UpdateMode", name="Default", color="").modes[0].color is None


def test_a_mode_is_deleted_but_never_the_last():
    assert [mode.name for mode in after("DeleteMode", name="Two").modes] == ["Default"]
    one = apply_change(CONFIG, change("DeleteMode", name="Two"))
    with pytest.raises(ConfigError, match="last mode"):
        apply_change(one, change("DeleteMode", name="Default"))


def test_a_deleted_mode_that_is_still_referred_to_is_an_error_of_the_result():
    report = check_config(after("DeleteMode", name="Two"))
    assert not report.valid


def test_a_renamed_device_is_followed_by_all_that_refers_to_it():
    renamed = after("UpdateDevice", alias="pads", new_alias="grid")
    assert str(renamed.to_plain()) == str(CONFIG.to_plain()).replace("'pads'", "'grid'")


def test_a_control_gets_a_name_of_its_own_and_gives_it_back():
    def rename(device: str, control: str, name: str | None) -> dict[str, dict[str, str]]:
        wanted = {"names": {device: {control: name}}}
        return after("UpdateSettings", settings=wanted).settings.names

    assert rename("virtual", "note 41", "Snare") == {
        "pads": {"note 0": "Kick"},
        "virtual": {"note 41": "Snare"},
    }
    assert rename("pads", "note 0", None) == {}


@pytest.mark.parametrize(
    ("matcher", "devices"),
    [
        ({"type": "ExactName", "pattern": "nanoPAD 1"}, {"pads", "grid", "raw:nanoPAD 1 #2"}),
        (
            {"type": "ExactName", "pattern": "nanoPAD 1", "occurrence": 2},
            {"pads", "raw:nanoPAD 1", "grid"},
        ),
        (
            {"type": "NameContains", "pattern": "Fire"},
            {"pads", "raw:nanoPAD 1", "raw:nanoPAD 1 #2"},
        ),
    ],
)
def test_the_names_of_controls_follow_a_device_that_gets_a_name(
    matcher: dict[str, Any], devices: set[str]
):
    names = {"raw:nanoPAD 1": {"note 1": "Kick"}, "raw:nanoPAD 1 #2": {"note 1": "Snare"}}
    config = after("UpdateSettings", settings={"names": names})
    device = {"alias": "grid", "matchers": [matcher]}
    named = apply_change(config, change("CreateDevice", device=device)).settings.names
    assert set(named) == devices
    if "grid" in named:
        assert named["grid"]["note 1"] == ("Kick" if "occurrence" not in matcher else "Snare")


@pytest.mark.parametrize(
    ("control", "name", "why"),
    [
        ("note 1", "kick", "both called"),
        ("note 1", " ", "needs a name"),
        ("note 1", "a" * 41, "needs a name"),
        ("pad 1", "Snare", "is no control"),
    ],
)
def test_a_name_that_would_confuse_is_refused(control: str, name: str, why: str):
    with pytest.raises(ConfigError, match=why):
        after("UpdateSettings", settings={"names": {"pads": {control: name}}})


def test_devices_come_change_and_go():
    matchers = [{"type": "NameContains", "pattern": "K"}]
    created = after("CreateDevice", device={"alias": "knobs", "matchers": matchers})
    assert [device.alias for device in created.devices] == ["pads", "knobs"]
    muted = after("UpdateDevice", alias="pads", enabled=False, matchers=matchers).devices[0]
    assert (muted.enabled, muted.matchers[0].type) == (False, "NameContains")
    assert after("DeleteDevice", alias="pads").devices == ()


def test_profiles_come_change_and_go():
    created = after("CreateProfile", profile={"name": "Web", "match": {"executable": "firefox"}})
    assert [profile.name for profile in created.profiles] == ["Editor", "Web"]
    changed = after("UpdateProfile", name="Editor", new_name="Code", mode="").profiles[0]
    assert (changed.name, changed.mode) == ("Code", None)
    assert after("DeleteProfile", name="Editor").profiles == ()


def test_settings_are_merged_and_null_is_the_default():
    changed = after("UpdateSettings", settings={"engine": {"osc_port": 9, "start_mode": None}})
    engine = changed.settings.engine
    assert (engine.osc_port, engine.start_mode, engine.allow_shell) == (9, None, True)


def test_other_sections_are_settings_too():
    wanted = {"llm": {"providers": {"own": {"model": "m"}}}, "settings": {"ui": {"theme": "dark"}}}
    changed = after("UpdateSettings", settings=wanted)
    assert changed.llm.providers["own"].model == "m"
    assert changed.settings.ui.theme == "dark"


def test_a_whole_config_replaces_another():
    assert after("ReplaceConfig", config={}) == Config()


@pytest.mark.parametrize(
    ("kind", "fields", "error", "words"),
    [
        ("CreateMapping", {"mode": "Tow", "mapping": row()}, UnknownMode, "did you mean `Two`"),
        (
            "DeleteMapping",
            {"mode": "Default", "index": 9},
            ConfigError,
            "there are 3, numbered from 0",
        ),
        ("DeleteMapping", {"mode": "Two", "index": 0}, ConfigError, "there are none"),
        ("DeleteMapping", {"profile": "X", "index": 0}, ConfigError, "no profile is called `X`"),
        ("CreateMode", {"name": "Two"}, ConfigError, "mode `Two` already exists"),
        ("UpdateMode", {"name": "Two", "new_name": "Default"}, ConfigError, "already exists"),
        ("UpdateDevice", {"alias": "pad"}, UnknownDevice, "did you mean `pads`"),
        ("DeleteDevice", {"alias": "pad"}, UnknownDevice, "did you mean `pads`"),
        ("DeleteMode", {"name": "Tow"}, UnknownMode, "did you mean `Two`"),
        ("DeleteProfile", {"name": "X"}, ConfigError, "no profile is called `X`"),
        (
            "UpdateSettings",
            {"settings": {"engine": {"osc_port": 0}}},
            ConfigError,
            "osc_port: must be",
        ),
        ("UpdateSettings", {"settings": {"engin": {}}}, ConfigError, "engin: "),
        ("UpdateSettings", {"settings": {"llm": 3}}, ConfigError, "llm: "),
    ],
)
def test_what_cannot_be_done_says_why(
    kind: str, fields: dict[str, Any], error: type[Exception], words: str
):
    with pytest.raises(error, match=words):
        after(kind, **fields)


def test_a_mapping_has_one_place():
    with pytest.raises(ValidationError, match="not both"):
        change("DeleteMapping", mode="Default", profile="Editor", index=0)


def test_every_kind_of_change_is_in_the_union():
    union = get_args(get_args(Change.__value__)[0])
    listed = {kind.__name__ for kind in union}
    known = {
        kind.__name__ for kind in ChangeBase.__subclasses__() if kind.__name__ != "MappingChange"
    }
    placed = {
        each.__name__ for kind in ChangeBase.__subclasses__() for each in kind.__subclasses__()
    }
    assert listed == known | placed


def test_the_tag_is_required_where_models_read_the_schema():
    schema = adapter.json_schema()
    for kind in schema["discriminator"]["mapping"]:
        assert "change_type" in schema["$defs"][kind]["required"]


@pytest.mark.parametrize(
    ("kind", "fields", "sentence"),
    [
        (
            "CreateMapping",
            {
                "mode": "Default",
                "mapping": {
                    "trigger": {"type": "Note", "note": 36},
                    "action": {"type": "Keystroke", "keys": ["cmd", "c"]},
                },
            },
            "Note 36 (C1) -> Cmd+C, in mode Default",
        ),
        ("DeleteMapping", {"index": 2}, "Delete mapping 3 of all modes"),
        ("MoveMapping", {"index": 0, "to_mode": "Two"}, "to the end of mode Two"),
        (
            "UpdateMapping",
            {"index": 0, "trigger": {"type": "NoteChord", "notes": [1, 2]}, "enabled": False},
            "Change mapping 1 of all modes: fire on Chord 1 + 2, switch it off",
        ),
        ("UpdateMode", {"name": "A", "new_name": "B"}, "Rename mode A to B"),
        ("DeleteMode", {"name": "A"}, "Delete mode A"),
        ("DeleteProfile", {"name": "A"}, "Delete profile A"),
        (
            "UpdateSettings",
            {"settings": {"engine": {"osc_port": 9, "start_mode": None}}},
            "Set engine.osc_port to 9, engine.start_mode to its default",
        ),
        ("ReplaceConfig", {"config": {}}, "Replace the whole config"),
    ],
)
def test_a_change_is_said_in_a_sentence(kind: str, fields: dict[str, Any], sentence: str):
    assert sentence in describe_change(change(kind, **fields))
