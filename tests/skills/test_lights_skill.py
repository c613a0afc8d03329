"""The skill for lights, followed literally: its mappings, its tools and its error texts are those of Conductor."""

import json
import re
from collections.abc import Generator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.support.running import REPOSITORY, RunningConductor, running_conductor

from conductor.cli.skill_references import DEVICE_PROFILES_FOLDER
from conductor.domain.actions.led import LedAction
from conductor.domain.config import Config
from conductor.domain.examples import Example
from conductor.domain.lights import Light
from conductor.domain.validate import check_config
from conductor.engine.examples.check import run_example
from conductor.engine.script import parse_script
from conductor.engine.script_defaults import apply_script_defaults
from conductor.engine.simulate import Simulation
from conductor.errors import ConductorError
from conductor.profiles.catalog import load_catalog
from conductor.profiles.light_check import explain_unlit

FOLDER = REPOSITORY / "skills" / "conductor-lights"
TEXT = (FOLDER / "SKILL.md").read_text()
MAPPINGS: list[dict[str, Any]] = [
    json.loads(row) for row in re.findall(r"`(\{\"trigger\".*?\})` \|", TEXT)
]
EXAMPLE = json.loads(next(iter(re.findall(r"`(\{\"name\".*?\})`", TEXT))))
APC = "APC MINI"
CONFIG: dict[str, Any] = {
    "modes": [{"name": "Default"}, {"name": "Live"}],
    "devices": [{"alias": "pads", "matchers": [{"type": "NameContains", "pattern": APC}]}],
    "global_mappings": MAPPINGS,
}
TOML = f"""
[[modes]]
name = "Default"
[[modes]]
name = "Live"
[[devices]]
alias = "pads"
matchers = [{{ type = "NameContains", pattern = "{APC}" }}]
"""
LED = {"type": "Led", "device": "pads", "control": "note 36"}
PRESS = {"type": "Note", "note": 36}


@pytest.fixture(scope="module")
def conductor() -> Generator[RunningConductor]:
    with running_conductor(
        TOML, environment={"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}
    ) as running:
        yield running


def test_the_mappings_of_the_skill_are_a_valid_config_that_a_device_can_show(
    tmp_path: Path,
) -> None:
    config = Config.model_validate(CONFIG)
    assert len(MAPPINGS) == 4
    assert check_config(config).errors == ()
    why = partial(explain_unlit, load_catalog(tmp_path), config)
    assert [why("pads", light, (APC,)) for light in lights_in(MAPPINGS)] == [None] * 6


def lights_in(item: Any) -> list[Light]:
    if isinstance(item, list):
        return [light for part in item for light in lights_in(part)]
    if not isinstance(item, dict):
        return []
    if item.get("type") == "Led":
        number = int(item["control"].split()[1])
        return [Light("note", number, None, item["color"])]
    return [light for part in item.values() for light in lights_in(part)]


def lights_shown(gesture: str) -> list[tuple[int, str | int]]:
    """Return the lights that a gesture sets, one after another: their notes and colours."""
    config = Config.model_validate(CONFIG)
    items = apply_script_defaults(parse_script(gesture), config)
    return [
        (effect.action.light.number, effect.action.light.color)
        for trace in Simulation(config).play_items([*items])
        for effect in trace.effects
        if isinstance(effect.action, LedAction)
    ]


@pytest.mark.parametrize(
    ("gesture", "shown"),
    [
        ("tap 36", [(36, "red"), (36, "off")]),
        ("tap 37; tap 37; tap 37", [(37, "red"), (37, "off"), (37, "red")]),
        ("tap 38; tap 38", [(38, "green"), (38, "off")]),
    ],
)
def test_the_lights_follow_presses_toggles_and_modes(
    gesture: str, shown: list[tuple[int, str]]
) -> None:
    assert lights_shown(gesture) == shown


def test_the_example_of_the_skill_passes() -> None:
    result = run_example(Config.model_validate(CONFIG), Example.model_validate(EXAMPLE))
    assert result.passed, result


@pytest.mark.parametrize(
    ("device", "light", "begins"),
    [
        ("pads", Light("note", 36, None, "pink"), "cannot show `pink`; it shows"),
        ("pads", Light("note", 99, None, "red"), "has no known light for note 99"),
        ("LPD8 mk2", Light("note", 36, None, "red"), "a Led action cannot light"),
        ("Unknown", Light("note", 36, None, "red"), "no profile says how"),
        ("APC40", Light("note", 53, None, "red"), "exists on the channels"),
    ],
)
def test_the_errors_that_the_skill_explains_are_those_of_conductor(
    device: str, light: Light, begins: str, tmp_path: Path
) -> None:
    config = Config.model_validate(CONFIG)
    told = explain_unlit(load_catalog(tmp_path), config, device, light, ()) or ""
    assert begins in told
    start = begins.split("`")[0].split(";")[0].strip()
    assert start in TEXT


def test_every_device_with_lights_is_in_the_list_with_its_colours() -> None:
    text = (FOLDER / "references" / "LIGHTS.md").read_text()
    with_lights = [
        path
        for path in (REPOSITORY / DEVICE_PROFILES_FOLDER).glob("*.toml")
        if "[[lights]]" in path.read_text()
    ]
    assert len(
        {line.split("|")[1] for line in text.splitlines() if line.startswith("| ")}
    ) - 1 == len(with_lights)
    assert "| Akai APC mini | Track: note 64-71 | off, on, red, blinking, red blinking |" in text


def test_the_steps_of_the_skill_are_possible_one_after_another(conductor: RunningConductor) -> None:
    def call(tool: str, **arguments: Any) -> Any:
        assert f"`conductor_{tool}`" in TEXT, f"the skill does not name {tool}"
        return conductor.call(f"conductor_{tool}", **arguments)

    bindings = call("list_device_bindings")["device_bindings"]
    assert "pads" in {binding["device_id"] for binding in bindings}
    assert "midi_outputs" in call("list_devices")
    found = call("search_knowledge", query="APC mini lights")["chunks"]
    assert any("note-on" in chunk["content"] for chunk in found)
    assert call("get_mappings", mode="Default")["mappings"] == []
    with pytest.raises(ConductorError, match="unknown colour"):
        call("create_mapping", trigger=PRESS, action={**LED, "color": "crimson"})
    plan = call("create_mapping", trigger=PRESS, action={**LED, "color": "red"})
    assert any("no MIDI output of the device" in warning for warning in plan["warnings"])
    rows = [{"tool": "conductor_create_mapping", "arguments": mapping} for mapping in MAPPINGS]
    plan = call("batch", operations=rows, examples=[EXAMPLE])
    assert plan["changes"]
    assert [example["passed"] for example in plan["examples"]] == [True]
    assert call("preview_action", action={**LED, "color": "red"})["plan_id"]
