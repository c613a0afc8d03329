"""The texts in every request, written in `knowledge/`: who the model is, and the core reference (L1)."""

from functools import cache

from conductor.base.paths import data_folder

CORE_TOKENS_AT_MOST = 4_000


def identity() -> str:
    """Return who the model is and how it works."""
    return _text("identity.md")


def core_reference() -> str:
    """Return Conductor's vocabulary."""
    return _text("core-reference.md")


@cache
def _text(name: str) -> str:
    """Return a text without the marks that `conductor generate` looks for."""
    lines = (data_folder("knowledge") / name).read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith("<!--")).strip()
