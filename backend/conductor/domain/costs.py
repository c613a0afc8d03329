"""What requests to models cost, added up for the page and the terminal."""

from conductor.domain.chat.messages import Usage
from conductor.domain.value import Value


class CostLine(Value):
    """What one day, provider, model or conversation used."""

    name: str
    """A day as `2026-11-21`, a provider, a model, or the id of a conversation."""
    label: str
    """As shown: the conversation's title; else the name."""
    usage: Usage
    unpriced_requests: int = 0
    """Requests whose price is not known; they are not in the sum."""


class Costs(Value):
    """Requests since a time, added up in four ways. Days run from old to new, the rest from dear to cheap."""

    total: CostLine
    days: tuple[CostLine, ...]
    providers: tuple[CostLine, ...]
    models: tuple[CostLine, ...]
    conversations: tuple[CostLine, ...]
