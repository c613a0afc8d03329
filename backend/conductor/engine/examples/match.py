"""Compares actions with the expected actions of an example, which may use an older spelling of fields."""

from collections.abc import Mapping
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError

from conductor.base.json_types import JsonObject
from conductor.base.suggestions import format_suggestion
from conductor.domain.actions import ACTION_KINDS, Action, ActionBase, canonicalize_action
from conductor.domain.actions.base import Fire
from conductor.domain.examples import ExpectedAction
from conductor.domain.phrases import describe_resolved_action
from conductor.domain.value import convert_to_plain, reword_message

_ACTION_ADAPTER: TypeAdapter[ActionBase] = TypeAdapter(Action)


class ExpectedActionMatcher:
    """An expected action of an example; it may leave out fields, which then match any value."""

    def __init__(self, raw: JsonObject, read: ActionBase | None, problem: str | None) -> None:
        self._raw = raw
        self._read = read
        self.problem = problem
        """The reason why no action can match, such as an unknown field; None if an action can."""

    def matches_action(self, action: ActionBase, resolved: ActionBase | None = None) -> bool:
        """Return whether an action has the expected type and the expected value in each given field.

        `resolved` is the same action with the values of the control; it is enough if one of them matches.
        """
        return self._has_equal_fields(action) or (
            resolved is not None and self._has_equal_fields(resolved)
        )

    def _has_equal_fields(self, action: ActionBase) -> bool:
        kind = type(action)
        if self._raw["type"] != kind.model_fields["type"].default:
            return False
        if self._read is not None:
            given = self._read.model_fields_set
            return all(getattr(self._read, name) == getattr(action, name) for name in given)
        return _fill_missing_fields(self._raw, action) == action

    def describe(self) -> str:
        """Return the expected action as a short text such as `Keystroke cmd+v`."""
        if self._read is not None:
            return describe_resolved_action(self._read.to_plain())
        fields = ", ".join(f"{key}={item}" for key, item in self._raw.items() if key != "type")
        return f"{self._raw['type']}{f' with {fields}' if fields else ''}"


def parse_expected_action(
    expected: ExpectedAction, names: Mapping[str, str] | None = None
) -> ExpectedActionMatcher:
    """Return a matcher for an expected action, in which fields that are left out match any value."""
    raw = canonicalize_action(
        {**rename_devices(expected.fields, names or {}), "type": expected.type}
    )
    kind = ACTION_KINDS.get(raw["type"])
    if kind is None:
        hint = format_suggestion(raw["type"], ACTION_KINDS)
        return ExpectedActionMatcher(
            raw, None, f"expected: there is no action `{expected.type}`{hint}"
        )
    try:
        return ExpectedActionMatcher(raw, _ACTION_ADAPTER.validate_python(raw), None)
    except ValidationError as error:
        return ExpectedActionMatcher(raw, None, _find_invalid_field(kind, error))


def resolve_action(action: ActionBase, fire: Fire) -> ActionBase | None:
    """Return an action with the values of the control that fired it, or None if these make it invalid."""
    try:
        return _ACTION_ADAPTER.validate_python(action.resolve_to_plain(fire))
    except ValidationError:
        return None


def rename_devices(item: Any, names: Mapping[str, str]) -> Any:
    """Return the fields of an action with new names for devices."""
    if isinstance(item, list | tuple):
        return [rename_devices(each, names) for each in cast("list[Any]", item)]
    if not isinstance(item, dict):
        return item
    table = cast(JsonObject, item)
    return {
        key: names.get(each, each)
        if key in ("port", "device") and isinstance(each, str)
        else rename_devices(each, names)
        for key, each in table.items()
    }


def _find_invalid_field(kind: type[ActionBase], error: ValidationError) -> str | None:
    """Return the error for a field that no action of this type can have, or None if fields are only missing."""
    for row in error.errors(include_url=False, include_input=False):
        where = [str(step) for step in row["loc"][1:]]
        if row["type"] == "extra_forbidden":
            hint = format_suggestion(
                where[-1], [name for name in kind.model_fields if name != "type"]
            )
            return f"expected: `{where[-1]}` is not a field of {row['loc'][0]}{hint}"
        if where and row["type"] != "missing":
            return f"expected: {'.'.join(where)}: {reword_message(row['msg'])}"
    return None


def _fill_missing_fields(raw: JsonObject, action: ActionBase) -> ActionBase | None:
    """Return an expected action whose missing fields are copied from another action, or None
    if the result is invalid.
    """
    own = {
        field.alias or name: convert_to_plain(getattr(action, name))
        for name, field in type(action).model_fields.items()
        if name in action.model_fields_set
    }
    given = set(raw) | {name for name, key in _list_device_names(action) if key in raw}
    left_out = {key: item for key, item in own.items() if key not in given}
    for candidate in (
        {**left_out, **raw},
        *({**_remove_field(left_out, key), **raw} for key in left_out),
    ):
        try:
            return _ACTION_ADAPTER.validate_python(candidate)
        except ValidationError:
            continue
    return None


def _list_device_names(action: ActionBase) -> list[tuple[str, str]]:
    return [(name, field.alias or name) for name, field in type(action).model_fields.items()]


def _remove_field(fields: JsonObject, key: str) -> JsonObject:
    """Return the fields without the field `key`."""
    return {name: item for name, item in fields.items() if name != key}
