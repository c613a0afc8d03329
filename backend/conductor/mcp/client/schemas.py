"""Input schemas of other people's tools: bounded, cleaned, and checked against without trusting them.

Nothing that a schema points to is fetched, no regular expression of it is run, and a check that takes too
many steps is given up: what is left out here, the server checks itself.
"""

import json
from collections.abc import Callable, Generator
from contextvars import ContextVar
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

from conductor.base.invisible_chars import clean
from conductor.errors import InvalidParams
from conductor.mcp.client.texts import TEXT, clean_text, plain_data

LARGEST = 64_000
"""Characters of JSON."""
DEEPEST = 24
STEPS = 20_000
TOLD = 3
_MAPS = ("properties", "$defs", "definitions", "dependentSchemas")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLE = (
    "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
)  # fmt: skip
_PLAIN = (
    "type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum",
    "maxLength", "minLength", "maxItems", "minItems", "maxContains", "minContains", "maxProperties",
    "minProperties", "required", "dependentRequired",
)  # fmt: skip
_WORDS = ("title", "description", "default", "examples", "format", "pattern")
"""What tells the model more and is not checked here."""


class BadSchema(ValueError):
    """A schema that a tool cannot be used with; says why."""


class _TooManySteps(Exception):
    pass


_steps: ContextVar[list[int]] = ContextVar("_steps")


def bounded(schema: Any) -> dict[str, Any]:
    """Return a schema as a model may see it, with what is known here and clean words.

    Raises:
        BadSchema: it is too large or too deep, or not the schema of an object.
    """
    if not isinstance(schema, dict):
        raise BadSchema("its input schema is not an object")
    try:
        size = len(json.dumps(schema))
    except (ValueError, RecursionError):
        raise BadSchema("its input schema is nested too deeply") from None
    if size > LARGEST:
        raise BadSchema(f"its input schema is too large: {size // 1000} kB of {LARGEST // 1000} kB")
    if schema.get("type", "object") != "object":
        raise BadSchema("its input schema is not that of an object")
    taken: dict[str, Any] = _taken(schema, 0)
    return {**taken, "type": "object"}


def checker(schema: dict[str, Any]) -> Callable[[dict[str, Any]], None]:
    """Make what checks arguments; the schema is a bounded one.

    Raises:
        BadSchema: it is no schema.
    """
    known = _without_words(schema)
    try:
        Draft202012Validator.check_schema(known)
    except (SchemaError, RecursionError) as error:
        said = getattr(error, "message", "nested too deeply")
        raise BadSchema(f"its input schema is no JSON schema: {clean_text(said, 200)}") from None
    validator = _COUNTING(known, registry=Registry())
    return lambda arguments: _check(validator, without_nulls(schema, arguments))


def without_nulls(schema: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """Leave out what a model says it leaves out: null for a field that is optional and never null."""
    fields, required = schema.get("properties", {}), schema.get("required", ())
    return {
        name: value
        for name, value in arguments.items()
        if value is not None or name in required or _takes_null(fields.get(name))
    }


def _takes_null(field: Any) -> bool:
    return not field or '"null"' in json.dumps(field)


def _check(validator: Validator, arguments: dict[str, Any]) -> None:
    token = _steps.set([STEPS])
    try:
        wrong: list[str] = []
        for error in validator.iter_errors(arguments):
            wrong.append(_said(error))
            if len(wrong) == TOLD:
                break
    except (_TooManySteps, RecursionError, Unresolvable):
        raise InvalidParams(
            "Invalid params: the input schema of this tool is too tangled to check arguments against;"
            " its server has to mend it"
        ) from None
    finally:
        _steps.reset(token)
    if wrong:
        raise InvalidParams("Invalid params: " + "; ".join(wrong))


def _said(error: ValidationError) -> str:
    where = ".".join(str(step) for step in error.absolute_path)
    return (f"`{where[:80]}`: " if where else "") + clean_text(error.message, 300)


def _taken(schema: Any, depth: int) -> Any:
    if isinstance(schema, bool):
        return schema
    if not isinstance(schema, dict) or depth > DEEPEST:
        raise BadSchema("its input schema is nested too deeply, or no JSON schema")
    taken: dict[str, Any] = {key: _exact(schema[key]) for key in _PLAIN if key in schema}
    taken |= {key: _words(schema[key]) for key in _WORDS if key in schema}
    for key in _MAPS:
        if isinstance(schema.get(key), dict):
            taken[key] = {_name(k): _taken(v, depth + 1) for k, v in schema[key].items()}
    for key in _LISTS:
        if isinstance(schema.get(key), list) and schema[key]:
            taken[key] = [_taken(each, depth + 1) for each in schema[key]]
    for key in _SINGLE:
        if key in schema:
            taken |= _single(key, schema, depth + 1)
    reference = schema.get("$ref")
    if isinstance(reference, str) and (reference == "#" or reference.startswith("#/")):
        taken["$ref"] = reference
    return taken


def _single(key: str, schema: dict[str, Any], depth: int) -> dict[str, Any]:
    if key == "items" and isinstance(schema[key], list):  # before 2020-12
        return {"prefixItems": [_taken(each, depth) for each in schema[key]]}
    if key == "additionalProperties" and "patternProperties" in schema:
        return {}
    return {key: _taken(schema[key], depth)}


def _name(name: str) -> str:
    if clean(name) != name or len(name) > TEXT:
        raise BadSchema("its input schema has a parameter whose name has hidden characters")
    return name


def _exact(value: Any) -> Any:
    """Refuse what cannot be cleaned, because it has to be sent as it is."""
    shown = json.dumps(value, ensure_ascii=False)
    if clean(shown) != shown:
        raise BadSchema("its input schema has a value with hidden characters")
    return value


def _words(value: Any) -> Any:
    return clean_text(value, TEXT) if isinstance(value, str) else plain_data(value, TEXT)[0]


def _without_words(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    known: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _MAPS:
            known[key] = {name: _without_words(each) for name, each in value.items()}
        elif key in _LISTS:
            known[key] = [_without_words(each) for each in value]
        elif key not in _WORDS:
            known[key] = _without_words(value) if key in _SINGLE else value
    return known


Keyword = Callable[[Any, Any, Any, Any], Any]


def _counted(check: Keyword) -> Keyword:
    def counting(validator: Any, value: Any, instance: Any, schema: Any) -> Generator[Any]:
        left = _steps.get()
        left[0] -= 1 + (len(value) // 20 if isinstance(value, list | dict) else 0)
        if left[0] < 0:
            raise _TooManySteps
        yield from check(validator, value, instance, schema) or ()

    return counting


_COUNTING: Any = extend(
    Draft202012Validator,
    {key: _counted(check) for key, check in Draft202012Validator.VALIDATORS.items()},
)
