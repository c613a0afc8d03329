"""Reads the docstrings of the fields of record classes from their source code, for schemas.

pydantic could read them itself (`use_attribute_docstrings`), but it does so for every class when the class is
defined. That took a quarter of the CPU time at start-up, although few runs need a schema.
"""

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from itertools import zip_longest


def find_field_doc(kind: type, field: str) -> str | None:
    """Return the docstring of a field of a class, or of the base class that declares the field.

    Returns None if there is no docstring, or no source code.
    """
    for each in kind.__mro__:
        fields = _read_module(each.__module__).get(each.__qualname__, {})
        if field in fields:
            return fields[field]
    return None


@cache
def _read_module(name: str) -> dict[str, dict[str, str | None]]:
    """Return the fields of each class in a module, with their docstrings."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[name]))
    except (KeyError, OSError, TypeError, SyntaxError):
        return {}
    return {path: dict(_read_docstrings(body)) for path, body in _list_classes(tree.body)}


def _list_classes(
    statements: list[ast.stmt], prefix: str = ""
) -> Iterator[tuple[str, list[ast.stmt]]]:
    """Yield the qualified name and the statements of each class, including nested and local classes."""
    for each in statements:
        if isinstance(each, ast.ClassDef):
            yield prefix + each.name, each.body
            yield from _list_classes(each.body, f"{prefix}{each.name}.")
        elif isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _list_classes(each.body, f"{prefix}{each.name}.<locals>.")


def _read_docstrings(statements: list[ast.stmt]) -> Iterator[tuple[str, str | None]]:
    """Yield each field name with the docstring below the field, or None if there is no docstring."""
    for field, after in zip_longest(statements, statements[1:]):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            yield field.target.id, _get_docstring(after)


def _get_docstring(statement: ast.stmt | None) -> str | None:
    match statement:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return inspect.cleandoc(text)
        case _:
            return None
