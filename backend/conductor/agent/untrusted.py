"""What did not come from the user, cut to what a model is shown of it."""

from conductor.base.invisible_chars import clean

SHOWN_AT_MOST = 12_000
"""Characters of one tool result; 3,000 tokens."""


def bounded(text: str, at_most: int = SHOWN_AT_MOST) -> str:
    """Keep the beginning and the end of a long text, and say what is missing."""
    if len(text) <= at_most:
        return text
    head, tail = at_most * 3 // 4, at_most // 4
    left_out = len(text) - head - tail
    return f"{text[:head]}\n[... {left_out} characters left out; ask for less ...]\n{text[-tail:]}"


def one_line(text: str, at_most: int = 80) -> str:
    """Put a name or a description on one line that neither begins nor ends a mark."""
    line = " ".join(clean(text).split())
    shown = line if len(line) <= at_most else f"{line[:at_most]}..."
    return shown.replace("<", "&lt;").replace(">", "&gt;")
