"""Controller files of other programs: what each says of its device becomes a profile, and nothing else does."""

import sys
from pathlib import Path

import pytest
from tests.support.running import REPOSITORY

from conductor.domain.device_profile import DeviceProfile, Group
from conductor.domain.lights import Light, build_light_table
from conductor.errors import ActionFailed
from conductor.profiles.catalog import ProfileCatalog, load_catalog, save_user_profile
from conductor.profiles.controller_files.importer import (
    import_profile_from_content,
    import_profile_from_path,
)
from conductor.profiles.controller_files.profile import ImportedProfile
from conductor.profiles.files import parse_profile
from conductor.profiles.toml_text import render_profile_toml

FILES = REPOSITORY / "tests" / "data" / "controller_files"
NO_PROFILES = ProfileCatalog({}, frozenset())
FOUND = {
    "acme-deck.midi.xml": [
        ("Channel1: Play", "button", "note", (11,), 1, None, "note_off"),
        ("Channel2: Play", "button", "note", (11,), 2, None, None),
        ("Hotcue 1 pad", "pad", "note", (0,), 8, None, None),
        ("Hotcue 2 pad", "pad", "note", (1,), 8, None, None),
        ("Browse knob", "encoder", "cc", (64,), 7, "twos_complement", None),
        ("Tempo slider", "fader", "cc", (0,), 1, None, None),
        ("Crossfader", "fader", "cc", (31,), 7, None, None),
    ],
    "acme-deck.midi.js": [
        ("Play button", "button", "note", (11,), 1, None, None),
        ("Volume", "knob", "cc", (19,), 1, None, None),
    ],
    "acme-mix.map": [
        ("Transport roll", "button", "note", (41,), 1, None, None),
        ("Transport toggle click", "button", "note", (42,), 1, None, None),
        ("Route gain B1", "knob", "cc", (20,), 1, None, None),
        ("Route gain B2", "knob", "cc", (21,), 1, None, None),
        ("Bus gain master", "fader", "pitch_bend", (0,), 2, None, None),
        ("Scroll", "encoder", "cc", (60,), 1, "twos_complement", None),
        ("Zoom", "encoder", "cc", (61,), 1, None, None),
    ],
    "acme-grid.json": [
        ("Pad 1", "pad", "note", (36,), 10, None, None),
        ("Pad 2", "pad", "note", (37,), 10, None, None),
        ("Encoder 1", "encoder", "cc", (16,), 1, "offset_64", None),
        ("volume", "knob", "cc", (7,), 1, None, None),
        ("Play", "button", "cc", (41,), None, None, None),
    ],
    "acme-grid.lua": [
        ("Fader 1", "fader", "pitch_bend", (0,), 1, None, None),
        ("Fader 2", "fader", "pitch_bend", (0,), 2, None, None),
        ("Encoder", "encoder", "cc", (16,), 1, "sign_magnitude", None),
        ("Play", "button", "cc", (41,), 1, None, None),
    ],
    "acme-pads.control.js": [
        ("Play", "knob", "cc", (41,), None, None, None),
        ("Stop", "knob", "cc", (42,), None, None, None),
        *((f"Pad {n}", "pad", "note", (35 + n,), None, None, None) for n in range(1, 5)),
        ("Rec", "knob", "cc", (45,), None, None, None),
        ("Loop", "knob", "cc", (46,), None, None, None),
    ],
    "acme_generic.py": [
        *((f"Device {n}", "knob", "cc", (21 + n,), 3, None, None) for n in range(1, 4)),
        ("Volume 1", "knob", "cc", (7,), 1, None, None),
        ("Volume 2", "knob", "cc", (7,), 2, None, None),
        ("Play", "button", "cc", (118,), 3, None, None),
        ("Stop", "button", "cc", (117,), 3, None, None),
        ("Pad 1", "pad", "note", (36,), 10, None, None),
        ("Pad 2", "pad", "note", (37,), 10, None, None),
    ],
    "acme_keys": [
        ("Play button", "button", "cc", (115,), 16, None, None),
        ("Shift button", "button", "note", (12,), 16, None, None),
        ("Master slider", "fader", "cc", (7,), 16, None, None),
        ("Jog encoder", "encoder", "cc", (21,), 1, "twos_complement", None),
        *((f"Pad {n}", "pad", "note", (35 + n,), 10, None, None) for n in range(1, 5)),
    ],
}
"""The controls of each file: name, role, message, number, channel, coding and kind of release."""
SAID = {
    "acme-deck.midi.xml": [
        "One binding has no message",
        "14-bit",
        "One light",
        "acme-deck.midi.js",
    ],
    "acme-deck.midi.js": ["computed by the script"],
    "acme-mix.map": ["2 bindings have no message", "does not name a port"],
    "acme-grid.json": ["2 mappings have no MIDI message"],
    "acme-grid.lua": ["One mapping has no MIDI message"],
    "acme-pads.control.js": ["Shift", "not run"],
    "acme_generic.py": ["turns endlessly"],
    "acme_keys": ["2 controls are computed"],
}


def bring(file: str, name: str = "", port: str = "") -> ImportedProfile:
    return import_profile_from_path(FILES / file, NO_PROFILES, name, port)


def controls_of(profile: DeviceProfile) -> list[tuple[object, ...]]:
    return [
        (
            group.name.replace("{n}", str(index + 1)),
            group.role,
            group.message,
            (number,),
            group.channels[index] if group.channels else group.channel,
            group.encoding,
            group.release,
        )
        for group in profile.variants[0].groups
        for index, number in enumerate(group.numbers)
    ]


@pytest.mark.parametrize("file", FOUND)
def test_the_controls_that_a_file_names_are_those_of_its_profile(file: str) -> None:
    found = bring(file)
    assert controls_of(found.profile) == FOUND[file]
    assert found.control_count == len(FOUND[file])


@pytest.mark.parametrize("file", SAID)
def test_what_was_left_out_is_said(file: str) -> None:
    text = "\n".join(bring(file).not_understood)
    assert [part for part in SAID[file] if part not in text] == []


@pytest.mark.parametrize("file", FOUND)
def test_a_profile_can_be_saved_and_read_again(file: str, tmp_path: Path) -> None:
    profile = bring(file, name="Acme Test 1", port="Acme Test").profile
    assert parse_profile(render_profile_toml(profile)) == profile
    save_user_profile(tmp_path / "knowledge" / "devices", render_profile_toml(profile))
    found = load_catalog(tmp_path).find_profile_for_port("Acme Test MIDI 1")
    assert found is not None
    assert found.profile.id == "acme-test-1"


@pytest.mark.parametrize("file", FOUND)
def test_every_fact_names_the_file_as_its_only_source(file: str) -> None:
    profile = bring(file).profile
    groups: list[Group] = [group for variant in profile.variants for group in variant.groups]
    assert {fact.grade for fact in (*groups, *profile.lights, *profile.usb)} == {"one_source"}
    assert file in profile.sources[0].title


def test_the_lights_of_a_file_can_be_lit() -> None:
    table = build_light_table(bring("acme-deck.midi.xml").profile)
    assert table.build_messages(Light("note", 11, 1, "on")) == [bytes((0x90, 11, 127))]
    assert table.build_messages(Light("note", 11, 1, "off")) == [bytes((0x90, 11, 1))]
    with pytest.raises(ActionFailed):
        table.build_messages(Light("note", 0, 8, "on"))


def test_maker_model_ports_and_usb_numbers_come_from_the_file() -> None:
    pads, keys = bring("acme-pads.control.js").profile, bring("acme_keys").profile
    assert (pads.maker, pads.model) == ("Acme", "Pads 4")
    assert [one.to_plain()["pattern"] for one in pads.matchers] == ["Acme Pads 4"]
    assert (keys.maker, keys.model) == ("Acme", "Keys 25")
    assert [(one.vendor_id, one.product_id) for one in keys.usb] == [(4660, 1), (4660, 2)]
    assert bring("acme-grid.json").profile.matchers == ()


def test_what_the_user_gives_wins_over_the_file() -> None:
    profile = bring("acme-pads.control.js", name="Own Name", port="Own Port").profile
    assert (profile.maker, profile.model, profile.id) == ("Own", "Name", "own-name")
    assert [one.to_plain()["pattern"] for one in profile.matchers] == ["Own Port"]


def test_an_imported_profile_hides_no_bundled_one_and_says_whose_port_it_takes(
    tmp_path: Path,
) -> None:
    catalog = load_catalog(tmp_path)
    found = import_profile_from_path(FILES / "acme-mix.map", catalog, "Akai MPD218", "MPD218")
    assert found.profile.id == "akai-mpd218-imported"
    assert "already has a profile for this port, Akai MPD218" in found.not_understood[0]


def test_a_profile_of_conductor_is_taken_as_it_is() -> None:
    text = render_profile_toml(bring("acme-mix.map").profile)
    found = import_profile_from_content("mine.toml", text.encode(), NO_PROFILES, "", "")
    assert found.program == "Conductor"
    assert render_profile_toml(found.profile) == text


def test_no_script_is_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    before = set(sys.modules)
    for file in FOUND:
        bring(file)
    assert list(tmp_path.iterdir()) == []
    assert not {name for name in set(sys.modules) - before if "acme" in name}


def test_the_numbers_of_a_series_must_count_from_one() -> None:
    rows = "".join(
        f'<Binding channel="1" note="{note}" function="pad {number}"/>'
        for note, number in ((36, 1), (37, 2), (40, 5))
    )
    names = [
        control[0]
        for control in controls_of(xml(f"<ArdourMIDIBindings>{rows}</ArdourMIDIBindings>"))
    ]
    assert names == ["Pad 1", "Pad 2", "Pad 5"]


def xml(text: str) -> DeviceProfile:
    return import_profile_from_content("test.map", text.encode(), NO_PROFILES, "", "").profile


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-8-sig"])
def test_xml_in_other_encodings_is_read(encoding: str) -> None:
    text = (
        f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?>'
        '<ArdourMIDIBindings name="Ärger 2"><Binding channel="1" ctl="1" function="x"/></ArdourMIDIBindings>'
    )
    found = import_profile_from_content("a.map", text.encode(encoding), NO_PROFILES, "", "")
    assert (found.profile.maker, found.profile.model) == ("Ärger", "2")


def test_names_that_try_to_mislead_are_made_plain() -> None:
    text = '<ArdourMIDIBindings name="A {n} B"><Binding channel="1" ctl="1" function="{n} \u202egnp.exe"/></ArdourMIDIBindings>'
    profile = xml(text)
    assert profile.variants[0].groups[0].name == "(n) gnp exe"
    assert f"{profile.maker} {profile.model}" == "A (n) B"
