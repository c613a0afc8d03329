"""Mappings have one name for people: description or trigger in words, and the place counted from 1."""

import pytest
from tests.support.simulate import config, does

from conductor.domain.mapping_names import format_mapping_name, format_row_name
from conductor.domain.trace import MappingRef


@pytest.mark.parametrize(
    ("description", "scope", "expected"),
    [
        ("Undo", "mode:Default", "Undo, mapping 2 of mode Default"),
        (None, "mode:A: #1", "Hold 36 (C1) 600 ms on pads, mapping 2 of mode A: #1"),
        ("", "profile:Code", "Hold 36 (C1) 600 ms on pads, mapping 2 of profile Code"),
        ("Undo", "global", "Undo, mapping 2 of all modes"),
    ],
)
def test_a_mapping_and_its_plain_row_have_the_same_name(
    description: str | None, scope: str, expected: str
) -> None:
    row = does("LongPress note=36 duration_ms=600 device=pads", {"type": "Text", "text": "x"})
    mapping = config([{**row, "description": description}]).global_mappings[0]
    assert format_mapping_name(scope, 1, mapping) == expected
    ref = MappingRef(scope, 1, mapping)
    plain = {
        "mapping": ref.get_identifier(),
        "scope": scope,
        "index": 1,
        "trigger": mapping.trigger.to_plain(),
    }
    assert format_row_name(plain) == expected


def test_a_failure_without_description_is_named_by_its_place() -> None:
    row = {"mapping": "mode:Default #2", "scope": "mode:Default", "index": 2}
    assert format_row_name(row) == "mapping 3 of mode Default"
