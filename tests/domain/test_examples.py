"""The example configs: each one loads, is valid, and together they use every kind there is."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conductor.cli.reference import map_classes_by_tag
from conductor.domain.actions import ACTION_KINDS
from conductor.domain.conditions import Condition
from conductor.domain.config import Config
from conductor.domain.curves import AnyCurve
from conductor.domain.devices import Matcher
from conductor.domain.triggers import TRIGGER_KINDS
from conductor.domain.validate import check_config
from conductor.domain.value import Value

FOLDER = Path(__file__).resolve().parents[1] / "data" / "configs"
FILES = sorted(FOLDER.rglob("*.toml"))
COUNTS = {"ableton-live": 25, "hardware-synth": 31, "xbox-gamepad": 33}
every_file = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


def load(file: Path) -> Config:
    return Config.model_validate(tomllib.loads(file.read_text()))


def values(item: Any) -> Iterator[Value]:
    """Return every record inside a record."""
    if isinstance(item, Value):
        yield item
        for name in type(item).model_fields:
            yield from values(getattr(item, name))
    elif isinstance(item, tuple):
        for each in item:
            yield from values(each)


@every_file
def test_an_example_has_no_errors_and_no_warnings(file: Path):
    report = check_config(load(file))
    assert [problem.format() for problem in (*report.errors, *report.warnings)] == []
    assert report.valid


@every_file
def test_an_example_comes_back_equal_after_it_is_written(file: Path):
    config = load(file)
    assert Config.model_validate(config.to_plain()) == config


@every_file
def test_writing_an_example_twice_gives_the_same(file: Path):
    written = load(file).to_plain()
    assert Config.model_validate(written).to_plain() == written


@pytest.mark.parametrize(("name", "count"), COUNTS.items())
def test_the_large_examples_keep_all_their_mappings(name: str, count: int):
    [file] = FOLDER.rglob(f"{name}.toml")
    assert len(list(load(file).list_all_mappings())) == count


def test_together_the_examples_use_every_kind_of_everything():
    used = {type(value) for file in FILES for value in values(load(file))}
    sets = [TRIGGER_KINDS, ACTION_KINDS, *map(map_classes_by_tag, (Condition, AnyCurve, Matcher))]
    kinds = [kind for each in sets for kind in each.values()]
    assert [kind.__name__ for kind in kinds if kind not in used] == []


def test_an_older_config_is_written_back_in_todays_words():
    written = str(load(FOLDER / "older" / "midimon.toml").to_plain())
    older = (
        *("modifiers", "bindings", "then_action", "else_action", "CompoundTrigger", "NoteOn'"),
        *("SendMIDI", "'Chord'", "application", "command", "behavior", "soft_max", "app_name"),
        *("hold_duration_ms", "min_pressure", "center_deadzone", "stop_on_error", "inclusive"),
    )
    assert [word for word in older if word in written] == ["NoteOn'"]  # SendMidi's message type
    assert "'keys': ['cmd', 'c']" in written


def test_old_button_numbers_become_names():
    buttons = {
        mapping.trigger.list_controls()[0][1]
        for _, _, mapping in load(FOLDER / "older" / "xbox-gamepad.toml").list_all_mappings()
    }
    assert {"south", "dpad_up", "guide", "l2", "r2", "left", "right_y"} <= buttons
