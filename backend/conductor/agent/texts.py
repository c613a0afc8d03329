"""Loads the assistant's instructions and the core reference from `knowledge/`."""

from functools import cache

from conductor.base.paths import data_folder

MAX_CORE_TOKENS = 4_000


def identity() -> str:
    """Return the instructions on the assistant's role and way of working."""
    return _text("identity.md")


def core_reference() -> str:
    """Return the reference of Conductor's vocabulary."""
    return _text("core-reference.md")


@cache
def _text(name: str) -> str:
    """Return a text without the comment markers of `conductor generate`."""
    lines = (data_folder("knowledge") / name).read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith("<!--")).strip()
