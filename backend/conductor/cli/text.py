"""Text helpers shared by the commands."""

from conductor.base.invisible_chars import ORDINARY, reveal_hidden


def describe_load(mappings: int, *, again: bool) -> str:
    """Return the line that reports a loaded or reloaded config."""
    return f"{'reloaded' if again else 'loaded'}: {format_mapping_count(mappings)}"


def format_mapping_count(mappings: int) -> str:
    """Return the number of mappings with its noun, such as `2 mappings`."""
    return f"{mappings} mapping{'' if mappings == 1 else 's'}"


def sanitize_text(text: object) -> str:
    """Return untrusted text with escape sequences, bidi and zero-width characters made visible."""
    return reveal_hidden(str(text), keep=ORDINARY)


def sanitize_line(text: object) -> str:
    """Return untrusted text as one line, with invisible characters and line breaks made visible."""
    return sanitize_text(text).replace("\n", "\\n").replace("\t", "\\t")
