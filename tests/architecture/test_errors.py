"""The errors: one tree, drawn in the docstring, each class with a code of its own."""

import inspect
import re

from conductor import errors
from conductor.errors import ConductorError


def defined() -> dict[str, type[ConductorError]]:
    classes = inspect.getmembers(errors, inspect.isclass)
    return {name: each for name, each in classes if issubclass(each, ConductorError)}


def drawn() -> list[tuple[str, str, str]]:
    """Return (class, parent, code) for each line; the parent is one level to the left, above."""
    rows: list[tuple[str, str, str]] = []
    above: dict[int, str] = {}
    for line in (errors.__doc__ or "").splitlines():
        match = re.match(r"    [ │├└─]*(?P<name>[A-Z]\w+)\s+(?P<code>[a-z_]+)", line)
        column = 4 if match is None else match.start("name")
        if match is None and line.strip() != "ConductorError":
            continue
        name = "ConductorError" if match is None else match["name"]
        above = {at: parent for at, parent in above.items() if at < column} | {column: name}
        if match is not None:
            rows.append((name, above[column - 4], match["code"]))
    return rows


def test_the_tree_in_the_docstring_is_the_tree_of_classes():
    classes = [
        (name, each.__mro__[1].__name__, each.code)
        for name, each in defined().items()
        if each is not ConductorError
    ]
    assert sorted(drawn()) == sorted(classes)


def test_every_error_has_a_code_of_its_own():
    codes = [each.code for each in defined().values()]
    assert len(codes) == len(set(codes))
    assert all("code" in each.__dict__ for each in defined().values())
