"""What providers are opened with beside their rows: waiting, time limits, and where lists are kept."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple, Protocol

Wait = Callable[[float], Awaitable[None]]


class Limits(NamedTuple):
    """How long an answer may take, in seconds."""

    between_events_s: float = 300.0
    """A model that thinks sends nothing, or only signs of life, for minutes."""
    whole_s: float = 1800.0
    test_s: float = 60.0
    """For a list of models, or a word."""


class ModelCache(Protocol):
    """Keeps what providers listed, for as long as it is worth something."""

    def save(self, provider: str, address: str, data: str) -> None: ...

    def load(self, provider: str, address: str) -> str | None: ...


class NullModelCache:
    """Keeps nothing."""

    def save(self, provider: str, address: str, data: str) -> None:
        return

    def load(self, provider: str, address: str) -> str | None:
        return None


class ClientOptions(NamedTuple):
    """What is not the user's to set."""

    wait: Wait = asyncio.sleep
    limits: Limits = Limits()
    shelf: ModelCache = NullModelCache()
