"""Manages the configured model providers. Each is opened on first use, so this module is fast to import."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conductor.base.detached import run_detached
from conductor.domain.chat.messages import FailureKind, ProviderHealth
from conductor.domain.settings import LlmProvider, LlmSettings, ProviderKind
from conductor.errors import NotAvailable
from conductor.llm.lazy_provider import LazyProvider
from conductor.llm.options import ClientOptions
from conductor.llm.provider import Provider
from conductor.llm.registry import ProviderRow, is_local, row_of

if TYPE_CHECKING:
    from conductor.llm.prices import Price
    from conductor.llm.sdk_provider import SdkProvider

OFFERED = ("anthropic", "openai", "google", "openrouter")
"""Providers that are suggested without configuration, because they only need a key."""
CONNECTION_FAILURES: frozenset[FailureKind] = frozenset(
    {"no_key", "auth", "network", "overloaded", "internal"}
)
"""Kinds of failures that affect all requests to a provider, not just one."""
ALL_MEANS = ClientOptions()


@dataclass(frozen=True)
class Tried:
    """A provider's health at its last test or request, with the address and key used then."""

    base_url: str
    key: str | None = field(repr=False)
    health: ProviderHealth


class Providers:
    """The configured model providers.

    `settings` and `key_of` are called again after `clear`.
    """

    def __init__(
        self,
        settings: Callable[[], LlmSettings],
        key_of: Callable[[str, LlmProvider], str | None],
        means: ClientOptions = ALL_MEANS,
    ) -> None:
        self._settings, self._key_of, self._options = settings, key_of, means
        self._open: dict[str, LazyProvider] = {}
        self._replaced: list[LazyProvider] = []
        self._tried: dict[str, Tried] = {}

    def get(self, name: str) -> Provider:
        """Return a provider that is ready for requests.

        Raises:
            NotAvailable: The provider is not set up; the message says what to do.
        """
        if name not in self._open:
            self._open[name] = self._create_provider(name)
        return self._open[name]

    def names(self) -> tuple[str, ...]:
        """Return the names of the configured providers and of those that only need a key."""
        return tuple(dict.fromkeys((*self._settings().providers, *OFFERED)))

    def order(self, chosen: str | None = None) -> tuple[str, ...]:
        """Return the names of the providers in the order to try them: the chosen one, then the failover list.

        Without a chosen provider, the default provider comes first, or else the first usable one. No other
        provider is ever used: messages are sent only to providers that the user listed, and messages to a local
        model stay in the local network.
        """
        settings = self._settings()
        usable = {row.name: row for row in self.rows() if row.usable} if settings.enabled else {}
        first = chosen or settings.default_provider or next(iter(usable), None)
        stays_local = first in usable and is_local(usable[first].base_url)
        others = [
            name
            for name in settings.failover
            if name in usable and (not stays_local or is_local(usable[name].base_url))
        ]
        is_asked = chosen is not None or first in usable
        return tuple(dict.fromkeys([first, *others] if first and is_asked else others))

    def rows(self) -> tuple[ProviderRow, ...]:
        """Return the configured providers, followed by those that only need a key."""
        written = self._settings().providers
        offered = {name: None for name in OFFERED if name not in written}
        return tuple(self._build_row(name, row) for name, row in {**written, **offered}.items())

    def tried(self, row: ProviderRow) -> ProviderHealth | None:
        """Return a provider's health at its last test or request, or None if its address or key has changed
        since.
        """
        written = self._settings().providers.get(row.name) or LlmProvider()
        tried = self._tried.get(row.name)
        same = tried and (tried.base_url, tried.key) == (
            row.base_url,
            self._key_of(row.name, written),
        )
        return tried.health if tried and same else None

    async def warm(self) -> None:
        """Import the SDKs and open the first provider in a thread. The first import takes seconds."""
        await run_detached(self._warm)

    async def look(self) -> None:
        """Update the model lists of the usable providers. Call this after the start and after `clear`."""
        usable: list[Provider] = []
        for name in self.order():
            # A provider may have been removed since the order was read.
            with suppress(NotAvailable):
                usable.append(self.get(name))
        await asyncio.gather(*(provider.models() for provider in usable))

    def clear(self) -> None:
        """Close all open providers and reopen them on demand, after a key or setting has changed. Answers in
        progress continue.
        """
        self._replaced += self._open.values()
        self._open = {}

    async def close(self) -> None:
        """Close the connections of all providers."""
        self.clear()
        await self.close_left()

    async def close_left(self) -> None:
        """Close the providers that `clear` replaced. Answers in progress continue."""
        left, self._replaced = self._replaced, []
        for provider in left:
            await provider.close()

    def listed_price(self, kind: ProviderKind, model: str) -> "Price | None":
        """Return the price of a model from the list of any open provider of this kind."""
        providers = [each for each in list(self._open.values()) if each.kind == kind]
        return next(filter(None, (each.listed_price(model) for each in providers)), None)

    def _warm(self) -> None:
        _load_sdk_provider()
        for name in self.order()[:1]:
            provider = self.get(name)
            provider.capabilities(provider.default_model)  # reads the price table, makes a model

    def _build_row(self, name: str, written: LlmProvider | None) -> ProviderRow:
        return row_of(name, written, self._key_of(name, written or LlmProvider()))

    def _create_provider(self, name: str) -> LazyProvider:
        settings = self._settings()
        if not settings.enabled:
            raise NotAvailable("The chat is switched off. Switch it on in Settings > Providers.")
        written = settings.providers.get(name)
        if written is None and name not in OFFERED:
            raise NotAvailable(f"No provider is named {name!r}. Add it in Settings > Providers.")
        own = written or LlmProvider()
        key = self._key_of(name, own)
        row = row_of(name, written, key)
        _require_usable(row)

        def tell(health: ProviderHealth) -> None:
            if health.failure is None or health.failure.kind in CONNECTION_FAILURES:
                self._tried[name] = Tried(row.base_url, key, health)

        return LazyProvider(row, lambda: _load_sdk_provider()(row, own, key, self._options), tell)


def _require_usable(row: ProviderRow) -> None:
    if not row.enabled:
        raise NotAvailable(f"{row.label} is switched off. Switch it on in Settings > Providers.")
    if not row.usable:
        hint = f" or set the environment variable {row.usual_env}" if row.usual_env else ""
        raise NotAvailable(
            f"There is no key for {row.label}. Enter one in Settings > Providers{hint}."
        )


def _load_sdk_provider() -> "type[SdkProvider]":
    from conductor.llm.sdk_provider import SdkProvider

    return SdkProvider
