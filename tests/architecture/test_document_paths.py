"""Every path that a document names in backticks exists."""

import re
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "backend" / "conductor"
DOCUMENTS = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md")),
    *sorted((ROOT / "docs" / "adr").glob("*.md")),
    ROOT / "docs" / "glossary.md",
)
# Written by the tasks or by a running Conductor, so absent in a fresh checkout.
GENERATED = (".cache", ".setup", ".venv", "dist", "node_modules", "backend/conductor/ui")
CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w.<>*…-]+(/[\w.<>*…-]+)*/?")
FILE = re.compile(r"\.(py|md|toml|ts|svelte|json|yaml|yml|txt|spec)$")
MCP_METHOD = re.compile(r"(tools|prompts|resources)/(call|get|list|read)")
PLACEHOLDER = re.compile(r"<\w+>|…|NNNN")


def folders() -> frozenset[str]:
    return frozenset(
        path.name for base in (ROOT, PACKAGE) for path in base.iterdir() if path.is_dir()
    )


def named_paths(text: str) -> list[str]:
    """Return the paths in backticks: below a folder of the repository or the package, or Python files."""
    known = folders()
    found = [match[1] for match in CODE.finditer(text) if _is_path(match[1])]
    return [
        path
        for path in found
        if ("/" in path.rstrip("/") and path.split("/")[0] in known)
        or (FILE.search(path) and ("/" in path or path.endswith(".py")))
    ]


def _is_path(code: str) -> bool:
    return PATH.fullmatch(code) is not None and MCP_METHOD.fullmatch(code) is None


def exists(path: str) -> bool:
    if path.startswith(GENERATED):
        return True
    pattern = PLACEHOLDER.sub("*", path.rstrip("/"))
    # a bare module name is enough where the text has named its folder
    patterns = (pattern,) if "/" in pattern else (pattern, f"**/{pattern}")
    return any(
        chain.from_iterable(base.glob(each) for base in (ROOT, PACKAGE) for each in patterns)
    )


def test_the_types_in_the_glossary_exist():
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    named = re.findall(r"`(\w+)(?:\.\w+)?` in `([\w/]+\.py)`", text)
    assert len(named) > 40
    defined = r"^(?:class|def) {0}\b|^{0}\b.* = "
    missing = [
        f"{name} in {path}"
        for name, path in named
        if not re.search(defined.format(name), (PACKAGE / path).read_text("utf-8"), re.MULTILINE)
    ]
    assert missing == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_paths_in_a_document_exist(document: Path):
    missing = [path for path in named_paths(document.read_text("utf-8")) if not exists(path)]
    assert missing == []


def test_a_missing_path_is_found():
    text = (
        "`app/build.py`, `tools/catalog/<topic>.py`, `docs/adr/NNNN-….md`, `bridge/row_phrases.py`"
    )
    assert [path for path in named_paths(text) if not exists(path)] == ["bridge/row_phrases.py"]
    assert named_paths("`config.toml`, `io.modelcontextprotocol/tasks`, `a / b`, `--json`") == []
