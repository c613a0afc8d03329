"""Words that several commands use."""

from typing import Any


def loaded(data: dict[str, Any], *, again: bool) -> str:
    """Say that the engine took over a config, for the first time or again."""
    return f"{'reloaded' if again else 'loaded'}: {counted(data['mappings'])}"


def counted(mappings: int) -> str:
    """Give a number of mappings with its noun."""
    return f"{mappings} mapping{'' if mappings == 1 else 's'}"
