"""Evaluates constant expressions in the syntax tree of a Python module, without running the module."""

import ast
from collections.abc import Mapping
from typing import Any

from conductor.base.json_types import JsonObject

MAX_EXPRESSION_DEPTH, MAX_COLLECTION_ITEMS, MAX_CONSTANTS, MAX_INTEGER = 12, 1_024, 4_096, 1_000_000
UNKNOWN_VALUE = object()
"""The result for an expression whose value is not constant."""


def collect_module_constants(tree: ast.Module, known: Mapping[str, Any]) -> JsonObject:
    """Return the constants that a module assigns at its top level, and the constants
    that were already known.
    """
    constants = dict(known)
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        for target in targets:
            value = (
                evaluate_expression(node.value, constants)
                if isinstance(node, ast.Assign)
                else UNKNOWN_VALUE
            )
            if isinstance(target, ast.Name) and value is not UNKNOWN_VALUE:
                constants[target.id] = value
        if len(constants) > MAX_CONSTANTS:
            break
    return constants


def evaluate_expression(node: ast.expr, constants: Mapping[str, Any], depth: int = 0) -> Any:
    """Return the value of a constant expression, or `UNKNOWN_VALUE`.

    Constants are integers, texts, known names, `range`, and lists and dictionaries of constants.
    """
    if depth > MAX_EXPRESSION_DEPTH:
        return UNKNOWN_VALUE
    match node:
        case ast.Constant(value=value):
            return value if isinstance(value, int | str | None) else UNKNOWN_VALUE
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return constants.get(name, UNKNOWN_VALUE)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = evaluate_expression(operand, constants, depth + 1)
            return -value if _is_integer(value) else UNKNOWN_VALUE
        case ast.BinOp():
            return _evaluate_binary_operation(node, constants, depth)
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return _evaluate_items(items, constants, depth)
        case ast.Dict(keys=keys, values=values):
            return _evaluate_dict(keys, values, constants, depth)
        case ast.Call():
            return _evaluate_call(node, constants, depth)
        case _:
            return UNKNOWN_VALUE


def _evaluate_binary_operation(node: ast.BinOp, constants: Mapping[str, Any], depth: int) -> Any:
    left = evaluate_expression(node.left, constants, depth + 1)
    right = evaluate_expression(node.right, constants, depth + 1)
    if not (_is_integer(left) and _is_integer(right)):
        return UNKNOWN_VALUE
    match node.op:
        case ast.Add():
            result = left + right
        case ast.Sub():
            result = left - right
        case ast.Mult():
            result = left * right
        case _:
            return UNKNOWN_VALUE
    return result if abs(result) <= MAX_INTEGER else UNKNOWN_VALUE


def _evaluate_items(items: list[ast.expr], constants: Mapping[str, Any], depth: int) -> Any:
    if len(items) > MAX_COLLECTION_ITEMS:
        return UNKNOWN_VALUE
    values = [evaluate_expression(item, constants, depth + 1) for item in items]
    return UNKNOWN_VALUE if any(value is UNKNOWN_VALUE for value in values) else values


def _evaluate_dict(
    keys: list[ast.expr | None], values: list[ast.expr], constants: Mapping[str, Any], depth: int
) -> Any:
    """Return the value of a dictionary expression; entries that are not constant are left out."""
    if len(keys) > MAX_COLLECTION_ITEMS:
        return UNKNOWN_VALUE
    entries: dict[Any, Any] = {}
    for key, item in zip(keys, values, strict=True):
        name = UNKNOWN_VALUE if key is None else evaluate_expression(key, constants, depth + 1)
        value = evaluate_expression(item, constants, depth + 1)
        if isinstance(name, str | int) and value is not UNKNOWN_VALUE:
            entries[name] = value
    return entries


def _evaluate_call(node: ast.Call, constants: Mapping[str, Any], depth: int) -> Any:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if node.keywords or name not in ("range", "xrange", "list", "tuple") or len(node.args) > 3:
        return UNKNOWN_VALUE
    values = [evaluate_expression(argument, constants, depth + 1) for argument in node.args]
    if name in ("list", "tuple"):
        return values[0] if len(values) == 1 and isinstance(values[0], list) else UNKNOWN_VALUE
    if not values or not all(map(_is_integer, values)) or 0 in values[2:]:
        return UNKNOWN_VALUE
    numbers = range(*values)
    return list(numbers) if len(numbers) <= MAX_COLLECTION_ITEMS else UNKNOWN_VALUE


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_INTEGER
