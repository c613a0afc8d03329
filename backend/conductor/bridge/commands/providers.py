"""Commands of Settings > Providers, about providers, API keys and costs. No response contains a key."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Literal

from pydantic import Field, SecretStr

from conductor.bridge.changing import require_writable
from conductor.bridge.models import Empty
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.chat.messages import FailureKind, ModelInfo, ProviderHealth
from conductor.domain.costs import Costs
from conductor.domain.value import Value
from conductor.errors import NotAvailable
from conductor.llm.registry import ProviderRow
from conductor.storage.keys import KeysState, KeyStoragePlace

PROVIDER_TEST_TIMEOUT_S = 30.0
ProviderState = Literal[
    "off",
    "locked",
    "key_missing",
    "key_refused",
    "unreachable",
    "model_missing",
    "untested",
    "works",
]
_STATE_BY_FAILURE: dict[FailureKind, ProviderState] = {
    "auth": "key_refused",
    "no_key": "key_missing",
}

ProviderName = Field(min_length=1, max_length=200)


class ProviderView(ProviderRow):
    """A model provider with its key, its health and its settings."""

    state: ProviderState
    key_place: KeyStoragePlace | None
    """Where the key of the provider is stored, or None if it has no key."""
    key_variable: str | None
    """The name of the environment variable that contains the key, or None."""


class ProvidersView(Value):
    providers: tuple[ProviderView, ...]
    """All providers: first those that are used, in their order, then other usable ones, then the rest."""
    order: tuple[str, ...]
    """The names of the providers that are used, in the order in which they are tried."""
    keys: KeysState


class ProviderParams(Value):
    name: str = ProviderName


class ModelList(Value):
    models: tuple[ModelInfo, ...]


class SaveKeyParams(Value):
    name: str = ProviderName
    api_key: SecretStr = Field(min_length=1, max_length=4_000)
    """The API key. The audit log hides parameters of this name."""


class PassphraseParams(Value):
    passphrase: SecretStr = Field(default=SecretStr(""), max_length=1_000)


class CreateKeyFileParams(PassphraseParams):
    replace: bool = False
    """Whether to replace an existing key file. The old file is renamed, not deleted."""


class UsageParams(Value):
    days: int = Field(default=30, ge=1, le=366)


class UsageView(Value):
    today_usd: float
    costs: Costs
    first_day: str
    """The first day of the summary, such as `2026-11-21`."""
    last_day: str
    prices_updated_at: datetime | None = None
    """When the user downloaded the prices in use, or None if they came with Conductor."""


class PricesView(Value):
    updated_at: datetime | None


@query("providers.list")
def list_providers(params: Empty, call: Call) -> ProvidersView:
    """Return all model providers, and where their keys are stored."""
    keys = call.services.llm.keys.read_state()
    order = call.services.llm.providers.order_provider_names()
    rows = sorted(
        call.services.llm.providers.list_provider_rows(),
        key=lambda row: _compute_provider_rank(row, order),
    )
    views = tuple(_build_provider_view(row, keys, call) for row in rows)
    return ProvidersView(providers=views, order=order, keys=keys)


@command("providers.test")
async def test_provider(params: ProviderParams, call: Call) -> ProviderHealth:
    """Test the connection to a provider. The test is free if the provider lists its models."""
    providers = call.services.llm.providers
    await providers.preload_first_provider()
    try:
        provider = await asyncio.to_thread(providers.get_provider, params.name)
        async with asyncio.timeout(PROVIDER_TEST_TIMEOUT_S):
            return await provider.test_connection()
    except NotAvailable as error:
        return ProviderHealth(ok=False, message=str(error))
    except TimeoutError:
        message = (
            f"No answer within {PROVIDER_TEST_TIMEOUT_S:.0f} s. Check the address and try again."
        )
        return ProviderHealth(ok=False, message=message)


@query("providers.models")
async def list_models(params: ProviderParams, call: Call) -> ModelList:
    """Return the models of a provider with their context windows and prices."""
    providers = call.services.llm.providers
    await providers.preload_first_provider()
    provider = await asyncio.to_thread(providers.get_provider, params.name)
    try:
        async with asyncio.timeout(PROVIDER_TEST_TIMEOUT_S):
            return ModelList(models=tuple(await provider.list_models()))
    except TimeoutError:
        raise NotAvailable(
            f"{params.name} did not list its models within {PROVIDER_TEST_TIMEOUT_S:.0f} s; try again"
        ) from None


@command("keys.put", "stateful")
def save_key(params: SaveKeyParams, call: Call) -> KeysState:
    """Store the API key of a provider, and use it for the next request."""
    require_writable(call.services)
    call.services.llm.keys.store_key(params.name, params.api_key.get_secret_value())
    return _reopen_providers(call)


@command("keys.delete", "stateful")
def delete_key(params: ProviderParams, call: Call) -> KeysState:
    """Delete the stored API key of a provider."""
    require_writable(call.services)
    call.services.llm.keys.delete_key(params.name)
    return _reopen_providers(call)


@query("keys.state")
def get_keys_state(params: Empty, call: Call) -> KeysState:
    """Return where the API keys are stored, and whether they can be read."""
    return call.services.llm.keys.read_state()


@command("keys.unlock", "stateful")
def unlock_keys(params: PassphraseParams, call: Call) -> KeysState:
    """Unlock the key file, or make the system ask the user for the password of the keychain."""
    call.services.llm.keys.unlock_file(params.passphrase.get_secret_value())
    return _reopen_providers(call)


@command("keys.create", "stateful")
def create_key_file(params: CreateKeyFileParams, call: Call) -> KeysState:
    """Create a file for API keys that is encrypted with a passphrase, to store keys without the system's
    keychain.
    """
    require_writable(call.services)
    call.services.llm.keys.create_file(params.passphrase.get_secret_value(), replace=params.replace)
    return _reopen_providers(call)


@command("providers.update_prices", "stateful")
async def update_prices(params: Empty, call: Call) -> PricesView:
    """Download the newest prices of models, which are used from the next request on."""
    require_writable(call.services)
    await asyncio.to_thread(call.services.llm.update_prices)
    return PricesView(updated_at=call.services.llm.find_price_update_time())


@query("usage.summary")
def get_usage_summary(params: UsageParams, call: Call) -> UsageView:
    """Return the costs of model requests today and during the last days."""
    now = datetime.now(UTC).astimezone()
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    first = today - timedelta(days=params.days - 1)
    usage = call.services.llm.usage
    return UsageView(
        today_usd=usage.sum_cost(today),
        costs=usage.summarize_costs(first),
        first_day=first.date().isoformat(),
        last_day=today.date().isoformat(),
        prices_updated_at=call.services.llm.find_price_update_time(),
    )


def _reopen_providers(call: Call) -> KeysState:
    """Close the open providers, so that the next request uses the changed key."""
    call.services.llm.providers.clear()
    return call.services.llm.keys.read_state()


def _build_provider_view(row: ProviderRow, keys: KeysState, call: Call) -> ProviderView:
    source = call.services.llm.find_key_source(row.name)
    return ProviderView(
        **row.model_dump(),
        state=_find_provider_state(row, keys, call.services.llm.providers.get_checked_health(row)),
        key_place=source and source.place,
        key_variable=source and source.variable,
    )


def _compute_provider_rank(row: ProviderRow, order: tuple[str, ...]) -> int:
    if row.name in order:
        return order.index(row.name)
    return len(order) + (0 if row.usable else 1 if row.written else 2)


def _find_provider_state(
    row: ProviderRow, keys: KeysState, health: ProviderHealth | None
) -> ProviderState:
    if not row.enabled:
        return "off"
    if not row.usable:
        return "locked" if keys.locked else "key_missing"
    if health is not None and not health.ok:
        return (
            _STATE_BY_FAILURE.get(health.failure.kind, "unreachable")
            if health.failure
            else "unreachable"
        )
    if not row.model:
        return "model_missing"
    return "works" if health else "untested"
