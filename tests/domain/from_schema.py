"""Hypothesis strategies from a JSON schema: every value that the schema allows is valid in a config."""

from functools import cache
from typing import Any

from hypothesis import strategies as st

from conductor.domain import keys
from conductor.domain.config import Config
from conductor.domain.lights import RGB_VALUES_BY_COLOR

DEFINITIONS: dict[str, dict[str, Any]] = Config.model_json_schema()["$defs"]
MAX_DEPTH = 3

# What a format or a validator asks for beyond the schema's own words.
plain_text = st.text(
    st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1, max_size=12
)
FORMATS = {
    "keys": st.lists(st.sampled_from(sorted(keys.KEY_NAMES - {"fn"})), min_size=1, max_size=4),
    "gamepad_button": st.sampled_from(keys.BUTTON_NAMES),
    "gamepad_buttons": st.lists(
        st.sampled_from(keys.BUTTON_NAMES), min_size=2, max_size=4, unique=True
    ),
    "notes": st.lists(st.integers(0, 127), min_size=2, max_size=4, unique=True),
    "gamepad_axis": st.sampled_from(keys.AXIS_NAMES),
    "color": st.sampled_from(sorted(RGB_VALUES_BY_COLOR)) | st.integers(0, 127),
}
PATTERNS = {
    r"^(note|cc) \d{1,3}$": st.builds(
        "{} {}".format, st.sampled_from(["note", "cc"]), st.integers(0, 127)
    ),
    r"^[^\x00-\x1f]+$": plain_text,
    r"^[^\x00]+$": plain_text,
    r"^[^:\x00-\x1f]+$": st.text("abc xyz-1", min_size=1, max_size=12),
    r"^/[!-~]*$": st.from_regex(r"\A/[!-~]{0,12}\Z"),
}
NAMED = {
    ("SysexTrigger", "pattern"): st.sampled_from(["F0 7E ?? F7", "F0 01 *", "F0 7E 06 F7"]),
    ("NameRegex", "pattern"): st.sampled_from(["^Pad", "Mini|X", "[0-9]+"]),
    ("ProfileMatch", "title_regex"): st.sampled_from([None, "^Pad", "Mini|X"]),
}


@cache
def of(name: str, depth: int = 0) -> st.SearchStrategy[Any]:
    """Return values for one definition of the schema."""
    return st.deferred(lambda: _of_schema(DEFINITIONS[name], depth, name))


def kinds(union: str) -> list[str]:
    """Return the definitions of a tagged union's members."""
    return [_name(option) for option in DEFINITIONS[union]["oneOf"]]


def _name(reference: dict[str, Any]) -> str:
    return str(reference["$ref"]).removeprefix("#/$defs/")


def _of_schema(schema: dict[str, Any], depth: int, owner: str) -> st.SearchStrategy[Any]:
    if "$ref" in schema:
        return of(_name(schema), min(depth + 1, MAX_DEPTH))
    if schema.get("format") in FORMATS:
        optional = any(option.get("type") == "null" for option in schema.get("anyOf", ()))
        return st.none() | FORMATS[schema["format"]] if optional else FORMATS[schema["format"]]
    for word in ("oneOf", "anyOf"):
        if word in schema:
            options = [option for option in schema[word] if depth < MAX_DEPTH or _is_flat(option)]
            return st.one_of(*(_of_schema(option, depth, owner) for option in options))
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    return _of_type(schema, depth, owner)


def _is_flat(option: dict[str, Any]) -> bool:
    """Return whether an option holds no further actions or conditions."""
    nested = {"SequenceAction", "RepeatAction", "ConditionalAction", "And", "Or", "Not"}
    return "$ref" not in option or _name(option) not in nested


def _of_type(schema: dict[str, Any], depth: int, owner: str) -> st.SearchStrategy[Any]:
    match schema.get("type"):
        case "integer":
            return st.integers(schema.get("minimum"), schema.get("maximum"))
        case "number":
            return _numbers(schema)
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
        case "array":
            low = schema.get("minItems", 0)
            high = min(schema.get("maxItems", 3), low + 2)
            items = _of_schema(schema["items"], depth, owner)
            return st.lists(items, min_size=low, max_size=high)
        case "object" if "properties" in schema:
            return _tables(schema, depth, owner)
        case "object":
            inner = schema["additionalProperties"]
            values = _of_schema(inner, depth, owner) if isinstance(inner, dict) else st.integers()
            names = schema.get("propertyNames", {}).get("enum")
            return st.dictionaries(
                st.sampled_from(names) if names else plain_text, values, max_size=2
            )
        case _:
            return _texts(schema)


def _numbers(schema: dict[str, Any]) -> st.SearchStrategy[float]:
    low = schema.get("minimum", schema.get("exclusiveMinimum", -1e6))
    high = schema.get("maximum", schema.get("exclusiveMaximum", 1e6))
    return st.floats(
        low,
        high,
        exclude_min="exclusiveMinimum" in schema,
        exclude_max="exclusiveMaximum" in schema,
    )


def _texts(schema: dict[str, Any]) -> st.SearchStrategy[str]:
    pattern = schema.get("pattern")
    if pattern in PATTERNS:
        return PATTERNS[pattern]
    return st.from_regex(pattern, fullmatch=True) if pattern else plain_text


def _tables(schema: dict[str, Any], depth: int, owner: str) -> st.SearchStrategy[dict[str, Any]]:
    fields = {
        name: NAMED[owner, name] if (owner, name) in NAMED else _of_schema(field, depth, owner)
        for name, field in schema["properties"].items()
    }
    needed = set(schema.get("required", ()))
    return st.fixed_dictionaries(
        {name: fields[name] for name in fields if name in needed},
        optional={name: fields[name] for name in fields if name not in needed},
    )
