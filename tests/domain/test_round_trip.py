"""Every value that the schema allows is the same after writing and reading, for every kind."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import ValidationError
from tests.domain import from_schema
from tests.support.prove import proves, scaled

from conductor.domain.config import Config

VALIDATOR = Draft202012Validator(Config.model_json_schema())
KEY = {"type": "Keystroke", "keys": ["a"]}
NOTE = {"type": "Note", "note": 36}
UNIONS = ["Trigger", "Action", "Condition", "Matcher", "AnyCurve"]
KINDS = [(union, kind) for union in UNIONS for kind in from_schema.kinds(union)]
relaxed = settings(
    max_examples=scaled(10),
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)


def config_with(union: str, part: dict[str, Any]) -> dict[str, Any]:
    """Build a config around one trigger, action or other part."""
    trigger, action, tables = NOTE, KEY, {}
    match union:
        case "Trigger":
            trigger = part
        case "Action":
            action = part
        case "Condition":
            trigger = {**NOTE, "when": [part]}
        case "AnyCurve":
            action = {"type": "MidiForward", "port": "Out", "curve": part}
        case _:
            tables = {"devices": [{"alias": "a", "matchers": [part]}]}
    row = {"trigger": trigger, "action": action}
    return {"modes": [{"name": "Default", "mappings": [row]}], **tables}


def accepted(raw: dict[str, Any]) -> Config:
    """Parse a config; discard it if the models are stricter than the schema."""
    try:
        return Config.model_validate(raw)
    except ValidationError as error:
        if not any(problem["type"] == "value_error" for problem in error.errors()):
            raise
        reject()


def without_nulls(item: Any) -> Any:
    """Remove values that TOML cannot represent."""
    if isinstance(item, dict):
        return {key: without_nulls(each) for key, each in item.items() if each is not None}
    return [without_nulls(each) for each in item] if isinstance(item, list) else item


@proves
@pytest.mark.parametrize(("union", "kind"), KINDS, ids=[kind for _, kind in KINDS])
@relaxed
@given(data=st.data())
def test_every_kind_comes_back_equal_and_keeps_to_the_schema(
    union: str, kind: str, data: st.DataObject
):
    config = accepted(config_with(union, data.draw(from_schema.of(kind))))
    plain = config.to_plain()
    assert Config.model_validate(plain) == config
    assert plain == without_nulls(plain), "TOML has no null"
    VALIDATOR.validate(json.loads(json.dumps(plain)))


@proves
@relaxed
@given(
    settings=from_schema.of("Settings"),
    llm=from_schema.of("LlmSettings"),
    skills=from_schema.of("SkillsSettings"),
    knowledge=from_schema.of("KnowledgeSettings"),
)
def test_settings_come_back_equal(**tables: dict[str, Any]):
    config = accepted(tables)
    plain = config.to_plain()
    assert Config.model_validate(plain) == config
    assert plain == without_nulls(plain), "TOML has no null"


@proves
@relaxed
@given(profile=from_schema.of("Profile"), mode=from_schema.of("Mode"))
def test_profiles_and_modes_come_back_equal(profile: dict[str, Any], mode: dict[str, Any]):
    config = accepted({"profiles": [profile], "modes": [mode]})
    assert Config.model_validate(config.to_plain()) == config


@pytest.mark.parametrize(("union", "kind"), KINDS, ids=[kind for _, kind in KINDS])
def test_an_unknown_field_is_refused_in_every_kind(union: str, kind: str):
    schema = from_schema.DEFINITIONS[kind]
    part = {"type": schema["properties"]["type"]["const"], "no_such_field": 1}
    with pytest.raises(ValidationError, match="no_such_field"):
        Config.model_validate(config_with(union, part))


def test_true_and_one_are_told_apart_when_they_are_written():
    for value in (True, 1, 1.0):
        raw = config_with("Action", {"type": "SetVariable", "name": "n", "value": value})
        [(_, _, mapping)] = Config.model_validate(raw).list_all_mappings()
        written = mapping.action.to_plain().get("value", True)
        assert (written, type(written)) == (value, type(value))


def test_actions_inside_one_another_have_a_limit():
    action: dict[str, Any] = KEY
    for _ in range(8):
        action = {"type": "Sequence", "actions": [action]}
    with pytest.raises(ValidationError, match="more than 8 deep"):
        Config.model_validate(config_with("Action", action))
