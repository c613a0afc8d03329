"""Requests the list of a provider's models and parses its various formats. The parsing is lenient, because
servers differ.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

from anthropic import AsyncAnthropic
from google.genai import Client as GoogleClient
from openai import AsyncOpenAI
from pydantic import TypeAdapter

from conductor.base.invisible_chars import has_hidden, remove_hidden
from conductor.base.json_types import JsonObject
from conductor.domain.chat.messages import Capabilities, ProviderKind
from conductor.llm.prices import Price

MOST = 1_000
_NOT_FOR_CHAT = (
    *("embed", "whisper", "tts", "dall-e", "image", "imagen", "veo", "audio", "live", "realtime"),
    *("moderation", "transcribe", "sora", "search", "instruct", "babbage", "davinci", "aqa"),
)
"""Words in the names of models that are not for chat."""

Fields = Mapping[str, Any]


class Listed(NamedTuple):
    """A model as listed by its provider. `can` holds the fields of `Capabilities` that the list contains."""

    model: str
    label: str
    can: JsonObject
    price: Price | None = None
    retires_at: str | None = None


_LISTS: TypeAdapter[list[Listed]] = TypeAdapter(list[Listed])


def to_stored(models: Mapping[str, Listed]) -> str:
    """Serialize a model list for the cache."""
    return _LISTS.dump_json(list(models.values())).decode()


def from_stored(data: str) -> dict[str, Listed]:
    """Parse a cached model list. Return an empty dict if another version of Conductor wrote it in another
    format.
    """
    try:
        return {one.model: _sanitize(one) for one in _LISTS.validate_json(data)}
    except ValueError:
        return {}


def for_chat(model: str) -> bool:
    """Return whether a model of OpenAI or Google is a chat model, judged by its name."""
    return not any(word in model for word in _NOT_FOR_CHAT)


async def list_models(
    client: AsyncAnthropic | AsyncOpenAI | GoogleClient, kind: ProviderKind
) -> dict[str, Listed]:
    """Request the list of a provider's models and return the models by name.

    Raises the SDK's exceptions.
    """
    rows, read = await _request_rows(client, kind)
    found = [one for row in rows if (one := _parse_row(read, row)) is not None and one.model]
    return {one.model: one for one in found}


async def _request_rows(
    client: AsyncAnthropic | AsyncOpenAI | GoogleClient, kind: ProviderKind
) -> tuple[list[Fields], Callable[[Fields], Listed | None]]:
    if isinstance(client, GoogleClient):
        pager = await client.aio.models.list(config={"page_size": MOST})
        return [row.model_dump() for row in pager.page], _parse_google
    if isinstance(client, AsyncAnthropic):
        return await _get(client, f"/v1/models?limit={MOST}"), _parse_anthropic
    if kind == "litellm":
        return await _request_litellm_rows(client)
    readers = {"openai": _parse_openai, "openrouter": _parse_openrouter}
    return await _get(client, "/models"), readers.get(kind, _parse_plain)


async def _request_litellm_rows(
    client: AsyncOpenAI,
) -> tuple[list[Fields], Callable[[Fields], Listed | None]]:
    """Request the models of a LiteLLM proxy. Not every key may read the detailed list."""
    try:
        return await _get(client, "/model/info"), _parse_litellm
    except Exception:  # noqa: BLE001 - whatever is wrong with it, the plain list is asked next
        return await _get(client, "/models"), _parse_plain


async def _get(client: AsyncAnthropic | AsyncOpenAI, path: str) -> list[Fields]:
    answer = cast("Any", await client.get(path, cast_to=object))
    rows = answer.get("data") if isinstance(answer, dict) else None
    return [row for row in rows or [] if isinstance(row, dict)]


def _parse_row(read: Callable[[Fields], Listed | None], row: Fields) -> Listed | None:
    try:
        one = read(row)
        return one and _sanitize(one)
    except (TypeError, ValueError, AttributeError, KeyError):
        return None


def _sanitize(one: Listed) -> Listed:
    """Return a copy of a listed model with sanitized fields.

    Raises:
        ValueError: the model cannot be used.
    """
    if has_hidden(one.model, ""):
        raise ValueError("no name of a model")
    can = Capabilities(**one.can).model_dump(include=set(one.can))
    retires_at = str(one.retires_at)[:10] if one.retires_at else None
    return one._replace(label=remove_hidden(one.label)[:200], can=can, retires_at=retires_at)


def _parse_anthropic(row: Fields) -> Listed | None:
    if row.get("lifecycle") == "retired":
        return None
    told = row.get("capabilities") or {}
    can = {"context_tokens": row.get("max_input_tokens"), "output_tokens": row.get("max_tokens")}
    for field, name in (("images", "image_input"), ("thinking", "thinking")):
        can[field] = (told.get(name) or {}).get("supported")
    label = row.get("display_name") or row["id"]
    return Listed(row["id"], label, _without_none(can), retires_at=row.get("retires_at"))


def _parse_openai(row: Fields) -> Listed | None:
    model = row["id"]
    if not for_chat(model):
        return None
    return Listed(model, model, {}, retires_at=row.get("shutdown_date"))


def _parse_google(row: Fields) -> Listed | None:
    model = row["name"].removeprefix("models/")
    actions = row.get("supported_actions") or ["generateContent"]
    if "generateContent" not in actions or not for_chat(model):
        return None
    can = {
        "context_tokens": row.get("input_token_limit"),
        "output_tokens": row.get("output_token_limit"),
        "thinking": row.get("thinking"),
    }
    return Listed(model, row.get("display_name") or model, _without_none(can))


def _parse_openrouter(row: Fields) -> Listed:
    takes = row.get("supported_parameters")
    can: JsonObject = {
        "context_tokens": row.get("context_length"),
        "output_tokens": (row.get("top_provider") or {}).get("max_completion_tokens"),
        "images": _contains_name((row.get("architecture") or {}).get("input_modalities"), "image"),
        "tools": _contains_name(takes, "tools"),
        "thinking": _contains_name(takes, "reasoning"),
        "temperature": _contains_name(takes, "temperature"),
    }
    asked = row.get("pricing") or {}
    price = _price(asked.get("prompt"), asked.get("completion"))
    return Listed(
        row["id"],
        row.get("name") or row["id"],
        _without_none(can),
        price,
        row.get("expiration_date"),
    )


def _parse_litellm(row: Fields) -> Listed:
    told = row.get("model_info") or {}
    can = {
        "context_tokens": told.get("max_input_tokens"),
        "output_tokens": told.get("max_output_tokens"),
        "images": told.get("supports_vision"),
        "tools": told.get("supports_function_calling"),
        "thinking": told.get("supports_reasoning"),
    }
    price = _price(told.get("input_cost_per_token"), told.get("output_cost_per_token"))
    return Listed(row["model_name"], row["model_name"], _without_none(can), price)


def _parse_plain(row: Fields) -> Listed | None:
    """Parse a model listed by a self-hosted server. vLLM and a few others report the context window."""
    can = {"context_tokens": row.get("max_model_len") or row.get("context_length")}
    return None if "embed" in row["id"] else Listed(row["id"], row["id"], _without_none(can))


def _without_none(can: Mapping[str, Any]) -> JsonObject:
    return {field: value for field, value in can.items() if value is not None}


def _contains_name(names: Any, name: str) -> bool | None:
    return name in names if isinstance(names, list) else None


def _price(into: Any, out: Any) -> Price | None:
    """Convert prices per token to a price per million tokens. Return None if a price is negative, which means
    that it varies.
    """
    if into is None or out is None or float(into) < 0 or float(out) < 0:
        return None
    return Price(float(into) * 1_000_000, float(out) * 1_000_000)
