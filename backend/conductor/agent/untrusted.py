"""Shortens and escapes untrusted text before a model sees it."""

from conductor.base.invisible_chars import remove_hidden

MAX_TOOL_RESULT_CHARACTERS = 12_000
"""The maximum length of a tool result in characters; about 3,000 tokens."""


def shorten_middle(text: str, limit: int = MAX_TOOL_RESULT_CHARACTERS) -> str:
    """Shorten a long text to its start and end, with a note about the number of omitted characters."""
    if len(text) <= limit:
        return text
    head, tail = limit * 3 // 4, limit // 4
    left_out = len(text) - head - tail
    return f"{text[:head]}\n[... {left_out} characters left out; ask for less ...]\n{text[-tail:]}"


def format_one_line(text: str, limit: int = 80) -> str:
    """Return a name or description on a single line, shortened, with `<` and `>` escaped."""
    line = " ".join(remove_hidden(text).split())
    shown = line if len(line) <= limit else f"{line[:limit]}..."
    return shown.replace("<", "&lt;").replace(">", "&gt;")
