"""Words that several commands use."""

from typing import Any


def loaded(data: dict[str, Any], *, again: bool) -> str:
    """Say that the engine took over a config, for the first time or again."""
    return f"{'reloaded' if again else 'loaded'}: {counted(data['mappings'])}"


def counted(mappings: int) -> str:
    """Give a number of mappings with its noun."""
    return f"{mappings} mapping{'' if mappings == 1 else 's'}"


def plain(text: object) -> str:
    """Show what a terminal would obey or hide (escapes, bidi and zero-width marks): others wrote the text."""
    return "".join(one if one.isprintable() or one in "\n\t" else _shown(one) for one in str(text))


def plain_line(text: object) -> str:
    """Do that with the ends of lines too."""
    return plain(text).replace("\n", "\\n").replace("\t", "\\t")


def _shown(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
