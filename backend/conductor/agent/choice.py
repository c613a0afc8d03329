"""Chooses the provider and model for an answer, and the fallbacks to try if the provider fails."""

import asyncio
from dataclasses import dataclass, replace

from conductor.agent.deps import ProviderRegistry
from conductor.domain.chat.messages import Capabilities, ProviderKind
from conductor.llm.provider import Provider

NO_PROVIDER_MESSAGE = (
    "No model is set up yet. Add a key in Settings > Providers, or type a command such as "
    "`/map pad 36 to cmd+c`, which needs no model."
)


class NoProviderError(Exception):
    """Raised when no provider is configured."""

    def __init__(self) -> None:
        super().__init__(NO_PROVIDER_MESSAGE)


UNKNOWN_CAPABILITIES = Capabilities()


@dataclass(frozen=True)
class ModelChoice:
    """A provider with one of its models, as a candidate for answering. `open_provider` fills in the kind and
    the capabilities.
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
    """Return the providers and models to try in order, starting with the requested, saved or default provider.

    `requested` comes from the message and `saved` from the conversation. Both are pairs of (provider, model).

    Raises:
        NoProviderError: No provider is configured.
        NotAvailable: The named provider cannot be used. The message is not sent to another provider instead.
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
    """Open the provider of a model choice, and return the choice with the model's capabilities filled in.

    Call this in a worker thread, because the keychain or the provider's library may take a while.

    Raises:
        NotAvailable: The provider cannot be used; the message says why and what to do.
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
