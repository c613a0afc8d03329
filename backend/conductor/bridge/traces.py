"""Traces as the page shows them."""

from typing import Any

from conductor.domain.phrases import event_words
from conductor.domain.trace import event_from_plain


def shown(trace: dict[str, Any]) -> dict[str, Any]:
    """Give a plain trace with its event in words."""
    return {**trace, "text": event_words(event_from_plain(trace["event"])), "count": 1}
