"""Suggests known names for mistyped words in error messages."""

import difflib
from collections.abc import Iterable


def format_suggestion(word: str, known: Iterable[str]) -> str:
    """Return a hint for the end of an error message, with the known word that is most similar to a mistyped
    one.

    A word that is only begun is similar to the one known word that starts with it. Without a similar word,
    the hint lists up to eight known words; it is empty if there are none.
    """
    names = list(known)
    lowered = {name.casefold(): name for name in names}
    similar = difflib.get_close_matches(word.casefold(), lowered, n=1, cutoff=0.6)
    starting = [name for name in lowered if word and name.startswith(word.casefold())]
    similar = similar or (starting if len(starting) == 1 else [])
    if similar:
        return f" - did you mean `{lowered[similar[0]]}`?"
    return f"; there is {', '.join(f'`{name}`' for name in names[:8])}" if names else ""
