"""Estimates how many tokens a text has, for any model: a quarter of the number of its UTF-8 bytes."""

BYTES_PER_TOKEN = 4


def estimate_token_count(text: str) -> int:
    """Return the estimated number of tokens in a text; size limits and context windows are computed from it."""
    return len(text.encode(errors="replace")) // BYTES_PER_TOKEN
