"""Prepares traces for the page."""

from typing import Any

from conductor.domain.phrases import action_words, event_words
from conductor.domain.trace import event_from_plain


def shown(trace: dict[str, Any]) -> dict[str, Any]:
    """Return a plain trace with descriptions of its event and effects."""
    effects = [{**effect, "words": action_words(effect["action"])} for effect in trace["effects"]]
    text = event_words(event_from_plain(trace["event"]))
    return {**trace, "effects": effects, "text": text, "count": 1}
