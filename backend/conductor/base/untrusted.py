"""Marks text from untrusted sources as data before a model reads it."""

import re
from html import escape

from conductor.base.invisible_chars import remove_hidden


def wrap_untrusted(tag: str, name: str, text: str) -> str:
    """Wrap a text in an XML tag that text from an untrusted source cannot close."""
    inner = re.sub(rf"<(\s*/\s*{tag})", r"<\\\1", remove_hidden(text), flags=re.IGNORECASE)
    return f'<{tag} name="{escape(remove_hidden(name))}" untrusted="true">\n{inner}\n</{tag}>'
