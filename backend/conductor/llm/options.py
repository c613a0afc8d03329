"""Options of provider clients that users cannot set: waits, time limits and the cache of model lists."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple, Protocol

WaitSeconds = Callable[[float], Awaitable[None]]


class ModelTimeouts(NamedTuple):
    """The time limits of requests to a provider, in seconds."""

    max_silence_s: float = 300.0
    """The longest pause between two events.

    It is long, because a reasoning model may send nothing, or only keep-alive comments, for minutes.
    """
    answer_s: float = 1800.0
    """The limit for the whole answer."""
    connection_test_s: float = 60.0
    """The limit for a connection test."""


class ModelListCache(Protocol):
    """Stores the model list of each provider between runs.

    `load_model_list` returns None if the stored list is too old.
    """

    def save_model_list(self, provider: str, address: str, data: str) -> None: ...

    def load_model_list(self, provider: str, address: str) -> str | None: ...


class NullModelListCache:
    """A `ModelListCache` that stores nothing, for tests and short-lived programs."""

    def save_model_list(self, provider: str, address: str, data: str) -> None:
        return

    def load_model_list(self, provider: str, address: str) -> str | None:
        return None


class ClientOptions(NamedTuple):
    """Options of provider clients that tests replace and users cannot set."""

    wait: WaitSeconds = asyncio.sleep
    timeouts: ModelTimeouts = ModelTimeouts()
    model_cache: ModelListCache = NullModelListCache()
    load_prices: Callable[[], None] = lambda: None
    """Called in a worker thread before the first model of a provider is opened."""
