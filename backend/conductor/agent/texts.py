"""Loads the assistant's instructions and the core reference from the folder `knowledge/`."""

from functools import cache

from conductor.base.paths import find_data_folder


def load_identity() -> str:
    """Return the instructions that tell the model its role and how to work."""
    return _load_text("identity.md")


def load_core_reference() -> str:
    """Return the core reference, which explains the terms, triggers and actions of Conductor to the model."""
    return _load_text("core-reference.md")


@cache
def _load_text(name: str) -> str:
    """Return a text of the folder, without the comments that mark its generated sections."""
    lines = (find_data_folder("knowledge") / name).read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith("<!--")).strip()
