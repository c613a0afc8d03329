"""What did not come from the user, made safe to show a model: cleaned, and marked as data."""

import re
import unicodedata
from html import escape

_SELECTORS = (range(0xFE00, 0xFE0F), range(0xE0100, 0xE01F0))


def clean(text: str) -> str:
    """Take out what nobody sees and a model reads: control, bidi, zero-width, tag and private characters."""
    return "".join(char for char in text if char in "\n\t" or not _is_hidden(char))


def as_data(tag: str, name: str, text: str) -> str:
    """Put a text between marks that it cannot end itself."""
    inner = re.sub(rf"<(\s*/\s*{tag})", r"<\\\1", clean(text), flags=re.IGNORECASE)
    return f'<{tag} name="{escape(clean(name))}" untrusted="true">\n{inner}\n</{tag}>'


def _is_hidden(char: str) -> bool:
    if char < "\x7f":
        return char < " "
    category = unicodedata.category(char)
    return category in ("Cc", "Cf", "Co", "Cs", "Cn") or any(ord(char) in r for r in _SELECTORS)
