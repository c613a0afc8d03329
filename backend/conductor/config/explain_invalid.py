"""Explains validation errors of values from tools and agents, which are JSON, in the words used for
config.toml.
"""

import json
from collections.abc import Iterable

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from conductor.config.wording import (
    EXPECTED_LIST,
    EXPECTED_TABLE,
    EXPECTED_TEXT,
    describe_unknown_key,
    describe_unknown_type,
    list_error_details,
    reword_error,
)
from conductor.domain.actions import ACTION_KINDS
from conductor.domain.curves import FromControl
from conductor.domain.kind_examples import FROM_CONTROL_EXAMPLE, GESTURE_EXAMPLE, KIND_EXAMPLES
from conductor.domain.triggers import TRIGGER_KINDS

MAX_SHOWN_PROBLEMS = 5
JSON_MESSAGE_BY_TOML_MESSAGE = {
    EXPECTED_TEXT: "must be a text (a JSON string)",
    EXPECTED_LIST: "must be a list (a JSON array)",
    EXPECTED_TABLE: 'must be an object, such as {"type": "Note", "note": 36}',
}
"""Messages about the wrong type of a value: the wording for TOML, and the same message in the terms of JSON."""


def explain_invalid(error: ValidationError, known: Iterable[str]) -> str:
    """Return one text that lists all problems of a validation error. `known` are the valid top-level names."""
    found = list_error_details(error)
    lines = list(dict.fromkeys(_format_problem(detail, known) for detail in found))
    more = (
        f"; and {len(lines) - MAX_SHOWN_PROBLEMS} more" if len(lines) > MAX_SHOWN_PROBLEMS else ""
    )
    return "; ".join(lines[:MAX_SHOWN_PROBLEMS]) + more + _find_example(found)


def _find_example(found: Iterable[ErrorDetails]) -> str:
    """Return an example of the innermost trigger or action with a problem, to append to the error message."""
    places = [[str(step) for step in detail["loc"]] for detail in found]
    if any(FromControl.__name__ in place[:-1] for place in places):
        return f". Example: {json.dumps(FROM_CONTROL_EXAMPLE)}"
    if places[0][:1] == ["examples"]:
        return f". Example: {json.dumps(GESTURE_EXAMPLE)}"
    kinds = (step for place in places for step in reversed(place) if step in KIND_EXAMPLES)
    kind = next(kinds, None)
    return "" if kind is None else f". Example: {json.dumps(KIND_EXAMPLES[kind])}"


def _format_problem(detail: ErrorDetails, known: Iterable[str]) -> str:
    steps = [str(step) for step in detail["loc"]]
    kind, ctx = detail["type"], detail.get("ctx", {})
    if kind == "extra_forbidden":
        key = steps.pop()
        message = describe_unknown_key(key[:60], _list_known_fields(steps) if steps else known)
    elif kind in ("union_tag_invalid", "union_tag_not_found"):
        tags = str(ctx.get("expected_tags", "")).replace("'", "").split(", ")
        message = describe_unknown_type(str(ctx.get("tag", "")), [tag for tag in tags if tag])
    else:
        message = reword_error(detail)
        message = JSON_MESSAGE_BY_TOML_MESSAGE.get(message, message)
    return f"{'.'.join(steps)[:120]}: {message}" if steps else message


def _list_known_fields(steps: list[str]) -> list[str]:
    """Return the field names of the trigger, action or control value at an error location.

    The list is empty for any other location.
    """
    kind = TRIGGER_KINDS.get(steps[-1]) or ACTION_KINDS.get(steps[-1])
    if kind is None and steps[-1] == FromControl.__name__:
        kind = FromControl
    fields = {} if kind is None else kind.model_fields
    return [field.alias or name for name, field in fields.items()]
