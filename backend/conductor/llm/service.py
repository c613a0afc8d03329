"""Manages the configured model providers.

Each provider is opened on first use, so that importing this module does not import an SDK.
"""

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
from conductor.llm.request_limit import RequestLimit, find_requests_per_minute

if TYPE_CHECKING:
    from conductor.llm.prices import ModelPrice
    from conductor.llm.sdk_provider import SdkProvider

SUGGESTED_PROVIDERS = ("anthropic", "openai", "google", "openrouter")
"""Providers that Settings suggests without configuration, because they need nothing but a key."""
CONNECTION_FAILURE_KINDS: frozenset[FailureKind] = frozenset(
    {"no_key", "auth", "network", "overloaded", "internal"}
)
"""Kinds of failures that concern every request to a provider and therefore its health."""
DEFAULT_CLIENT_OPTIONS = ClientOptions()


@dataclass(frozen=True)
class CheckedHealth:
    """The result of the last test or request of a provider, with the address and key that were used."""

    base_url: str
    key: str | None = field(repr=False)
    health: ProviderHealth


class Providers:
    """The configured model providers, by name.

    After `clear`, a provider is opened with the current results of `settings` and `key_of`.
    """

    def __init__(
        self,
        settings: Callable[[], LlmSettings],
        key_of: Callable[[str, LlmProvider], str | None],
        options: ClientOptions = DEFAULT_CLIENT_OPTIONS,
        on_health: Callable[[str, ProviderHealth], None] = lambda _name, _health: None,
    ) -> None:
        """Store the sources of settings and keys.

        `on_health` is called when a provider answers again, fails, or fails in another way.
        """
        self._settings, self._key_of, self._options = settings, key_of, options
        self._on_health = on_health
        self._providers: dict[str, LazyProvider] = {}
        self._replaced: list[LazyProvider] = []
        self._checked: dict[str, CheckedHealth] = {}
        self._limits: dict[str, RequestLimit] = {}
        """Kept when a provider is opened again, so that a change of the config does not refill its bucket."""

    def get_provider(self, name: str) -> Provider:
        """Return a provider that is ready for requests.

        Raises:
            NotAvailable: The provider is switched off, unknown or has no key. The message tells the user
                what to do.
        """
        if name not in self._providers:
            self._providers[name] = self._create_provider(name)
        return self._providers[name]

    def list_provider_names(self) -> tuple[str, ...]:
        """Return the names of the configured providers, followed by the suggested ones."""
        return tuple(dict.fromkeys((*self._settings().providers, *SUGGESTED_PROVIDERS)))

    def order_provider_names(self, chosen: str | None = None) -> tuple[str, ...]:
        """Return the names of the providers to try for a message, in order.

        The order is the chosen provider, then those in the failover list. Without a choice, the default
        provider comes first, or else the first usable one. No other provider is tried, because the
        conversation may go only to providers that the user named. If the first provider is local, the
        others are local as well.
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
        """Return a row for each configured provider, followed by the suggested ones."""
        configured = self._settings().providers
        suggested = {name: None for name in SUGGESTED_PROVIDERS if name not in configured}
        return tuple(
            self._build_provider_row(name, row) for name, row in {**configured, **suggested}.items()
        )

    def get_checked_health(self, row: ProviderRow) -> ProviderHealth | None:
        """Return the result of the provider's last test or request.

        Return None if there is none, or if the address or the key has changed since.
        """
        configured = self._settings().providers.get(row.name) or LlmProvider()
        checked = self._checked.get(row.name)
        is_unchanged = checked and (checked.base_url, checked.key) == (
            row.base_url,
            self._key_of(row.name, configured),
        )
        return checked.health if checked and is_unchanged else None

    async def preload_first_provider(self) -> None:
        """Import the SDKs and open the provider that is tried first, in a thread.

        This takes seconds, so it is done before the user sends a message.
        """
        await run_detached(self._load_first_provider)

    async def update_model_lists(self) -> None:
        """Request the model lists of all providers that may be used.

        Call this after startup and after `clear`.
        """
        usable: list[Provider] = []
        for name in self.order_provider_names():
            # the settings may have changed since the names were read
            with suppress(NotAvailable):
                usable.append(self.get_provider(name))
        await asyncio.gather(*(provider.list_models() for provider in usable))

    def clear(self) -> None:
        """Forget all open providers, so that each is opened again with the current settings and key.

        Answers in progress continue. `close_replaced_providers` closes the old providers.
        """
        self._replaced += self._providers.values()
        self._providers = {}

    async def close(self) -> None:
        """Close the HTTP connections of all providers."""
        self.clear()
        await self.close_replaced_providers()

    async def close_replaced_providers(self) -> None:
        """Close the providers that `clear` replaced, each as soon as its last answer has ended."""
        while self._replaced:  # one by one, so that none is lost if this is cancelled
            await self._replaced.pop(0).close()

    def find_listed_price(self, kind: ProviderKind, model: str) -> "ModelPrice | None":
        """Return the price of a model in the list of an open provider of this kind, or None."""
        providers = [each for each in list(self._providers.values()) if each.kind == kind]
        return next(filter(None, (each.find_listed_price(model) for each in providers)), None)

    def _load_first_provider(self) -> None:
        _import_sdk_provider()
        for name in self.order_provider_names()[:1]:
            with suppress(NotAvailable):  # the user removed it or its key in the meantime
                provider = self.get_provider(name)
                # loads the price table and creates a model, both slow the first time
                provider.get_capabilities(provider.default_model)

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
                before, after = self._checked.get(name), CheckedHealth(row.base_url, key, health)
                self._checked[name] = after
                if before is None or _get_outcome(before) != _get_outcome(after):
                    self._on_health(name, health)

        limit = self._get_request_limit(row, provider_settings)

        def open_provider() -> "SdkProvider":
            self._options.load_prices()
            return _import_sdk_provider()(row, provider_settings, key, self._options, limit)

        return LazyProvider(
            row,
            open_provider,
            record_health,
        )

    def _get_request_limit(self, row: ProviderRow, settings: LlmProvider) -> RequestLimit | None:
        per_minute = find_requests_per_minute(row, settings)
        if per_minute is None:
            return None
        known = self._limits.get(row.name)
        if known is None or known.per_minute != per_minute:
            known = self._limits[row.name] = RequestLimit(row.label, row.name, per_minute)
        return known


def _get_outcome(checked: CheckedHealth) -> tuple[object, ...]:
    """Return what a page shows of a check; the wording and the duration may differ each time."""
    failure = checked.health.failure
    return checked.base_url, checked.key, checked.health.ok, failure.kind if failure else None


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
