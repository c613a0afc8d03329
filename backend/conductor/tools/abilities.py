"""What skills work with, one property for each kind; `app.abilities` makes each at its first need."""

from typing import Protocol


class Abilities(Protocol):
    """Everything beside the config that a skill may reach."""
