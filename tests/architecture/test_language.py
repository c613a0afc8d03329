"""Names and docstrings use the ordinary words of the field."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "backend" / "conductor"
NOT_A_FIRST_WORD = {"Give", "Gives", "Say", "Says", "Tell", "Tells", "Have", "Let", "Lets", "Take"}
INSTEAD = {
    "Desk": "Services, Deps or Controller",
    "Shelf": "Catalog, Store or Cache",
    "Means": "Options",
    "News": "Event",
    "Standing": "State or Status",
    "Warden": "Reaper or Supervisor",
    "Twig": "Node",
    "Patience": "Timeout",
}
PAST_PARTICIPLES = {"told", "kept", "brought", "mended", "added", "heard", "ended", "said", "shown"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def modules() -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(ROOT), ast.parse(path.read_text("utf-8"))


def test_a_docstring_begins_with_what_the_function_does():
    wrong = [
        f"{path}:{node.lineno} {text.splitlines()[0]}"
        for path, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, Function) and (text := ast.get_docstring(node))
        if re.split(r"\W", text, maxsplit=1)[0] in NOT_A_FIRST_WORD
    ]
    assert wrong == [], "begin with Return, Check, Send, Build or another verb of what it does"


def test_classes_are_named_by_words_of_the_field():
    wrong = {
        f"{path}:{node.lineno} {node.name}": f"use {INSTEAD[word]}"
        for path, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for word in re.findall(r"[A-Z][a-z]+", node.name)
        if word in INSTEAD
    }
    assert wrong == {}


def test_no_module_is_named_by_a_past_participle():
    wrong = [str(path) for path, _ in modules() if path.stem in PAST_PARTICIPLES]
    assert wrong == [], "name a module after what it contains"
