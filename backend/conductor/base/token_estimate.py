"""About how many tokens a text takes, whichever model reads it: a quarter of its bytes."""

BYTES_PER_TOKEN = 4


def of_text(text: str) -> int:
    """Return the estimate that windows and limits are counted with."""
    return len(text.encode(errors="replace")) // BYTES_PER_TOKEN
