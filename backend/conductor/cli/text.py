"""Functions that format text for several commands."""

from conductor.base.invisible_chars import ORDINARY_CHARACTERS, reveal_hidden


def format_load_message(mappings: int, *, is_reload: bool) -> str:
    """Return a line that reports a loaded or reloaded config with its number of mappings."""
    return f"{'reloaded' if is_reload else 'loaded'}: {format_mapping_count(mappings)}"


def format_mapping_count(mappings: int) -> str:
    """Return a number of mappings as text, such as `2 mappings`."""
    return f"{mappings} mapping{'' if mappings == 1 else 's'}"


def sanitize_text(text: object) -> str:
    """Return untrusted text with its escape sequences and its bidirectional and zero-width characters made
    visible.
    """
    return reveal_hidden(str(text), keep=ORDINARY_CHARACTERS)


def sanitize_line(text: object) -> str:
    """Return untrusted text on one line, with its line breaks and invisible characters made visible."""
    return sanitize_text(text).replace("\n", "\\n").replace("\t", "\\t")


def format_duration(seconds: float) -> str:
    """Return a duration in its two largest units, such as `24 min 32 s`."""
    left = int(seconds)
    parts: list[str] = []
    for unit, size in (("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)):
        count, left = divmod(left, size)
        if count or (unit == "s" and not parts):
            parts.append(f"{count} {unit}")
    return " ".join(parts[:2])
