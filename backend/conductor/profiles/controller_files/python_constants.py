"""Evaluates constant expressions in the syntax tree of a Python module, without running it."""

import ast
from collections.abc import Mapping
from typing import Any

from conductor.base.json_types import JsonObject

MAX_DEPTH, MAX_ITEMS, MAX_CONSTANTS, MAX_INTEGER = 12, 1_024, 4_096, 1_000_000
UNKNOWN = object()
"""The value of an expression that is not constant."""


def collect_constants(tree: ast.Module, known: Mapping[str, Any]) -> JsonObject:
    """Return the constants that a module assigns at its top level, including those already known."""
    constants = dict(known)
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        for target in targets:
            value = evaluate(node.value, constants) if isinstance(node, ast.Assign) else UNKNOWN
            if isinstance(target, ast.Name) and value is not UNKNOWN:
                constants[target.id] = value
        if len(constants) > MAX_CONSTANTS:
            break
    return constants


def evaluate(node: ast.expr, constants: Mapping[str, Any], depth: int = 0) -> Any:
    """Return the value of a constant expression, or UNKNOWN.

    Constants are integers, texts, known names, `range`, and lists and dictionaries of constants.
    """
    if depth > MAX_DEPTH:
        return UNKNOWN
    match node:
        case ast.Constant(value=value):
            return value if isinstance(value, int | str | None) else UNKNOWN
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return constants.get(name, UNKNOWN)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = evaluate(operand, constants, depth + 1)
            return -value if _is_integer(value) else UNKNOWN
        case ast.BinOp():
            return _calculate(node, constants, depth)
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return _evaluate_all(items, constants, depth)
        case ast.Dict(keys=keys, values=values):
            return _evaluate_dict(keys, values, constants, depth)
        case ast.Call():
            return _evaluate_call(node, constants, depth)
        case _:
            return UNKNOWN


def _calculate(node: ast.BinOp, constants: Mapping[str, Any], depth: int) -> Any:
    left = evaluate(node.left, constants, depth + 1)
    right = evaluate(node.right, constants, depth + 1)
    if not (_is_integer(left) and _is_integer(right)):
        return UNKNOWN
    match node.op:
        case ast.Add():
            result = left + right
        case ast.Sub():
            result = left - right
        case ast.Mult():
            result = left * right
        case _:
            return UNKNOWN
    return result if abs(result) <= MAX_INTEGER else UNKNOWN


def _evaluate_all(items: list[ast.expr], constants: Mapping[str, Any], depth: int) -> Any:
    if len(items) > MAX_ITEMS:
        return UNKNOWN
    values = [evaluate(item, constants, depth + 1) for item in items]
    return UNKNOWN if any(value is UNKNOWN for value in values) else values


def _evaluate_dict(
    keys: list[ast.expr | None], values: list[ast.expr], constants: Mapping[str, Any], depth: int
) -> Any:
    """Return a dictionary without the entries that are not constant."""
    if len(keys) > MAX_ITEMS:
        return UNKNOWN
    entries: dict[Any, Any] = {}
    for key, item in zip(keys, values, strict=True):
        name = UNKNOWN if key is None else evaluate(key, constants, depth + 1)
        value = evaluate(item, constants, depth + 1)
        if isinstance(name, str | int) and value is not UNKNOWN:
            entries[name] = value
    return entries


def _evaluate_call(node: ast.Call, constants: Mapping[str, Any], depth: int) -> Any:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if node.keywords or name not in ("range", "xrange", "list", "tuple") or len(node.args) > 3:
        return UNKNOWN
    values = [evaluate(argument, constants, depth + 1) for argument in node.args]
    if name in ("list", "tuple"):
        return values[0] if len(values) == 1 and isinstance(values[0], list) else UNKNOWN
    if not values or not all(map(_is_integer, values)) or 0 in values[2:]:
        return UNKNOWN
    numbers = range(*values)
    return list(numbers) if len(numbers) <= MAX_ITEMS else UNKNOWN


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_INTEGER
