"""The texts in every request, written in `knowledge/`: who the model is, and the core reference (L1)."""

from functools import cache
from pathlib import Path

import conductor

CORE_TOKENS_AT_MOST = 4_000
PACKAGE = Path(conductor.__file__).parent
FOLDERS = (PACKAGE / "knowledge_data", PACKAGE.parents[1] / "knowledge")
"""As packaged, and as it is in a source checkout."""


def identity() -> str:
    """Give who the model is and how it works."""
    return _text("identity.md")


def core_reference() -> str:
    """Give Conductor's vocabulary."""
    return _text("core-reference.md")


@cache
def _text(name: str) -> str:
    """Give a text without the marks that `conductor generate` looks for."""
    place = next(folder / name for folder in FOLDERS if (folder / name).is_file())
    lines = place.read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith("<!--")).strip()
