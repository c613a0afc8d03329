"""Traces as the page shows them."""

from typing import Any

from conductor.domain.phrases import action_words, event_words
from conductor.domain.trace import event_from_plain


def shown(trace: dict[str, Any]) -> dict[str, Any]:
    """Return a plain trace with its event, and what was done, in words."""
    effects = [{**one, "words": action_words(one["action"])} for one in trace["effects"]]
    text = event_words(event_from_plain(trace["event"]))
    return {**trace, "effects": effects, "text": text, "count": 1}
