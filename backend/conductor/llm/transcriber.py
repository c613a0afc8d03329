"""Chooses the provider or server that transcribes speech, as the settings say."""

import asyncio
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from conductor.domain.config import Config
from conductor.domain.settings import LlmProvider
from conductor.errors import NotAvailable

if TYPE_CHECKING:
    from conductor.llm.clients import ClientAddress
    from conductor.llm.registry import ProviderRow
    from conductor.llm.service import Providers

TRANSCRIBING_KINDS = ("openai", "litellm", "custom")
"""Kinds of providers with OpenAI's transcription API."""
CHAT_OFF_MESSAGE = (
    "Speech is not sent to a provider while `llm.enabled` is false: switch it on, or name a local server in"
    " Settings > Voice."
)
NO_PROVIDER_MESSAGE = (
    "No provider can transcribe speech: add OpenAI, LiteLLM or an OpenAI-compatible server in Settings >"
    " Providers, or name a local server in Settings > Voice."
)
NO_SERVER_MESSAGE = (
    "No server is set: enter its address in Settings > Voice, such as http://127.0.0.1:8000/v1."
)


class SpeechProviders(Protocol):
    """The model providers and their keys. Implemented by `app.llm_services.LlmServices`."""

    @property
    def providers(self) -> "Providers": ...
    def find_key(self, name: str, row: LlmProvider) -> str | None: ...


class Transcriber:
    """Turns recordings into text. The recording is sent only if the settings name who may receive it."""

    def __init__(
        self, read_config: Callable[[], Config], open_providers: Callable[[], SpeechProviders]
    ) -> None:
        self._read_config = read_config
        self._open_providers = open_providers

    @property
    def is_wanted(self) -> bool:
        return self._read_config().settings.voice.transcription != "off"

    async def transcribe(self, wav: bytes) -> str:
        """Return what is said in a WAV file; empty if nothing is.

        Raises:
            NotAvailable: It cannot be transcribed; the message says what to do.
        """
        settings = self._read_config().settings.voice
        # The SDK takes seconds to import, and the keychain may have to be unlocked.
        transcription = await asyncio.to_thread(import_module, "conductor.llm.transcription")
        address = await asyncio.to_thread(self._find_address)
        return await transcription.transcribe_speech(
            address, wav, settings.model, settings.language
        )

    def _find_address(self) -> "ClientAddress":
        from conductor.llm.clients import ClientAddress

        config = self._read_config()
        settings = config.settings.voice
        if settings.transcription == "server":
            if not settings.server:
                raise NotAvailable(NO_SERVER_MESSAGE)
            return ClientAddress("The speech server", "custom", settings.server, None)
        if not config.llm.enabled:
            raise NotAvailable(CHAT_OFF_MESSAGE)
        known = self._open_providers()
        row = _choose_provider(known.providers.list_provider_rows(), settings.provider)
        entry = config.llm.providers.get(row.name) or LlmProvider()
        key = known.find_key(row.name, entry)
        return ClientAddress(row.label, row.kind, row.base_url, key)


def _choose_provider(rows: "tuple[ProviderRow, ...]", name: str | None) -> "ProviderRow":
    able = [row for row in rows if row.kind in TRANSCRIBING_KINDS and row.usable]
    if name is None:
        if not able:
            raise NotAvailable(NO_PROVIDER_MESSAGE)
        return able[0]
    row = next((row for row in rows if row.name == name), None)
    if row is None:
        raise NotAvailable(
            f"No provider is called `{name}`: change the provider in Settings > Voice, or add it in Settings >"
            " Providers."
        )
    if row.kind not in TRANSCRIBING_KINDS:
        raise NotAvailable(
            f"{row.label} does not transcribe speech: choose a provider with OpenAI's transcription API or a"
            " local server in Settings > Voice."
        )
    if not row.usable:
        raise NotAvailable(
            f"{row.label} is switched off or has no key: change that in Settings > Providers."
        )
    return row
