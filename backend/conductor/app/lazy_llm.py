"""Creates the services for language models on first use, because their imports are slow."""

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conductor.app.llm_services import LlmServices
    from conductor.domain.chat.messages import ProviderHealth
    from conductor.domain.settings import LlmSettings
    from conductor.storage.keys import Keys
    from conductor.storage.records import Records


class LazyLlm:
    """Provides the services for language models to the chat, the page and MCP servers.

    All methods are safe to call from any thread. `on_clear` is called when the providers must be opened
    again, and `on_health` when the health of a provider has changed.
    """

    def __init__(
        self,
        home: Path,
        settings: "Callable[[], LlmSettings]",
        records: "Records",
        on_clear: Callable[[], None],
        on_health: "Callable[[str, ProviderHealth], None]",
    ) -> None:
        self._home = home
        self._settings = settings
        self._records = records
        self._on_clear = on_clear
        self._on_health = on_health
        self._lock = Lock()
        self._services: LlmServices | None = None

    @property
    def services(self) -> "LlmServices":
        from conductor.app.llm_services import LlmServices

        with self._lock:
            if self._services is None:
                self._services = LlmServices(
                    self._home, self._settings, self._records, self._on_clear, self._on_health
                )
            return self._services

    def keys(self) -> "Keys":
        """Return the store of API keys, creating the services if necessary."""
        return self.services.keys

    def on_config_change(self) -> None:
        """Open the providers again if their settings have changed.

        Nothing happens before the services were used.
        """
        if self._services is not None:
            self._services.on_config_change()
