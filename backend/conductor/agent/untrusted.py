"""Shortens and escapes untrusted text before it is sent to a model."""

from conductor.base.invisible_chars import remove_hidden

MAX_TOOL_RESULT_CHARACTERS = 12_000
"""The maximum length of a tool result in characters; about 3,000 tokens."""


def shorten_middle(text: str, limit: int = MAX_TOOL_RESULT_CHARACTERS) -> str:
    """Return the start and the end of a long text, with a note in between that counts the omitted
    characters.
    """
    if len(text) <= limit:
        return text
    head, tail = limit * 3 // 4, limit // 4
    left_out = len(text) - head - tail
    return f"{text[:head]}\n[... {left_out} characters left out; ask for less ...]\n{text[-tail:]}"


def format_one_line(text: str, limit: int = 80) -> str:
    """Return a name or description on one line of at most `limit` characters, with `<` and `>` escaped."""
    line = " ".join(remove_hidden(text).split())
    shown = line if len(line) <= limit else f"{line[:limit]}..."
    return shown.replace("<", "&lt;").replace(">", "&gt;")
