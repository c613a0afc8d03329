"""The cost of model requests, summed up for display."""

from conductor.domain.chat.messages import Usage
from conductor.domain.value import Value


class CostLine(Value):
    """The usage of a day, provider, model or conversation."""

    name: str
    """A day as `2026-11-21`, a provider, a model, or the id of a conversation."""
    label: str
    """The displayed name: the title of a conversation, otherwise `key`."""
    usage: Usage
    unpriced_requests: int = 0
    """The number of requests without a known price, which are not included in the cost."""


class Costs(Value):
    """The costs since a given time, grouped in four ways.

    Days are sorted by date, all other groups by descending cost.
    """

    total: CostLine
    days: tuple[CostLine, ...]
    providers: tuple[CostLine, ...]
    models: tuple[CostLine, ...]
    conversations: tuple[CostLine, ...]
