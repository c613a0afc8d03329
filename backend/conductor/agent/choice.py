"""Chooses the provider and the model for an answer, and the fallbacks that are tried if the provider fails."""

import asyncio
from dataclasses import dataclass, replace

from conductor.agent.deps import ProviderRegistry
from conductor.domain.chat.messages import Capabilities, ProviderKind
from conductor.llm.provider import Provider

NO_PROVIDER_MESSAGE = (
    "No model is set up yet. Add a key in Settings > Providers, or type a command such as "
    "`/map pad 1 to cmd+c`, which needs no model."
)


class NoProviderError(Exception):
    """Raised when no provider is configured, so that no answer can be written."""

    def __init__(self) -> None:
        super().__init__(NO_PROVIDER_MESSAGE)


UNKNOWN_CAPABILITIES = Capabilities()


@dataclass(frozen=True)
class ModelChoice:
    """A provider and one of its models, which may write the answer.

    `kind` and `capabilities` are unknown until `open_provider` has returned the complete choice.
    """

    name: str
    model: str | None = None
    kind: ProviderKind = "custom"
    is_local: bool = False
    capabilities: Capabilities = UNKNOWN_CAPABILITIES

    def format_label(self) -> str:
        return f"{self.name} ({self.model})" if self.model else self.name


def list_model_choices(
    providers: ProviderRegistry,
    requested: tuple[str | None, str | None],
    saved: tuple[str | None, str | None],
) -> list[ModelChoice]:
    """Return the providers and models to try for an answer, in order.

    `requested` comes from the message and `saved` from the conversation. Both are pairs of provider and
    model, and the first that names a provider comes first. Without either, the default provider is used.

    Raises:
        NoProviderError: No provider is configured.
        NotAvailable: The named provider cannot be used. The message is not sent to another provider,
            because the user did not choose it.
    """
    named = requested[0] or saved[0]
    if named is not None:
        providers.get_provider(named)
    order = providers.order_provider_names(named)
    if not order:
        raise NoProviderError
    name, *others = order
    first = ModelChoice(name, requested[1] or (saved[1] if name == saved[0] else None))
    return [first, *map(ModelChoice, others)]


async def open_provider(
    providers: ProviderRegistry, choice: ModelChoice
) -> tuple[Provider, ModelChoice]:
    """Open the provider of a choice, and return it with a copy of the choice that contains the model's
    capabilities.

    The work is done in a thread, because the keychain and the import of the provider's SDK may take
    seconds.

    Raises:
        NotAvailable: The provider cannot be used. The message says why and what to do.
    """
    return await asyncio.to_thread(_open_provider, providers, choice)


def _open_provider(
    providers: ProviderRegistry, choice: ModelChoice
) -> tuple[Provider, ModelChoice]:
    provider = providers.get_provider(choice.name)
    model = choice.model or provider.default_model
    capabilities = provider.get_capabilities(model)
    known = replace(choice, model=model, kind=provider.kind, is_local=provider.is_local)
    return provider, replace(known, capabilities=capabilities)
