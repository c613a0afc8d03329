"""Options of provider clients: waiting, time limits and the cache of model lists."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple, Protocol

Wait = Callable[[float], Awaitable[None]]


class Limits(NamedTuple):
    """Time limits in seconds."""

    between_events_s: float = 300.0
    """A thinking model may send nothing, or only keep-alives, for minutes."""
    whole_s: float = 1800.0
    test_s: float = 60.0
    """For a connection test."""


class ModelCache(Protocol):
    """Caches the model lists of providers while they are fresh."""

    def save(self, provider: str, address: str, data: str) -> None: ...

    def load(self, provider: str, address: str) -> str | None: ...


class NullModelCache:
    """A cache that stores nothing."""

    def save(self, provider: str, address: str, data: str) -> None:
        return

    def load(self, provider: str, address: str) -> str | None:
        return None


class ClientOptions(NamedTuple):
    """Client options that are not user settings."""

    wait: Wait = asyncio.sleep
    limits: Limits = Limits()
    shelf: ModelCache = NullModelCache()
