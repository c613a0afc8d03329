"""Finds the tests that import what changed: `make test ARGS=--changed`."""

import subprocess
from collections.abc import Iterable
from pathlib import Path

PACKAGE = Path("backend/conductor")


def list_changed_files(root: Path) -> list[Path]:
    """Return the files that differ from the last commit, or else those that the last commit changed."""
    changed = _git(root, "diff", "--name-only", "HEAD")
    changed += _git(root, "ls-files", "--others", "--exclude-standard")
    return changed or _git(root, "diff", "--name-only", "HEAD~1", "HEAD")


def find_tests(root: Path, changed: Iterable[Path]) -> list[Path]:
    """Return the test files that changed, and those that import a changed Python module.

    All paths are relative to `root`.
    """
    found: set[Path] = set()
    names: list[str] = []
    for file in changed:
        if file.suffix != ".py" or not (root / file).exists():
            continue
        if file.name.startswith("test_"):
            found.add(file)
        elif file.is_relative_to(PACKAGE):
            names.append(_module_name(file.relative_to(PACKAGE.parent)))
        elif file.parts[0] == "tests":
            names.append(_module_name(file))
    for test in (root / "tests").rglob("test_*.py"):
        text = test.read_text(encoding="utf-8")
        if any(_imports(text, name) for name in names):
            found.add(test.relative_to(root))
    return sorted(found)


def _module_name(file: Path) -> str:
    parts = file.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(text: str, module: str) -> bool:
    package, _, name = module.rpartition(".")
    lines = (line.split() for line in text.splitlines() if line.startswith(("from ", "import ")))
    return any(
        words[1] == module or (words[1] == package and name in " ".join(words[3:]).split(", "))
        for words in lines
    )


def _git(root: Path, *arguments: str) -> list[Path]:
    answer = subprocess.run(
        ["git", *arguments], cwd=root, capture_output=True, text=True, check=True
    )
    return [Path(line) for line in answer.stdout.splitlines()]
