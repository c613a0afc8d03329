"""The messages about invalid values for a caller that writes JSON."""

from typing import Any

import pytest
from pydantic import ValidationError

from conductor.config.explain_invalid import explain_invalid
from conductor.tools.catalog.mapping_changes import CreateMappingParams


def told(trigger: Any, action: Any) -> str:
    with pytest.raises(ValidationError) as wrong:
        CreateMappingParams.model_validate(
            {"mode": "Default", "trigger": trigger, "action": action}
        )
    return explain_invalid(wrong.value, CreateMappingParams.model_fields)


NOTE = {"type": "Note", "note": 36}
TEXT = {"type": "Text", "text": "x"}


@pytest.mark.parametrize(
    ("trigger", "action", "words"),
    [
        (NOTE, {"type": "Text", "text": 5}, "action.Text.text: must be a text (a JSON string)"),
        (NOTE, "x", 'action: must be an object, such as {"type": "Note", "note": 36}'),
        ({**NOTE, "velocty": 3}, TEXT, "unknown key `velocty` - did you mean `velocity_min`?"),
        (
            {"type": "VelocityRange", "note": 36, "velocity_min": 60},
            TEXT,
            "unknown key `velocity_min` - did you mean `min_velocity`?",
        ),
        (
            NOTE,
            {"type": "Plugin", "server": "s", "tool": "t", "max": 3},
            "action.Plugin: unknown key `max`; there is `args`, `rate_per_s`,",
        ),
        (
            NOTE,
            {
                "type": "VolumeControl",
                "operation": "Set",
                "value": {"from": "value", "mx": 50},
            },
            "unknown key `mx` - did you mean `max`?",
        ),
    ],
)
def test_what_is_wrong_is_told_with_what_there_is(trigger: Any, action: Any, words: str):
    assert words in told(trigger, action)


@pytest.mark.parametrize(
    ("trigger", "action", "example"),
    [
        ({"type": "LongPress"}, TEXT, '{"type": "LongPress", "note": 36, "duration_ms": 500}'),
        (NOTE, {"type": "Led", "device": "p", "control": "pad 3"}, '"control": "note 36"'),
        (
            NOTE,
            {"type": "VolumeControl", "operation": "Set", "value": {"from": "value", "mx": 5}},
            '{"from": "value", "min": 0, "max": 50, "invert": true}',
        ),
        (
            {**NOTE, "when": [{"type": "TimeRange", "from": "22:00", "to": "06:00"}]},
            TEXT,
            '{"type": "TimeRange", "start": "22:00", "end": "06:00"}',
        ),
    ],
)
def test_an_error_ends_with_an_example_of_the_innermost_kind(
    trigger: Any, action: Any, example: str
):
    assert example in told(trigger, action).rpartition("Example: ")[2]


@pytest.mark.parametrize(("key", "near"), [("media_next", "next"), ("volup_key", "volup")])
def test_a_key_name_with_more_around_it_is_recognised(key: str, near: str):
    words = told(NOTE, {"type": "Keystroke", "keys": [key]})
    assert f"unknown key `{key}` - did you mean `{near}`?" in words
