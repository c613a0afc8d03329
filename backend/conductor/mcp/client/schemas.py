"""Cleans and limits the input schemas of third-party tools, and validates arguments against them.

References to other documents are never fetched, regular expressions are never run, and a validation that
takes too many steps is aborted. The server validates what is not validated here.
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

from conductor.base.invisible_chars import remove_hidden
from conductor.base.json_types import JsonObject
from conductor.errors import InvalidParams
from conductor.mcp.client.texts import MAX_CLEAN_TEXT_LENGTH, clean_json_data, clean_text

MAX_SCHEMA_LENGTH = 64_000
"""The maximum length of a schema as JSON, in characters."""
MAX_SCHEMA_DEPTH = 24
MAX_VALIDATION_STEPS = 20_000
"""The maximum number of keywords that one validation evaluates."""
MAX_REPORTED_VALIDATION_ERRORS = 3
"""The maximum number of errors that a message lists."""
_MAP_KEYWORDS = ("properties", "$defs", "definitions", "dependentSchemas")
_LIST_KEYWORDS = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLE_KEYWORDS = (
    "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
)  # fmt: skip
_CONSTRAINT_KEYWORDS = (
    "type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum",
    "maxLength", "minLength", "maxItems", "minItems", "maxContains", "minContains", "maxProperties",
    "minProperties", "required", "dependentRequired",
)  # fmt: skip
_ANNOTATION_KEYWORDS = ("title", "description", "default", "examples", "format", "pattern")
"""Keywords that inform the model and are not used for validation."""


class InvalidToolSchema(ValueError):
    """Raised if the input schema of a tool cannot be used. The message says why."""


class _TooManyValidationSteps(Exception):
    """Raised if a validation evaluates more than `MAX_VALIDATION_STEPS` keywords."""


_remaining_steps: ContextVar[list[int]] = ContextVar("_remaining_steps")


def sanitize_schema(schema: Any) -> JsonObject:
    """Return a copy of an input schema that contains only known keywords and cleaned texts.

    Raises:
        InvalidToolSchema: The schema is too large or too deep, or does not describe an object.
    """
    if not isinstance(schema, dict):
        raise InvalidToolSchema("its input schema is not an object")
    try:
        size = len(json.dumps(schema))
    except (ValueError, RecursionError):
        raise InvalidToolSchema("its input schema is nested too deeply") from None
    if size > MAX_SCHEMA_LENGTH:
        raise InvalidToolSchema(
            f"its input schema is too large: {size // 1000} kB of at most {MAX_SCHEMA_LENGTH // 1000} kB"
        )
    if schema.get("type", "object") != "object":
        raise InvalidToolSchema("the type of its input schema is not `object`")
    bounded: JsonObject = _sanitize_subschema(schema, 0)
    return {**bounded, "type": "object"}


def build_argument_check(schema: JsonObject) -> Callable[[JsonObject], None]:
    """Return a function that validates arguments against a schema from `sanitize_schema`.

    The function raises `InvalidParams` with the first errors.

    Raises:
        InvalidToolSchema: The schema is not a valid JSON schema.
    """
    constraints = _drop_annotations(schema)
    try:
        Draft202012Validator.check_schema(constraints)
    except (SchemaError, RecursionError) as error:
        reason = getattr(error, "message", "nested too deeply")
        raise InvalidToolSchema(
            f"its input schema is not a valid JSON schema: {clean_text(reason, 200)}"
        ) from None
    # an empty registry, because the default one would fetch references over the network
    validator = _STEP_COUNTING_VALIDATOR(constraints, registry=Registry())
    return lambda arguments: _check_arguments(validator, drop_optional_nulls(schema, arguments))


def drop_optional_nulls(schema: JsonObject, arguments: JsonObject) -> JsonObject:
    """Return the arguments without nulls in optional fields that do not allow null.

    Models often send null instead of omitting an optional argument.
    """
    fields, required = schema.get("properties", {}), schema.get("required", ())
    return {
        name: value
        for name, value in arguments.items()
        if value is not None or name in required or _allows_null(fields.get(name))
    }


def _allows_null(field: Any) -> bool:
    return not field or '"null"' in json.dumps(field)


def _check_arguments(validator: Validator, arguments: JsonObject) -> None:
    token = _remaining_steps.set([MAX_VALIDATION_STEPS])
    try:
        problems: list[str] = []
        for error in validator.iter_errors(arguments):
            problems.append(_describe_validation_error(error))
            if len(problems) == MAX_REPORTED_VALIDATION_ERRORS:
                break
    except (_TooManyValidationSteps, RecursionError, Unresolvable):
        raise InvalidParams(
            "Invalid params: the input schema of this tool is too complex to validate arguments;"
            " report this to the author of the server"
        ) from None
    finally:
        _remaining_steps.reset(token)
    if problems:
        raise InvalidParams("Invalid params: " + "; ".join(problems))


def _describe_validation_error(error: ValidationError) -> str:
    path = ".".join(str(step) for step in error.absolute_path)
    return (f"`{path[:80]}`: " if path else "") + clean_text(error.message, 300)


def _sanitize_subschema(schema: Any, depth: int) -> Any:
    if isinstance(schema, bool):
        return schema
    if not isinstance(schema, dict) or depth > MAX_SCHEMA_DEPTH:
        raise InvalidToolSchema("its input schema is nested too deeply, or not a JSON schema")
    bounded: JsonObject = {
        key: _require_clean_value(schema[key]) for key in _CONSTRAINT_KEYWORDS if key in schema
    }
    bounded |= {key: _clean_value(schema[key]) for key in _ANNOTATION_KEYWORDS if key in schema}
    for key in _MAP_KEYWORDS:
        if isinstance(schema.get(key), dict):
            bounded[key] = {
                _require_clean_name(name): _sanitize_subschema(value, depth + 1)
                for name, value in schema[key].items()
            }
    for key in _LIST_KEYWORDS:
        if isinstance(schema.get(key), list) and schema[key]:
            bounded[key] = [_sanitize_subschema(each, depth + 1) for each in schema[key]]
    for key in _SINGLE_KEYWORDS:
        if key in schema:
            bounded |= _sanitize_single_subschema(key, schema, depth + 1)
    reference = schema.get("$ref")  # only references into the schema itself are kept
    if isinstance(reference, str) and (reference == "#" or reference.startswith("#/")):
        bounded["$ref"] = reference
    return bounded


def _sanitize_single_subschema(key: str, schema: JsonObject, depth: int) -> JsonObject:
    if key == "items" and isinstance(schema[key], list):  # the form before draft 2020-12
        return {"prefixItems": [_sanitize_subschema(each, depth) for each in schema[key]]}
    if key == "additionalProperties" and "patternProperties" in schema:
        # Pattern properties are dropped with their regular expressions. This keyword would then
        # reject the fields that they allow.
        return {}
    return {key: _sanitize_subschema(schema[key], depth)}


def _require_clean_name(name: str) -> str:
    if remove_hidden(name) != name or len(name) > MAX_CLEAN_TEXT_LENGTH:
        raise InvalidToolSchema("its input schema has a parameter whose name has hidden characters")
    return name


def _require_clean_value(value: Any) -> Any:
    """Return a value that contains no invisible characters.

    A constant cannot be cleaned, because the server would not accept a changed one.

    Raises:
        InvalidToolSchema: The value contains invisible characters.
    """
    text = json.dumps(value, ensure_ascii=False)
    if remove_hidden(text) != text:
        raise InvalidToolSchema("its input schema has a value with hidden characters")
    return value


def _clean_value(value: Any) -> Any:
    return (
        clean_text(value, MAX_CLEAN_TEXT_LENGTH)
        if isinstance(value, str)
        else clean_json_data(value, MAX_CLEAN_TEXT_LENGTH)[0]
    )


def _drop_annotations(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    constraints: JsonObject = {}
    for key, value in schema.items():
        if key in _MAP_KEYWORDS:
            constraints[key] = {name: _drop_annotations(each) for name, each in value.items()}
        elif key in _LIST_KEYWORDS:
            constraints[key] = [_drop_annotations(each) for each in value]
        elif key not in _ANNOTATION_KEYWORDS:
            constraints[key] = _drop_annotations(value) if key in _SINGLE_KEYWORDS else value
    return constraints


KeywordCheck = Callable[[Any, Any, Any, Any], Any]


def _count_validation_steps(check: KeywordCheck) -> KeywordCheck:
    """Wrap the validation of a keyword so that its steps are counted and limited.

    Without a limit, nested references could take exponential time.
    """

    def count(validator: Any, value: Any, instance: Any, schema: Any) -> Generator[Any]:
        remaining = _remaining_steps.get()
        remaining[0] -= 1 + (len(value) // 20 if isinstance(value, list | dict) else 0)
        if remaining[0] < 0:
            raise _TooManyValidationSteps
        yield from check(validator, value, instance, schema) or ()

    return count


_STEP_COUNTING_VALIDATOR: Any = extend(
    Draft202012Validator,
    {key: _count_validation_steps(check) for key, check in Draft202012Validator.VALIDATORS.items()},
)
