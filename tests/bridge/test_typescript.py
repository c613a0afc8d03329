"""The page's types and forms, from the models. What the types accept: `frontend/tests/generated-types.ts`."""

import json
from typing import Any

import pytest

from conductor.bridge.commands import COMMANDS
from conductor.bridge.topics import TOPIC_MODELS
from conductor.bridge.typescript import render_form_schemas, render_types
from conductor.domain.actions import ACTION_KINDS
from conductor.domain.triggers import TRIGGER_KINDS

FORMATS = {
    "argv",
    "cc",
    "channel",
    "color",
    "curve",
    "device",
    "duration_ms",
    "gamepad_axis",
    "gamepad_button",
    "gamepad_buttons",
    "keys",
    "microphone",
    "mode",
    "note",
    "notes",
    "osc_address",
    "output",
    "plugin_args",
    "plugin_server",
    "plugin_tool",
    "variable",
}
FORMS: dict[str, Any] = json.loads(render_form_schemas())
TYPES = render_types()


@pytest.mark.parametrize("name", [*COMMANDS, *TOPIC_MODELS])
def test_every_command_and_topic_has_its_line(name: str) -> None:
    assert f'\t"{name}": ' in TYPES


def test_the_forms_have_every_kind() -> None:
    for form, kinds in (("Trigger", TRIGGER_KINDS), ("Action", ACTION_KINDS)):
        union = FORMS[form] if "oneOf" in FORMS[form] else FORMS[form]["$defs"][form]
        assert set(union["discriminator"]["mapping"]) == set(kinds)


def test_every_special_widget_is_asked_for_and_no_other() -> None:
    assert set(_formats(FORMS)) == FORMATS


def _formats(item: Any) -> list[str]:
    if isinstance(item, list):
        return [found for each in item for found in _formats(each)]
    if not isinstance(item, dict):
        return []
    own = [item["format"]] if isinstance(item.get("format"), str) else []
    return own + [found for each in item.values() for found in _formats(each)]
