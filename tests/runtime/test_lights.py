"""Lights in the engine process: the port decides which table is used, and a refusal says what is possible."""

from pathlib import Path

import pytest

from conductor.base.resource_paths import find_knowledge_paths
from conductor.domain.config import Config
from conductor.domain.lights import Light, LightTable, build_light_table
from conductor.errors import ActionFailed
from conductor.profiles.catalog import load_catalog, save_user_profile
from conductor.profiles.light_check import explain_unlit
from conductor.runtime.light_tables import (
    list_light_table_messages,
    list_light_table_messages_for,
)
from conductor.runtime.lights import DeviceLights


class Outputs:
    """Outputs by alias, which remember what was sent."""

    def __init__(self, ports: dict[str, str]) -> None:
        self._ports = ports
        self.sent: list[str] = []

    def find_port_name(self, port: str) -> str:
        return self._ports[port]

    def send(self, port: str, message: bytes) -> None:
        self.sent.append(f"{port} {message.hex(' ')}")


PORTS = {
    "grid": "APC MINI",
    "pads": "Launchpad X LPX MIDI Out",
    "beats": "Arturia BeatStep",
    "mini": "X-TOUCH MINI",
    "lpd": "LPD8 mk2",
    "other": "Acme Box",
}


@pytest.fixture
def outputs() -> Outputs:
    return Outputs(PORTS)


@pytest.fixture
def lights(outputs: Outputs, tmp_path: Path) -> DeviceLights:
    profiles = load_catalog(tmp_path).profiles.values()
    found = DeviceLights(outputs)
    found.replace_tables(
        [build_light_table(profile).model_dump(mode="json") for profile in profiles]
    )
    return found


@pytest.mark.parametrize(
    ("device", "light", "sent"),
    [
        ("grid", Light("note", 3, None, "red"), ["grid 90 03 03"]),
        ("pads", Light("note", 11, None, "red"), ["pads 90 0b 05"]),
        ("beats", Light("note", 36, None, "red"), ["beats f0 00 20 6b 7f 42 02 00 10 78 01 f7"]),
        ("mini", Light("note", 16, None, "on"), ["mini 9a 08 01"]),
        ("pads", Light("note", 11, None, 87), ["pads 90 0b 57"]),
        ("other", Light("note", 11, 3, 87), ["other 92 0b 57"]),
        (
            "pads",
            Light("note", 11, None, "off", set_up=True),
            ["pads f0 00 20 29 02 0c 0e 01 f7", "pads 90 0b 00"],
        ),
    ],
)
def test_each_device_is_lit_in_its_own_way(
    lights: DeviceLights, outputs: Outputs, device: str, light: Light, sent: list[str]
):
    lights.show_light(device, light)
    assert outputs.sent == sent


@pytest.mark.parametrize(
    ("device", "light", "reason"),
    [
        ("mini", Light("note", 16, None, "red"), "cannot show `red`; it shows off, on, blinking"),
        ("mini", Light("note", 16, None, 21), "cannot show `21`"),
        ("grid", Light("note", 3, None, "blue"), "it shows off, on, green, green blinking, red"),
        ("grid", Light("cc", 48, None, "red"), "no known light for cc 48; it can light Pad"),
        ("lpd", Light("note", 36, None, "red"), "a Led action cannot light note 36"),
        ("other", Light("note", 1, None, "red"), "no profile says how `other` shows `red`"),
    ],
)
def test_what_a_device_cannot_show_is_refused_with_what_it_can(
    lights: DeviceLights, outputs: Outputs, device: str, light: Light, reason: str
):
    with pytest.raises(ActionFailed, match=reason):
        lights.show_light(device, light)
    assert outputs.sent == []


def test_a_control_on_several_channels_needs_its_channel(tmp_path: Path):
    table = build_light_table(load_catalog(tmp_path).profiles["akai-apc40-mkii"])
    with pytest.raises(ActionFailed, match="channels 1, 2, 3, 4, 5, 6, 7, 8; give its channel"):
        table.build_messages(Light("note", 51, None, "on"))


def make_config(action: str) -> Config:
    mapping = {
        "trigger": {"type": "Note", "note": 1},
        "action": {"type": action, **ACTIONS[action]},
    }
    device = {"alias": "pads", "matchers": [{"type": "NameContains", "pattern": "Launchpad X"}]}
    return Config.model_validate({"devices": [device], "global_mappings": [mapping]})


ACTIONS = {"Led": {"device": "pads", "control": "note 11"}, "Text": {"text": "hi"}}


def test_the_tables_are_sent_only_with_a_config_that_lights_something(tmp_path: Path):
    assert list_light_table_messages(tmp_path, make_config("Text")) == []
    [message] = list_light_table_messages(tmp_path, make_config("Led"))
    assert "Akai APC mini" in {table["model"] for table in message.tables}


def test_the_tables_are_sent_before_the_test_of_the_first_light(tmp_path: Path):
    led = make_config("Led").global_mappings[0].action
    [message] = list_light_table_messages_for(tmp_path, make_config("Text"), led)
    assert "Akai APC mini" in {table["model"] for table in message.tables}
    assert list_light_table_messages_for(tmp_path, make_config("Led"), led) == []
    text = make_config("Text").global_mappings[0].action
    assert list_light_table_messages_for(tmp_path, make_config("Text"), text) == []


def test_bad_light_data_of_one_device_does_not_stop_the_config(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    folder = find_knowledge_paths(tmp_path).profiles_folder
    folder.mkdir(parents=True)
    shipped = Path(__file__).parents[2] / "knowledge/devices/akai-apc-mini.toml"
    text = shipped.read_text().replace("[[lights]]", '[[lights]]\nlights = ["seven", "1-63"]', 1)
    save_user_profile(folder, text)
    [message] = list_light_table_messages(tmp_path, make_config("Led"))
    models = {str(table["model"]) for table in message.tables}
    assert "Akai APC mini" not in models
    assert any("Launchpad X" in model for model in models)
    assert "the lights of the device profile akai-apc-mini cannot be used" in caplog.text


def test_a_colour_is_checked_before_the_device_is_connected(tmp_path: Path):
    catalog, config = load_catalog(tmp_path), make_config("Led")
    assert explain_unlit(catalog, config, "pads", Light("note", 11, None, "red"), ()) is None
    unlit = explain_unlit(catalog, config, "pads", Light("note", 99, None, "red"), ())
    assert unlit is not None
    assert "no known light for note 99" in unlit
    no_red = explain_unlit(catalog, config, "pads", Light("note", 8, None, "red"), ["X-TOUCH MINI"])
    assert no_red is not None
    assert "it shows off, on, blinking" in no_red


def test_tables_that_are_replaced_while_one_is_parsed_are_used_from_then_on(
    lights: DeviceLights, outputs: Outputs, monkeypatch: pytest.MonkeyPatch
):
    parse = LightTable.model_validate

    def parse_and_replace(table: object) -> LightTable:
        lights.replace_tables([])  # as the link's thread does when a config is loaded
        return parse(table)

    monkeypatch.setattr(LightTable, "model_validate", parse_and_replace)
    lights.show_light("grid", Light("note", 3, None, "red"))
    assert outputs.sent == ["grid 90 03 03"]
    with pytest.raises(ActionFailed):
        lights.show_light("grid", Light("note", 3, None, "red"))
