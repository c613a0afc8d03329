"""Cleaning of foreign texts and schemas, without a server."""

from typing import Any

import pytest

from conductor.errors import InvalidParams
from conductor.mcp.client import schemas
from conductor.mcp.client.texts import clean_json_data, clean_text, format_log_line


@pytest.mark.parametrize(
    ("given", "seen"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]8;;http://evil\x07link\x1b]8;;\x07", "link"),
        ("\x1bP payload \x1b\\after", "after"),
        ("\x9b2Jcleared", "cleared"),
        ("\x1bcreset", "reset"),
        ("a\u202eb\u2066c\u2069", "abc"),
        ("in\u200bvis\ufeffible\u00ad", "invisible"),
        ("tag\U000e0041\U000e007f", "tag"),
        ("nul\x00bell\x07back\x08", "nulbellback"),
        ("kept: äöü 日本語 عربى 😀", "kept: äöü 日本語 عربى 😀"),
        ("a\n\n\n\n\nb\tc", "a\n\nb\tc"),
        (None, ""),
        (12, ""),
    ],
)
def test_only_visible_characters_are_left_of_a_text(given: object, seen: str):
    assert clean_text(given, 100) == seen


def test_a_text_is_truncated_at_the_limit():
    assert clean_text("x" * 5_000_000, 10) == "xxxxxxxxx…"


def test_a_line_of_the_log_is_one_line_without_secrets():
    assert format_log_line("a\r\x1b[2Kb\tbearer abcdefghijkl") == "ab [hidden]"


def test_data_is_cleaned_all_through_and_cut_when_it_is_too_much():
    assert clean_json_data({"a\u200b": ["b\x1b[1m", 1, None, True, 2.5]}, 1_000) == (
        {"a": ["b", 1, None, True, 2.5]},
        True,
    )
    assert not clean_json_data({"rows": [{"a": n} for n in range(10_000)]}, 1_000)[1]
    assert not clean_json_data({"text": "x" * 2_000}, 1_000)[1]
    deep: Any = 1
    for _ in range(150):
        deep = [deep]
    assert not clean_json_data(deep, 100_000)[1]


PLAIN = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {
        "mode": {"type": "string", "enum": ["a", "b"], "description": "which\u200b one"},
        "count": {"$ref": "#/definitions/count"},
        "pattern": {"type": "string", "pattern": "^x$"},
        "maybe": {"type": ["string", "null"]},
    },
    "required": ["mode"],
    "additionalProperties": False,
    "definitions": {"count": {"type": "integer", "minimum": 1}},
}


@pytest.mark.parametrize(
    "arguments",
    [
        {"mode": "a"},
        {"mode": "b", "count": 3},
        {"mode": "a", "count": None},
        {"mode": "a", "maybe": None},
        {"mode": "a", "pattern": "not x: its server says so"},
    ],
)
def test_valid_arguments_are_accepted(arguments: dict[str, Any]):
    schemas.build_argument_check(schemas.sanitize_schema(PLAIN))(arguments)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, "'mode' is a required property"),
        ({"mode": None}, "`mode`"),
        ({"mode": "c"}, "`mode`: 'c' is not one of"),
        ({"mode": "a", "count": 0}, "`count`: 0 is less than the minimum"),
        ({"mode": "a", "more": 1}, "'more' was unexpected"),
        ({"mode": "a", "count": "x" * 10_000}, "…"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_with_where_and_why(
    arguments: dict[str, Any], expected: str
):
    with pytest.raises(InvalidParams, match=expected) as refused:
        schemas.build_argument_check(schemas.sanitize_schema(PLAIN))(arguments)
    assert len(str(refused.value)) < 1_500


def test_null_for_an_optional_field_is_dropped():
    given = {"mode": None, "count": None, "pattern": None, "maybe": None}
    assert schemas.drop_optional_nulls(schemas.sanitize_schema(PLAIN), given) == {
        "mode": None,
        "maybe": None,
    }


def test_a_model_sees_the_schema_with_clean_words_and_nothing_unknown():
    seen = schemas.sanitize_schema({**PLAIN, "x-own": "\u202e", "$id": "http://evil"})
    assert seen["properties"]["mode"]["description"] == "which one"
    assert seen["properties"]["count"] == {"$ref": "#/definitions/count"}
    assert not {"x-own", "$id", "$schema"} & seen.keys()


@pytest.mark.parametrize(
    "schema",
    [
        None,
        "object",
        [],
        {"type": "string"},
        {"properties": {"a": 5}},
        {"properties": {"a": {"enum": ["x\u200b"]}}},
        {"properties": {"a\u202e": {}}},
        {"required": ["a\u200b"]},
        {"properties": {"a": {"minimum": "low"}}},
        {"type": "object", "description": "x" * 100_000},
    ],
)
def test_an_unusable_schema_is_refused(schema: Any):
    with pytest.raises(schemas.InvalidToolSchema):
        schemas.build_argument_check(schemas.sanitize_schema(schema))
