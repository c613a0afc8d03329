"""Configs of the first Conductor: parsed with migration notes, and written in the current format."""

from typing import Any

import pytest

from conductor.config.document import edit_document
from conductor.config.migrations import migrate_tables
from conductor.config.parse import load_config_with_notes, parse_config
from conductor.domain.change_kinds import CreateMode
from conductor.domain.changes import apply_change
from conductor.errors import ConfigError

OLD = """\
# by hand
[device]
name = "Mikro"
auto_connect = true

[advanced_settings]
chord_timeout_ms = 80
hold_threshold_ms = 900

[logging]
level = "info"

[[modes]]
name = "Default" # first

[[modes.mappings]]
# two notes
[modes.mappings.trigger]
type = "NoteChord"
notes = [1, 2] # both
[modes.mappings.action]
type = "SendMidi"
port = "out"
message_type = "CC"
channel = 0

[[modes.mappings]]
trigger = { type = "LongPress", note = 3 }
action = { type = "ModeChange", mode = 1 }

[[modes.mappings]]
trigger = { type = "LongPress", note = 4, min_duration_ms = 300 }
[modes.mappings.action]
type = "Sequence"
actions = [{ type = "SendMidi", port = "out", message_type = "CC", channel = 8 }]

[[modes]]
name = "Other"
"""


def mappings() -> list[Any]:
    return [mapping.to_plain() for _, _, mapping in parse_config(OLD).list_all_mappings()]


def test_the_one_device_becomes_an_alias_that_its_name_recognises():
    (device,) = parse_config(OLD).devices
    assert device.alias == "Mikro"
    assert [matcher.to_plain() for matcher in device.matchers] == [
        {"type": "NameContains", "pattern": "Mikro"}
    ]


def test_a_device_without_a_name_is_no_device():
    assert parse_config('[device]\nname = ""\nauto_connect = true').devices == ()


def test_shared_times_go_to_the_triggers_that_have_none():
    chord, held, own = (mapping["trigger"] for mapping in mappings())
    assert chord["timeout_ms"] == 80
    assert held["duration_ms"] == 900
    assert own["duration_ms"] == 300


def test_channels_from_0_go_up_by_one_everywhere():
    first, _, nested = (mapping["action"] for mapping in mappings())
    assert first.get("channel", 1) == 1
    assert nested["actions"][0]["channel"] == 9


def test_channels_stay_when_none_is_0():
    raw = {
        "device": {"name": ""},
        "global_mappings": [{"action": {"type": "SendMidi", "channel": 8}}],
    }
    migrated, _ = migrate_tables(raw)
    assert migrated["global_mappings"] == raw["global_mappings"]


def test_a_mode_given_by_number_is_given_by_name():
    assert mappings()[1]["action"] == {"type": "ModeChange", "mode": "Other"}


def test_every_change_is_noted():
    notes = "\n".join(load_config_with_notes(OLD).notes)
    for word in (
        "[device]",
        "[advanced_settings]",
        "chord_timeout_ms",
        "[logging]",
        "count from 1",
    ):
        assert word in notes


def test_a_config_of_today_is_left_as_it_is():
    raw = {"modes": [{"name": "A"}]}
    assert migrate_tables(raw) == (raw, ())
    assert migrate_tables(raw)[0] is raw


def test_the_tables_given_are_not_changed():
    raw = {"device": {"name": "x"}, "modes": []}
    migrate_tables(raw)
    assert raw == {"device": {"name": "x"}, "modes": []}


def test_the_first_edit_writes_the_file_in_the_format_of_today_and_keeps_comments():
    reading = load_config_with_notes(OLD)
    new = apply_change(reading.config, CreateMode(name="Third"))
    text = edit_document(OLD, reading.config, new)
    again = load_config_with_notes(text)
    assert again.config == new
    assert again.notes == ()
    for comment in ("# by hand", "# first", "# two notes", "# both"):
        assert comment in text


def test_a_file_of_a_newer_conductor_is_refused():
    with pytest.raises(ConfigError, match="made by a newer Conductor"):
        parse_config("version = 2")
