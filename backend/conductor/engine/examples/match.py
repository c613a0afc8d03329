"""Whether an action is the one that an example expects, in today's spelling or an older one."""

from collections.abc import Mapping
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError

from conductor.domain.actions import ACTION_KINDS, Action, ActionBase, canonical_action
from conductor.domain.actions.base import Fire
from conductor.domain.examples import ExpectedAction
from conductor.domain.phrases import resolved_words
from conductor.domain.validate import did_you_mean
from conductor.domain.value import plain, plain_message

_ACTION: TypeAdapter[ActionBase] = TypeAdapter(Action)


class Expected:
    """An expected action, read as far as it is written."""

    def __init__(self, raw: dict[str, Any], read: ActionBase | None, problem: str | None) -> None:
        self._raw = raw
        self._read = read
        self.problem = problem
        """What is wrong with it, if no action could ever fit."""

    def fits(self, action: ActionBase, resolved: ActionBase | None = None) -> bool:
        """Check that an action is of this kind and equal in the fields that are given.

        `resolved` is the same action with the numbers that the control gave: either may be expected.
        """
        return self._equals(action) or (resolved is not None and self._equals(resolved))

    def _equals(self, action: ActionBase) -> bool:
        kind = type(action)
        if self._raw["type"] != kind.model_fields["type"].default:
            return False
        if self._read is not None:
            given = self._read.model_fields_set
            return all(getattr(self._read, name) == getattr(action, name) for name in given)
        return _filled(self._raw, action) == action

    def words(self) -> str:
        """Return it as a phrase, such as `Keystroke cmd+v`."""
        if self._read is not None:
            return resolved_words(self._read.to_plain())
        fields = ", ".join(f"{key}={item}" for key, item in self._raw.items() if key != "type")
        return f"{self._raw['type']}{f' with {fields}' if fields else ''}"


def read_expected(expected: ExpectedAction, names: Mapping[str, str] | None = None) -> Expected:
    """Read an expectation; fields that the kind has and that are left out stay open.

    `names` says what devices are called now that were called otherwise when it was written.
    """
    raw = canonical_action({**with_names(expected.fields, names or {}), "type": expected.type})
    kind = ACTION_KINDS.get(raw["type"])
    if kind is None:
        hint = did_you_mean(raw["type"], ACTION_KINDS)
        return Expected(raw, None, f"expected: there is no action `{expected.type}`{hint}")
    try:
        return Expected(raw, _ACTION.validate_python(raw), None)
    except ValidationError as error:
        return Expected(raw, None, _wrong_field(kind, error))


def resolved_action(action: ActionBase, fire: Fire) -> ActionBase | None:
    """Return an action with the numbers that the control gave, or None when no such action can be written."""
    try:
        return _ACTION.validate_python(action.done(fire))
    except ValidationError:
        return None


def with_names(item: Any, names: Mapping[str, str]) -> Any:
    """Return fields of an action with the devices in it renamed."""
    if isinstance(item, list | tuple):
        return [with_names(each, names) for each in cast("list[Any]", item)]
    if not isinstance(item, dict):
        return item
    table = cast("dict[str, Any]", item)
    return {
        key: names.get(each, each)
        if key in ("port", "device") and isinstance(each, str)
        else with_names(each, names)
        for key, each in table.items()
    }


def _wrong_field(kind: type[ActionBase], error: ValidationError) -> str | None:
    """Return what no action could have, as opposed to what is only left out."""
    for row in error.errors(include_url=False, include_input=False):
        where = [str(step) for step in row["loc"][1:]]
        if row["type"] == "extra_forbidden":
            hint = did_you_mean(where[-1], [name for name in kind.model_fields if name != "type"])
            return f"expected: `{where[-1]}` is no field of {row['loc'][0]}{hint}"
        if where and row["type"] != "missing":
            return f"expected: {'.'.join(where)}: {plain_message(row['msg'])}"
    return None


def _filled(raw: dict[str, Any], action: ActionBase) -> ActionBase | None:
    """Read an expectation with what it leaves out taken from an action."""
    own = {
        field.alias or name: plain(getattr(action, name))
        for name, field in type(action).model_fields.items()
        if name in action.model_fields_set
    }
    given = set(raw) | {name for name, key in _names(action) if key in raw}
    left_out = {key: item for key, item in own.items() if key not in given}
    for candidate in (
        {**left_out, **raw},
        *({**_without(left_out, key), **raw} for key in left_out),
    ):
        try:
            return _ACTION.validate_python(candidate)
        except ValidationError:
            continue
    return None


def _names(action: ActionBase) -> list[tuple[str, str]]:
    return [(name, field.alias or name) for name, field in type(action).model_fields.items()]


def _without(fields: dict[str, Any], key: str) -> dict[str, Any]:
    """Leave one field to an older spelling of it."""
    return {name: item for name, item in fields.items() if name != key}
