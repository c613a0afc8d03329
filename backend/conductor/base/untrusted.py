"""What did not come from the user, marked as data for a model."""

import re
from html import escape

from conductor.base.invisible_chars import clean


def as_data(tag: str, name: str, text: str) -> str:
    """Put a text between marks that it cannot end itself."""
    inner = re.sub(rf"<(\s*/\s*{tag})", r"<\\\1", clean(text), flags=re.IGNORECASE)
    return f'<{tag} name="{escape(clean(name))}" untrusted="true">\n{inner}\n</{tag}>'
