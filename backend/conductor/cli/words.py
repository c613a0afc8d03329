"""Words that several commands use."""

from typing import Any

from conductor.base.invisible_chars import ORDINARY, reveal_hidden


def loaded(data: dict[str, Any], *, again: bool) -> str:
    """Say that the engine took over a config, for the first time or again."""
    return f"{'reloaded' if again else 'loaded'}: {counted(data['mappings'])}"


def counted(mappings: int) -> str:
    """Return a number of mappings with its noun."""
    return f"{mappings} mapping{'' if mappings == 1 else 's'}"


def plain(text: object) -> str:
    """Show what a terminal would obey or hide (escapes, bidi and zero-width marks): others wrote the text."""
    return reveal_hidden(str(text), keep=ORDINARY)


def plain_line(text: object) -> str:
    """Do that with the ends of lines too."""
    return plain(text).replace("\n", "\\n").replace("\t", "\\t")
