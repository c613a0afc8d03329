"""Determines the capabilities of a model from the settings, the provider or the shipped tables, in this order;
otherwise assumes few capabilities.
"""

from collections.abc import Mapping
from typing import Any

from pydantic_ai.profiles import ModelProfile

from conductor.domain.chat.messages import Capabilities, ProviderKind
from conductor.domain.settings import LlmProvider
from conductor.llm import prices

GUESS = Capabilities(
    images=False, thinking=False, context_tokens=32_000, output_tokens=8_192, known_from="assumed"
)


def capabilities_of(
    kind: ProviderKind,
    model: str,
    profile: ModelProfile | None,
    live: Mapping[str, Any],
    settings: LlmProvider,
) -> Capabilities:
    """Combine everything known about the capabilities of a model.

    `live` contains the fields that the provider reported or that its errors revealed.
    """
    known = from_table(kind, model, profile)
    if live:
        known = known.model_copy(update={**live, "known_from": "live"})
    chosen = {
        "tools": settings.tools,
        "streaming": settings.streaming,
        "context_tokens": settings.context_tokens,
    }
    chosen = {field: value for field, value in chosen.items() if value is not None}
    return known.model_copy(update={**chosen, "known_from": "settings"}) if chosen else known


def from_table(kind: ProviderKind, model: str, profile: ModelProfile | None) -> Capabilities:
    """Return the capabilities listed in the shipped tables, or cautious defaults for an unlisted model."""
    window = prices.window(kind, model)
    if profile is None or window is None:
        return GUESS.model_copy(update={"temperature": accepts_temperature(model, profile or {})})
    return Capabilities(
        tools=profile.get("supports_tools", True),
        images=profile.get("supports_image_input", False),
        thinking=profile.get("supports_thinking", False),
        temperature=accepts_temperature(model, profile),
        context_tokens=window,
        output_tokens=_output_tokens(profile),
        known_from="table",
    )


def accepts_temperature(model: str, profile: ModelProfile) -> bool:
    """Return whether a request to the model may set a temperature. Claude and OpenAI's reasoning models reject
    it.
    """
    name = model.rpartition("/")[2]
    if "claude" in name:
        return False
    is_openai = name.startswith(("gpt-", "o1", "o3", "o4", "chatgpt"))
    return not (is_openai and profile.get("supports_thinking", False))


def _output_tokens(profile: ModelProfile) -> int:
    limit = dict(profile).get("anthropic_max_output_tokens")
    return limit if isinstance(limit, int) else GUESS.output_tokens
