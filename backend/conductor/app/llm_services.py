"""Creates the services for language models: API keys, providers, the log of token usage, and conversations."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conductor.domain.settings import LlmProvider, LlmSettings, ProviderKind
from conductor.llm.options import ClientOptions
from conductor.llm.registry import find_provider_defaults
from conductor.llm.service import Providers
from conductor.storage.keys import Keys, KeySource
from conductor.storage.records import Records

if TYPE_CHECKING:
    from conductor.domain.chat.messages import ProviderHealth, Usage
    from conductor.llm.price_update import PriceTable
    from conductor.storage.conversations import Conversations
    from conductor.storage.model_lists import ModelLists
    from conductor.storage.usage import UsageLog


PRICE_FILE_NAME = "prices.json"


class NotifyingProviders(Providers):
    """The model providers, with a callback `on_clear` for when they must be opened again."""

    def __init__(
        self,
        settings: Callable[[], LlmSettings],
        find_key: Callable[[str, LlmProvider], str | None],
        options: ClientOptions,
        on_clear: Callable[[], None],
        on_health: Callable[[str, "ProviderHealth"], None],
    ) -> None:
        super().__init__(settings, find_key, options, on_health)
        self._on_clear = on_clear

    def clear(self) -> None:
        super().clear()
        self._on_clear()


class _DatabaseModelCache:
    """Implements `llm.options.ModelListCache` with the database, which is opened on first use."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def save_model_list(self, provider: str, address: str, data: str) -> None:
        self._open_model_lists().save_model_list(provider, address, data)

    def load_model_list(self, provider: str, address: str) -> str | None:
        return self._open_model_lists().load_model_list(provider, address)

    def _open_model_lists(self) -> "ModelLists":
        self._records.load_library()
        from conductor.storage.model_lists import ModelLists

        return ModelLists(self._records.open_database)


class LlmServices:
    """Implements `bridge.services.Llm`: API keys, providers and costs. The database is opened on first use."""

    def __init__(
        self,
        home: Path,
        settings: Callable[[], LlmSettings],
        records: Records,
        on_clear: Callable[[], None] = lambda: None,
        on_health: Callable[[str, "ProviderHealth"], None] = lambda _name, _health: None,
    ) -> None:
        self._home = home
        self._settings = settings
        self._records = records
        self._are_prices_loaded = False
        self._opened_settings = _select_provider_settings(settings())
        self.keys = Keys(home)
        self.providers = NotifyingProviders(
            settings,
            self.find_key,
            ClientOptions(
                model_cache=_DatabaseModelCache(records), load_prices=self._load_saved_prices
            ),
            on_clear,
            on_health,
        )

    @property
    def usage(self) -> "UsageLog":
        self._records.load_library()
        from conductor.storage.usage import UsageLog

        return UsageLog(self._records.open_database)

    @property
    def conversations(self) -> "Conversations":
        self._records.load_library()
        from conductor.storage.conversations import Conversations

        return Conversations(self._records.open_database)

    def update_prices(self) -> None:
        """Download the newest prices of models, and use them from the next request on.

        Raises:
            NotAvailable: They could not be downloaded or saved.
        """
        self._get_price_table().update_table()

    def find_price_update_time(self) -> datetime | None:
        """Return when the user downloaded the prices in use, or None if they came with Conductor."""
        try:
            return datetime.fromtimestamp((self._home / PRICE_FILE_NAME).stat().st_mtime, UTC)
        except OSError:
            return None

    def _load_saved_prices(self) -> None:
        """Use the prices that the user has downloaded before, on the first call."""
        if not self._are_prices_loaded:
            self._are_prices_loaded = True
            self._get_price_table().load_saved_table()

    def _get_price_table(self) -> "PriceTable":
        from conductor.llm.price_update import PriceTable

        return PriceTable(self._home / PRICE_FILE_NAME)

    def on_config_change(self) -> None:
        """Open the providers again if their settings have changed."""
        wanted = _select_provider_settings(self._settings())
        if wanted != self._opened_settings:
            self._opened_settings = wanted
            self.providers.clear()

    def compute_cost(self, kind: ProviderKind, model: str, usage: "Usage") -> float | None:
        """Return the cost of a request in US dollars, or None if the price of the model is unknown."""
        from conductor.llm.prices import compute_request_cost

        return compute_request_cost(
            kind, model, usage, self.providers.find_listed_price(kind, model)
        )

    def find_key(self, name: str, row: LlmProvider) -> str | None:
        """Return the API key of a provider, or None if there is none. The first call may wait for the
        system's keychain.

        If the config names an environment variable, only that variable is read. Otherwise the saved key
        takes precedence over the environment variable that is usual for the provider.
        """
        if row.api_key_env:
            return os.environ.get(row.api_key_env) or None
        return (
            self.keys.get_key(name)
            or os.environ.get(find_provider_defaults(name, row).usual_env)
            or None
        )

    def find_key_source(self, name: str) -> KeySource | None:
        """Return where the API key of a provider is stored, or None if there is no key."""
        row = self._settings().providers.get(name) or LlmProvider()
        if row.api_key_env:
            found = bool(os.environ.get(row.api_key_env))
            return KeySource("environment", row.api_key_env) if found else None
        if self.keys.get_key(name):
            return KeySource(self.keys.storage_place, None)
        usual = find_provider_defaults(name, row).usual_env
        return KeySource("environment", usual) if os.environ.get(usual) else None


def _select_provider_settings(settings: LlmSettings) -> tuple[Any, ...]:
    """Return the settings whose change requires that the providers are opened again."""
    return settings.enabled, settings.providers, settings.default_provider, settings.failover
