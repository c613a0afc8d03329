"""Defines the cost of model requests, summed up for display."""

from conductor.domain.chat.messages import Usage
from conductor.domain.value import Value


class CostLine(Value):
    """The usage of one day, provider, model or conversation, with its cost."""

    name: str
    """A day as `2026-11-21`, a provider, a model, or the id of a conversation."""
    label: str
    """The name for display: the title of a conversation, and `key` for everything else."""
    usage: Usage
    unpriced_requests: int = 0
    """The number of requests whose price is unknown; the cost does not include them."""


class Costs(Value):
    """The costs since a given time, grouped in four ways.

    Days are sorted by date, all other groups by descending cost.
    """

    total: CostLine
    days: tuple[CostLine, ...]
    providers: tuple[CostLine, ...]
    models: tuple[CostLine, ...]
    conversations: tuple[CostLine, ...]
