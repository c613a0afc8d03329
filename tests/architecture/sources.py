"""What the tests of this folder read in the source of the backend, which is parsed once for all of them."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "backend" / "conductor"
PLACEHOLDER = re.compile(r"\{[^{}]*\}")


class Source(NamedTuple):
    """A module of the backend, with what is named and said in it."""

    path: Path
    """The path in the repository."""
    docstrings: list[tuple[int, str]]
    """The line of each function that has a docstring, and the docstring."""
    classes: list[tuple[int, str]]
    """The line and name of each class."""
    texts: list[str]
    """All texts; each value in them is replaced by a null character."""


@cache
def read_sources() -> list[Source]:
    """Return all modules of the backend."""
    return [_read_source(path) for path in sorted(PACKAGE.rglob("*.py"))]


def _read_source(path: Path) -> Source:
    source = Source(path.relative_to(ROOT), [], [], [])
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if text := ast.get_docstring(node):
                source.docstrings.append((node.lineno, text))
        elif isinstance(node, ast.ClassDef):
            source.classes.append((node.lineno, node.name))
        else:
            source.texts.extend(_read_texts(node))
    return source


def _read_texts(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.JoinedStr):
        parts = (part.value for part in node.values if isinstance(part, ast.Constant))
        yield "\0".join(str(part) for part in parts)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield PLACEHOLDER.sub("\0", node.value)
