"""Options of provider clients: retry waits, time limits and the cache of model lists."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple, Protocol

WaitSeconds = Callable[[float], Awaitable[None]]


class ModelTimeouts(NamedTuple):
    """Time limits in seconds."""

    max_silence_s: float = 300.0
    """The longest silence between two events. A thinking model may send nothing for minutes, or only
    keep-alives.
    """
    answer_s: float = 1800.0
    """The time limit of a whole answer."""
    connection_test_s: float = 60.0
    """The time limit of a connection test."""


class ModelListCache(Protocol):
    """Stores the model lists of providers for as long as they are considered up to date."""

    def save_model_list(self, provider: str, address: str, data: str) -> None: ...

    def load_model_list(self, provider: str, address: str) -> str | None: ...


class NullModelListCache:
    """A cache that stores nothing."""

    def save_model_list(self, provider: str, address: str, data: str) -> None:
        return

    def load_model_list(self, provider: str, address: str) -> str | None:
        return None


class ClientOptions(NamedTuple):
    """Options of the clients that the user cannot change."""

    wait: WaitSeconds = asyncio.sleep
    timeouts: ModelTimeouts = ModelTimeouts()
    model_cache: ModelListCache = NullModelListCache()
