"""What calls to models need, made once: keys, providers, the log of usage, conversations."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from conductor.app.records import Records
from conductor.domain.settings import LlmProvider, LlmSettings
from conductor.llm.registry import kind_of
from conductor.llm.service import Providers
from conductor.storage.keys import Keys, KeySource

if TYPE_CHECKING:
    from conductor.storage.conversations import Conversations
    from conductor.storage.usage import UsageLog


class LlmParts:
    """Implements `bridge.desk.Llm`. What needs the database opens it at the first use."""

    def __init__(self, home: Path, settings: Callable[[], LlmSettings], records: Records) -> None:
        self._settings = settings
        self._records = records
        self._opened_with: LlmSettings | None = None
        self.keys = Keys(home)
        self.providers = Providers(settings, self.key_of)

    @property
    def usage(self) -> "UsageLog":
        self._records.load_library()
        from conductor.storage.usage import UsageLog

        return UsageLog(self._records.database)

    @property
    def conversations(self) -> "Conversations":
        self._records.load_library()
        from conductor.storage.conversations import Conversations

        return Conversations(self._records.database)

    def config_changed(self) -> None:
        """Have providers opened anew if what is set for them changed."""
        settings = self._settings()
        if settings != self._opened_with:
            self._opened_with = settings
            self.providers.clear()

    def key_of(self, name: str, row: LlmProvider) -> str | None:
        """Give the key of a provider; it may wait for the keychain the first time.

        The variable that the config names comes first, then what is kept, then the usual variable.
        """
        if row.api_key_env:
            return os.environ.get(row.api_key_env) or None
        return self.keys.get(name) or os.environ.get(kind_of(name, row).usual_env) or None

    def key_source(self, name: str) -> KeySource | None:
        """Say where the key of a provider comes from; None when there is none."""
        row = self._settings().providers.get(name) or LlmProvider()
        if row.api_key_env:
            found = bool(os.environ.get(row.api_key_env))
            return KeySource("environment", row.api_key_env) if found else None
        if self.keys.get(name):
            return KeySource(self.keys.place, None)
        usual = kind_of(name, row).usual_env
        return KeySource("environment", usual) if os.environ.get(usual) else None
