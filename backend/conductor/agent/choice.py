"""Which provider and model a turn asks, and which it asks next when that one does not answer."""

from dataclasses import dataclass, replace

from conductor.agent.desk import Providers
from conductor.domain.chat import Capabilities, ProviderKind
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
    capabilities: Capabilities = UNKNOWN

    def settled(self, provider: Provider) -> "Choice":
        model = self.model or provider.default_model
        return replace(
            self, model=model, kind=provider.kind, capabilities=provider.capabilities(model)
        )

    def words(self) -> str:
        return f"{self.name} ({self.model})" if self.model else self.name


def choose(
    providers: Providers,
    asked: tuple[str | None, str | None],
    kept: tuple[str | None, str | None],
) -> Choice:
    """Choose what was asked for, or what the conversation has, or the user's default.

    Raises:
        NoProvider: none is configured.
    """
    for name, model in (asked, kept):
        if name is not None:
            return Choice(name, model)
    order = providers.order()
    if not order:
        raise NoProvider
    return Choice(order[0], asked[1] or None)


def candidates(providers: Providers, first: Choice) -> list[Choice]:
    """Give the first choice and then the others in the order in which they are tried."""
    return [first, *(Choice(name) for name in providers.order() if name != first.name)]
