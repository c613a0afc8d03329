"""What did not come from the user, made safe to show a model: cleaned, bounded and marked as data."""

import unicodedata
from html import escape

SHOWN_AT_MOST = 12_000
"""Characters of one tool result; 3,000 tokens."""
_SELECTORS = (range(0xFE00, 0xFE0F), range(0xE0100, 0xE01F0))


def clean(text: str) -> str:
    """Take out what nobody sees and a model reads: control, bidi, zero-width, tag and private characters."""
    return "".join(char for char in text if char in "\n\t" or not _is_hidden(char))


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


def as_data(tag: str, name: str, text: str) -> str:
    """Put a text between marks that it cannot end itself."""
    inner = clean(text).replace(f"</{tag}", f"<\\/{tag}")
    return f'<{tag} name="{escape(clean(name))}" untrusted="true">\n{inner}\n</{tag}>'


def _is_hidden(char: str) -> bool:
    if char < "\x7f":
        return char < " "
    category = unicodedata.category(char)
    return category in ("Cc", "Cf", "Co", "Cs", "Cn") or any(ord(char) in r for r in _SELECTORS)
