"""The reader of other programs' settings reads what Python's reader does, and comments too."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conductor.mcp.registry.json_text import (
    JsonText,
    add_json_member,
    remove_json_member,
    set_json_member,
)

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


def to_text(value: Any) -> str:
    """Return a value as text in which `1`, `1.0` and `true` differ, unlike in Python's comparison."""
    return json.dumps(value, sort_keys=True)


@settings(max_examples=150)
@given(values, st.sampled_from([None, 2, "\t"]), st.booleans())
def test_any_json_is_read_as_python_reads_it(value: Any, indent: Any, ascii_only: bool):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert to_text(JsonText(text).value) == to_text(json.loads(text))


def test_comments_and_trailing_commas_are_read_over():
    text = """// mine
    {
      "on": true, // "off": true,
      "off": false, /* "on": false, */
      "none": null,
      "list": [1, -2.5e3, "// no comment", ],
    }
    """
    assert JsonText(text).value == {
        "on": True,
        "off": False,
        "none": None,
        "list": [1, -2500.0, "// no comment"],
    }


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "line 1, column 1: expected a value"),
        ('{"a": True}', "line 1, column 7: expected a value"),
        ('{"a": 01}', "line 1, column 8: expected `,`"),
        ('{"a": 1} 2', "line 1, column 10: unexpected text after the value"),
        ('{"a": 1\n "b": 2}', "line 2, column 2: expected `,`"),
        ('{"a" 1}', "line 1, column 6: expected `:`"),
        ("{a: 1}", "line 1, column 2: expected a name"),
        ('{"a": "b', "line 1, column 7: a string is not closed"),
        ('{"a": 1e999}', "line 1, column 7: this number is too large"),
        ("[" * 300, "the value is nested too deeply"),
    ],
)
def test_a_text_that_is_no_json_says_where(text: str, problem: str):
    with pytest.raises(ValueError, match=problem):
        JsonText(text)


names = st.text(max_size=6)
tables = st.dictionaries(names, st.dictionaries(names, values, max_size=3), max_size=3)


@settings(max_examples=150)
@given(tables, st.tuples(names, names), st.dictionaries(names, values, max_size=3), st.data())
def test_a_member_is_set_and_removed_and_all_others_stay(
    before: dict[str, dict[str, Any]], path: tuple[str, str], value: Any, data: st.DataObject
):
    text = json.dumps(before, indent=data.draw(st.sampled_from([None, 2, "\t"])))
    for set_member in (set_json_member, add_json_member):
        after = set_member(text, path, value)
        wanted = {**before, path[0]: {**before.get(path[0], {}), path[1]: value}}
        assert to_text(JsonText(after).value) == to_text(wanted)
        del wanted[path[0]][path[1]]
        removed = remove_json_member(after, path)
        assert to_text(JsonText(removed).value) == to_text(wanted)
