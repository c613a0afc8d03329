"""Estimates the number of tokens in a text, for any model: a quarter of its UTF-8 bytes."""

BYTES_PER_TOKEN = 4


def estimate_token_count(text: str) -> int:
    """Return the estimated number of tokens, as used for context windows and limits."""
    return len(text.encode(errors="replace")) // BYTES_PER_TOKEN
