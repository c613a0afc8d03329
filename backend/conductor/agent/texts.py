"""Loads the assistant's instructions and the core reference from `knowledge/`."""

from functools import cache

from conductor.base.paths import find_data_folder


def load_identity() -> str:
    """Return the assistant's instructions, which describe its role and way of working."""
    return _load_text("identity.md")


def load_core_reference() -> str:
    """Return the core reference, which explains Conductor's vocabulary."""
    return _load_text("core-reference.md")


@cache
def _load_text(name: str) -> str:
    """Load a knowledge text, without the comment markers that `conductor generate` uses."""
    lines = (find_data_folder("knowledge") / name).read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith("<!--")).strip()
