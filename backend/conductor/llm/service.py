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
from conductor.llm.registry import ProviderRow, build_provider_row, is_local_url

if TYPE_CHECKING:
    from conductor.llm.prices import ModelPrice
    from conductor.llm.sdk_provider import SdkProvider

SUGGESTED_PROVIDERS = ("anthropic", "openai", "google", "openrouter")
"""Providers that are suggested without configuration, because they only need a key."""
CONNECTION_FAILURE_KINDS: frozenset[FailureKind] = frozenset(
    {"no_key", "auth", "network", "overloaded", "internal"}
)
"""Kinds of failures that affect all requests to a provider, not just one."""
DEFAULT_CLIENT_OPTIONS = ClientOptions()


@dataclass(frozen=True)
class CheckedHealth:
    """A provider's health at its last test or request, with the address and key used then."""

    base_url: str
    key: str | None = field(repr=False)
    health: ProviderHealth


class Providers:
    """The configured model providers.

    The functions `settings` and `key_of` are called again for each provider that is opened after `clear`.
    """

    def __init__(
        self,
        settings: Callable[[], LlmSettings],
        key_of: Callable[[str, LlmProvider], str | None],
        options: ClientOptions = DEFAULT_CLIENT_OPTIONS,
    ) -> None:
        self._settings, self._key_of, self._options = settings, key_of, options
        self._providers: dict[str, LazyProvider] = {}
        self._replaced: list[LazyProvider] = []
        self._checked: dict[str, CheckedHealth] = {}

    def get_provider(self, name: str) -> Provider:
        """Return a provider that is ready for requests.

        Raises:
            NotAvailable: The provider is not set up; the message says what to do.
        """
        if name not in self._providers:
            self._providers[name] = self._create_provider(name)
        return self._providers[name]

    def list_provider_names(self) -> tuple[str, ...]:
        """Return the names of the configured providers and of those that only need a key."""
        return tuple(dict.fromkeys((*self._settings().providers, *SUGGESTED_PROVIDERS)))

    def order_provider_names(self, chosen: str | None = None) -> tuple[str, ...]:
        """Return the names of the providers in the order to try them: the chosen one, then the failover list.

        Without a chosen provider, the default provider comes first, or else the first usable one. No other
        provider is ever used: messages are sent only to providers that the user listed, and messages to a local
        model stay in the local network.
        """
        settings = self._settings()
        usable = (
            {row.name: row for row in self.list_provider_rows() if row.usable}
            if settings.enabled
            else {}
        )
        first_name = chosen or settings.default_provider or next(iter(usable), None)
        stays_local = first_name in usable and is_local_url(usable[first_name].base_url)
        failover = [
            name
            for name in settings.failover
            if name in usable and (not stays_local or is_local_url(usable[name].base_url))
        ]
        is_asked = chosen is not None or first_name in usable
        return tuple(
            dict.fromkeys([first_name, *failover] if first_name and is_asked else failover)
        )

    def list_provider_rows(self) -> tuple[ProviderRow, ...]:
        """Return the configured providers, followed by those that only need a key."""
        configured = self._settings().providers
        suggested = {name: None for name in SUGGESTED_PROVIDERS if name not in configured}
        return tuple(
            self._build_provider_row(name, row) for name, row in {**configured, **suggested}.items()
        )

    def get_checked_health(self, row: ProviderRow) -> ProviderHealth | None:
        """Return a provider's health at its last test or request, or None if its address or key has changed
        since.
        """
        configured = self._settings().providers.get(row.name) or LlmProvider()
        checked = self._checked.get(row.name)
        is_unchanged = checked and (checked.base_url, checked.key) == (
            row.base_url,
            self._key_of(row.name, configured),
        )
        return checked.health if checked and is_unchanged else None

    async def preload_first_provider(self) -> None:
        """Import the SDKs and open the first provider in a thread. The first import takes seconds."""
        await run_detached(self._load_first_provider)

    async def update_model_lists(self) -> None:
        """Update the model lists of the usable providers. Call this after startup and after `clear`."""
        usable: list[Provider] = []
        for name in self.order_provider_names():
            # A provider may have been removed since the order was read.
            with suppress(NotAvailable):
                usable.append(self.get_provider(name))
        await asyncio.gather(*(provider.list_models() for provider in usable))

    def clear(self) -> None:
        """Close all open providers and reopen them on demand, after a key or setting has changed. Answers in
        progress continue.
        """
        self._replaced += self._providers.values()
        self._providers = {}

    async def close(self) -> None:
        """Close the connections of all providers."""
        self.clear()
        await self.close_replaced_providers()

    async def close_replaced_providers(self) -> None:
        """Close the providers that `clear` replaced. Answers in progress continue."""
        replaced, self._replaced = self._replaced, []
        for provider in replaced:
            await provider.close()

    def find_listed_price(self, kind: ProviderKind, model: str) -> "ModelPrice | None":
        """Return the price of a model from the list of any open provider of this kind."""
        providers = [each for each in list(self._providers.values()) if each.kind == kind]
        return next(filter(None, (each.find_listed_price(model) for each in providers)), None)

    def _load_first_provider(self) -> None:
        _import_sdk_provider()
        for name in self.order_provider_names()[:1]:
            provider = self.get_provider(name)
            provider.get_capabilities(
                provider.default_model
            )  # reads the price table, makes a model

    def _build_provider_row(self, name: str, configured: LlmProvider | None) -> ProviderRow:
        return build_provider_row(name, configured, self._key_of(name, configured or LlmProvider()))

    def _create_provider(self, name: str) -> LazyProvider:
        settings = self._settings()
        if not settings.enabled:
            raise NotAvailable("The chat is switched off. Switch it on in Settings > Providers.")
        configured = settings.providers.get(name)
        if configured is None and name not in SUGGESTED_PROVIDERS:
            raise NotAvailable(f"No provider is named {name!r}. Add it in Settings > Providers.")
        provider_settings = configured or LlmProvider()
        key = self._key_of(name, provider_settings)
        row = build_provider_row(name, configured, key)
        _require_usable_row(row)

        def record_health(health: ProviderHealth) -> None:
            if health.failure is None or health.failure.kind in CONNECTION_FAILURE_KINDS:
                self._checked[name] = CheckedHealth(row.base_url, key, health)

        return LazyProvider(
            row,
            lambda: _import_sdk_provider()(row, provider_settings, key, self._options),
            record_health,
        )


def _require_usable_row(row: ProviderRow) -> None:
    if not row.enabled:
        raise NotAvailable(f"{row.label} is switched off. Switch it on in Settings > Providers.")
    if not row.usable:
        hint = f" or set the environment variable {row.usual_env}" if row.usual_env else ""
        raise NotAvailable(
            f"There is no key for {row.label}. Enter one in Settings > Providers{hint}."
        )


def _import_sdk_provider() -> "type[SdkProvider]":
    from conductor.llm.sdk_provider import SdkProvider

    return SdkProvider
