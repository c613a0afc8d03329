"""What a caller who writes JSON is told of wrong values."""

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
