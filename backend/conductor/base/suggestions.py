"""Hints for mistyped names."""

import difflib
from collections.abc import Iterable


def format_suggestion(word: str, known: Iterable[str]) -> str:
    """Return a hint that names the most similar known word, or else all known words. Empty if none exist."""
    names = list(known)
    lowered = {name.casefold(): name for name in names}
    similar = difflib.get_close_matches(word.casefold(), lowered, n=1, cutoff=0.6)
    if similar:
        return f" - did you mean `{lowered[similar[0]]}`?"
    return f"; there is {', '.join(f'`{name}`' for name in names[:8])}" if names else ""
