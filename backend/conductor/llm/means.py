"""What providers are opened with beside their rows: how to wait, and how long anything may take."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

Wait = Callable[[float], Awaitable[None]]


class Limits(NamedTuple):
    """How long an answer may take, in seconds."""

    between_events_s: float = 300.0
    """A model that thinks sends nothing, or only signs of life, for minutes."""
    whole_s: float = 1800.0
    test_s: float = 60.0
    """For a list of models, or a word."""


class Means(NamedTuple):
    """What is not the user's to set."""

    wait: Wait = asyncio.sleep
    limits: Limits = Limits()
