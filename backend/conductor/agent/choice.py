"""Which provider and model a turn asks, and which it asks next when that one does not answer."""

import asyncio
from dataclasses import dataclass, replace

from conductor.agent.deps import Providers
from conductor.domain.chat.messages import Capabilities, ProviderKind
from conductor.llm.provider import Provider

NONE_CONFIGURED = (
    "No model is set up yet. Add a key in Settings > Providers, or type a command such as "
    "`/map pad 36 to cmd+c`, which needs no model."
)


class NoProvider(Exception):
    def __init__(self) -> None:
        super().__init__(NONE_CONFIGURED)


UNKNOWN = Capabilities()


@dataclass(frozen=True)
class Choice:
    """A provider by name and, once it is known, what its model is and can do."""

    name: str
    model: str | None = None
    kind: ProviderKind = "custom"
    is_local: bool = False
    capabilities: Capabilities = UNKNOWN

    def words(self) -> str:
        return f"{self.name} ({self.model})" if self.model else self.name


def choices(
    providers: Providers,
    asked: tuple[str | None, str | None],
    kept: tuple[str | None, str | None],
) -> list[Choice]:
    """Return what was asked for, or what the conversation has, or the user's default; then its substitutes.

    Raises:
        NoProvider: none is configured.
        NotAvailable: the user named one that cannot be asked; what is said goes to no other then.
    """
    named = asked[0] or kept[0]
    if named is not None:
        providers.get(named)
    order = providers.order(named)
    if not order:
        raise NoProvider
    name, *others = order
    first = Choice(name, asked[1] or (kept[1] if name == kept[0] else None))
    return [first, *map(Choice, others)]


async def opened(providers: Providers, choice: Choice) -> tuple[Provider, Choice]:
    """Return the provider of a choice, with what its model can do; a keychain or an import may be waited for.

    Raises:
        NotAvailable: it cannot be used; says why, and what to do.
    """
    return await asyncio.to_thread(_opened, providers, choice)


def _opened(providers: Providers, choice: Choice) -> tuple[Provider, Choice]:
    provider = providers.get(choice.name)
    model = choice.model or provider.default_model
    can = provider.capabilities(model)
    known = replace(choice, model=model, kind=provider.kind, is_local=provider.is_local)
    return provider, replace(known, capabilities=can)
