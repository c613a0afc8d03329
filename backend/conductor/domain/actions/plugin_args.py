"""Defines the arguments of a tool call: JSON in which any value may come from the control."""

import math
from collections.abc import Iterator, Mapping
from datetime import date, time
from difflib import get_close_matches
from typing import Annotated, Any, cast

from pydantic import BeforeValidator, ValidationError

from conductor.base.json_types import JsonObject
from conductor.domain.actions.base import Fire
from conductor.domain.curves import FromControl
from conductor.domain.storable import repair_surrogates
from conductor.domain.value import reword_message

MAX_ARGUMENT_DEPTH = 12
MAX_ARGUMENT_CHARACTERS = 20_000
MAX_ARGUMENT_INTEGER = 2**63 - 1
CONTROL_VALUE_SOURCES = ("value", "steps")
_FROM_CONTROL_KEYS = frozenset(
    field.alias or name for name, field in FromControl.model_fields.items()
)


def _parse_arguments(raw: Any) -> Any:
    """Return the arguments of a tool call, in which tables that describe a control's value are replaced.

    A table with `from = "value"` or `from = "steps"`, at any depth, becomes a `FromControl`.
    """
    if not isinstance(raw, dict):
        return raw
    left = [MAX_ARGUMENT_CHARACTERS]
    table = cast("dict[Any, Any]", raw)
    return {
        _parse_argument_name(key, "", left): _parse_argument(item, str(key), left, 1)
        for key, item in table.items()
    }


def _parse_argument(item: Any, path: str, left: list[int], depth: int) -> Any:
    if isinstance(item, FromControl):
        return item
    if depth > MAX_ARGUMENT_DEPTH:
        raise ValueError(f"`{path[:80]}` is nested more than {MAX_ARGUMENT_DEPTH} deep")
    left[0] -= 1 + (len(item) if isinstance(item, str) else 0)
    if left[0] < 0:
        raise ValueError(
            f"arguments may have {MAX_ARGUMENT_CHARACTERS:,} characters together; these have more"
        )
    if isinstance(item, dict):
        table = cast("dict[Any, Any]", item)
        if _is_from_control(table, path):
            return _parse_from_control(table, path)
        return {
            _parse_argument_name(key, path, left): _parse_argument(
                each, f"{path}.{key}", left, depth + 1
            )
            for key, each in table.items()
        }
    if isinstance(item, list | tuple):
        items = cast("list[Any]", item)
        return [
            _parse_argument(each, f"{path}[{at}]", left, depth + 1) for at, each in enumerate(items)
        ]
    return _parse_scalar_argument(item, path)


def _parse_argument_name(key: Any, path: str, left: list[int]) -> str:
    if not isinstance(key, str):
        problem = f"names of arguments are texts, not `{str(key)[:40]}`"
        raise ValueError(problem + _format_argument_path(path))  # noqa: TRY004
    left[0] -= len(key)
    return _validate_text(key, path)


def _validate_text(text: str, path: str) -> str:
    if repair_surrogates(text) != text:
        raise ValueError(f"there is half a character in `{ascii(path or text)[1:-1][:80]}`")
    return text


def _parse_scalar_argument(item: Any, path: str) -> Any:
    if isinstance(item, str):
        return _validate_text(item, path)
    if item is None:
        raise ValueError(f"`{path}` is null, which config.toml cannot hold: leave it out")
    if isinstance(item, date | time):
        raise ValueError(f"`{path}` is a date or time, which JSON does not have: put it in quotes")  # noqa: TRY004
    if isinstance(item, float) and not math.isfinite(item):
        raise ValueError(f"`{path}` is {item}, which JSON does not have: give a number")
    if isinstance(item, int) and not -MAX_ARGUMENT_INTEGER <= item <= MAX_ARGUMENT_INTEGER:
        raise ValueError(f"`{path}` is too large a number: put it in quotes")
    if not isinstance(item, bool | int | float):
        raise ValueError(f"`{path}` is not JSON")  # noqa: TRY004
    return item


def _is_from_control(table: Mapping[Any, Any], path: str) -> bool:
    """Return whether a table describes a control's value; a tool may have an
    unrelated argument called `from`.
    """
    source = table.get("from")
    if source in CONTROL_VALUE_SOURCES:
        return True
    if not isinstance(source, str) or not _FROM_CONTROL_KEYS.issuperset(table):
        return False
    near = get_close_matches(source, CONTROL_VALUE_SOURCES, n=1)
    if near:
        raise ValueError(f"`{path}.from` is `{source}` - did you mean `{near[0]}`?")
    return False


def _parse_from_control(table: Mapping[Any, Any], path: str) -> FromControl:
    try:
        return FromControl.model_validate(table)
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
        place = ".".join([path, *(str(step) for step in detail["loc"])])
        if detail["type"] == "extra_forbidden":
            known = ", ".join(f"`{key}`" for key in sorted(_FROM_CONTROL_KEYS))
            raise ValueError(f"`{place}` is unknown: a control value has {known}") from None
        if detail["type"] == "union_tag_invalid":
            tags = str(detail.get("ctx", {}).get("expected_tags", "")).replace("'", "").split(", ")
            near = get_close_matches(str(detail.get("ctx", {}).get("tag")), tags, n=1)
            hint = f"did you mean `{near[0]}`?" if near else f"there is {', '.join(tags)}"
            raise ValueError(f"`{place}` is not a curve; {hint}") from None
        raise ValueError(f"`{place}`: {reword_message(detail['msg'])}") from None


def _format_argument_path(path: str) -> str:
    return f" (in `{path}`)" if path else ""


ToolArguments = Annotated[JsonObject, BeforeValidator(_parse_arguments)]
"""The arguments of a tool: JSON data with a `FromControl` for each value that comes from the control."""


def fill_tool_arguments(arguments: Mapping[str, Any], fire: Fire) -> JsonObject:
    """Return the arguments for one firing, in which values that come from the control are numbers."""
    return {name: _fill_argument(item, fire) for name, item in arguments.items()}


def _fill_argument(item: Any, fire: Fire) -> Any:
    if isinstance(item, FromControl):
        return item.compute_number(fire.value, fire.steps)
    if isinstance(item, dict):
        return fill_tool_arguments(cast(JsonObject, item), fire)
    if isinstance(item, list):
        return [_fill_argument(each, fire) for each in cast("list[Any]", item)]
    return item


def iterate_control_values(arguments: Mapping[str, Any]) -> Iterator[FromControl]:
    """Yield each `FromControl` in the arguments, at any depth."""
    for item in arguments.values():
        yield from _iterate_item_values(item)


def _iterate_item_values(item: Any) -> Iterator[FromControl]:
    if isinstance(item, FromControl):
        yield item
    elif isinstance(item, dict):
        yield from iterate_control_values(cast(JsonObject, item))
    elif isinstance(item, list):
        for each in cast("list[Any]", item):
            yield from _iterate_item_values(each)
