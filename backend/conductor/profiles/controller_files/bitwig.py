"""Reads the constants and the device names in controller scripts of Bitwig Studio (`*.control.js`)."""

from collections.abc import Iterator
from typing import Any

from conductor.base.json_types import JsonObject
from conductor.profiles.controller_files.constants import (
    build_named_controls,
    describe_unknown_constants,
    list_named_numbers,
)
from conductor.profiles.controller_files.controls import (
    ControllerFile,
    build_device_name,
    build_import_error,
    clean_imported_name,
    drop_repeated_controls,
)
from conductor.profiles.controller_files.script_tokens import (
    ScriptToken,
    parse_integer,
    tokenize_javascript,
)

PROGRAM_NAME = "Bitwig Studio"
MAX_CONSTANT_ITEMS, MAX_CONSTANT_DEPTH = 1_024, 8
_DECLARATION_KEYWORDS = ("var", "let", "const")
NOT_A_CONSTANT = object()


def is_bitwig_script(text: str) -> bool:
    """Return whether a JavaScript file is a controller script of Bitwig Studio."""
    return "defineController" in text or "loadAPI" in text


def read_bitwig_script(text: str, name: str) -> ControllerFile:
    """Return the controls that a script names in constants such as `CC_PLAY = 41`.

    Raises:
        InvalidParams: no constant states a note or CC.
    """
    tokens = tokenize_javascript(text)
    numbers = list_named_numbers(_read_constants(tokens))
    controls, unknown = build_named_controls(numbers, None)
    unique, _ = drop_repeated_controls(controls)
    if not unique:
        raise build_import_error(
            name,
            "none of its constants says that it is a note or a CC, such as `CC_PLAY = 41`, and scripts are "
            "not run; make the profile by playing instead",
        )
    device = _read_string_arguments(tokens, "defineController")[:2]
    return ControllerFile(
        PROGRAM_NAME,
        clean_imported_name(" ".join(device)) or build_device_name(name),
        tuple(unique),
        (
            *describe_unknown_constants(unknown),
            "What the functions of the script do was not read, because scripts are not run.",
        ),
        tuple(dict.fromkeys(map(clean_imported_name, _read_input_ports(tokens)))),
    )


def _read_constants(tokens: list[ScriptToken]) -> JsonObject:
    """Return the constants that a script declares outside of functions, by name."""
    constants: JsonObject = {}
    depth = 0
    for at, token in enumerate(tokens):
        if token.kind == "mark":
            depth = max(0, depth + (token.text in "{([") - (token.text in "})]"))
        elif depth == 0 and token.text in _DECLARATION_KEYWORDS:
            for name, value in _read_declaration(tokens, at + 1):
                if len(constants) < MAX_CONSTANT_ITEMS:
                    constants.setdefault(name, value)
    return constants


def _read_declaration(tokens: list[ScriptToken], at: int) -> Iterator[tuple[str, Any]]:
    """Yield the name and the value of each constant in a declaration such as `var PLAY = 41, STOP = 42`."""
    while at + 2 < len(tokens) and tokens[at + 1].text == "=":
        value, end = _read_constant_value(tokens, at + 2, 0)
        if value is NOT_A_CONSTANT:
            return
        yield tokens[at].text, value
        if end >= len(tokens) or tokens[end].text != ",":
            return
        at = end + 1


def _read_constant_value(tokens: list[ScriptToken], at: int, depth: int) -> tuple[Any, int]:
    """Return the constant value at a position, and the position after it; the value may be `NOT_A_CONSTANT`."""
    if at >= len(tokens) or depth > MAX_CONSTANT_DEPTH:
        return NOT_A_CONSTANT, at
    token = tokens[at]
    if token.kind == "mark" and token.text in "[{":
        return _read_constant_items(tokens, at, depth)
    following = tokens[at + 1].text if at + 1 < len(tokens) else ";"
    if token.kind == "number" and following not in "+-*/%&|<>^.(":
        return parse_integer(token.text), at + 1
    if token.kind == "string":
        return token.text, at + 1
    return NOT_A_CONSTANT, at


def _read_constant_items(tokens: list[ScriptToken], at: int, depth: int) -> tuple[Any, int]:
    """Return a list or an object of constants as a dict, and the position after it.

    If any item is not constant, the result is `NOT_A_CONSTANT`.
    """
    is_object = tokens[at].text == "{"
    closing = "}" if is_object else "]"
    entries: JsonObject = {}
    at += 1
    while at < len(tokens) and tokens[at].text != closing:
        key = str(len(entries) + 1)
        if is_object:
            if at + 1 >= len(tokens) or tokens[at].kind == "mark" or tokens[at + 1].text != ":":
                return NOT_A_CONSTANT, at
            key, at = tokens[at].text, at + 2
        value, at = _read_constant_value(tokens, at, depth + 1)
        is_end = at < len(tokens) and tokens[at].text in (",", closing)
        if value is NOT_A_CONSTANT or not is_end or len(entries) >= MAX_CONSTANT_ITEMS:
            return NOT_A_CONSTANT, at
        entries[key] = value
        at += tokens[at].text == ","
    return (entries if is_object else list(entries.values())), at + 1


def _read_string_arguments(tokens: list[ScriptToken], function: str) -> list[str]:
    """Return the string arguments with which the first call of a function in the script begins."""
    for at, token in enumerate(tokens):
        if token.text == function and token.kind == "name":
            strings: list[str] = []
            for part in tokens[at + 2 : at + 16]:
                if part.text != "," and part.kind != "string":
                    break
                strings += [part.text] if part.kind == "string" else []
            return strings
    return []


def _read_input_ports(tokens: list[ScriptToken]) -> list[str]:
    """Return the names of the input ports by which the script recognises its device."""
    ports: list[str] = []
    for at, token in enumerate(tokens):
        if token.text != "addDeviceNameBasedDiscoveryPair" or token.kind != "name":
            continue
        opening = [part.text for part in tokens[at + 1 : at + 3]]
        if opening == ["(", "["] and at + 3 < len(tokens) and tokens[at + 3].kind == "string":
            ports.append(tokens[at + 3].text)
    return ports[:16]
