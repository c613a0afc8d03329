"""Defines the state of the A2A server, which serves other agents on this computer."""

from conductor.domain.value import Value


class A2aStatus(Value):
    """Whether and where other agents are served over A2A."""

    enabled: bool
    card_address: str | None
    """The address of the agent card while agents are served, or None."""
    problem: str | None
    """Why agents are not served although they should be, and what to do."""
