"""Determines what a model supports, such as tools and images, and how large its context window is.

The settings of the user take precedence over what the provider reports, which takes precedence over the
shipped tables. An unlisted model is assumed to support little.
"""

from collections.abc import Mapping
from typing import Any

from pydantic_ai.profiles import ModelProfile

from conductor.domain.chat.messages import Capabilities, ProviderKind
from conductor.domain.settings import LlmProvider
from conductor.llm import prices

ASSUMED_CAPABILITIES = Capabilities(
    images=False, thinking=False, context_tokens=32_000, output_tokens=8_192, known_from="assumed"
)


def combine_capabilities(
    kind: ProviderKind,
    model: str,
    profile: ModelProfile | None,
    reported: Mapping[str, Any],
    settings: LlmProvider,
) -> Capabilities:
    """Return the capabilities of a model from all available sources.

    `reported` contains the fields of `Capabilities` that the provider listed or that its error messages
    revealed.
    """
    known = look_up_capabilities(kind, model, profile)
    if reported:
        known = known.model_copy(update={**reported, "known_from": "live"})
    configured = {
        "tools": settings.tools,
        "streaming": settings.streaming,
        "context_tokens": settings.context_tokens,
    }
    configured = {field: value for field, value in configured.items() if value is not None}
    return (
        known.model_copy(update={**configured, "known_from": "settings"}) if configured else known
    )


def look_up_capabilities(
    kind: ProviderKind, model: str, profile: ModelProfile | None
) -> Capabilities:
    """Return the capabilities in the shipped tables, or cautious defaults for a model that is not listed
    there.
    """
    window = prices.find_context_window(kind, model)
    if profile is None or window is None:
        return ASSUMED_CAPABILITIES.model_copy(
            update={"temperature": accepts_temperature(model, profile or {})}
        )
    return Capabilities(
        tools=profile.get("supports_tools", True),
        images=profile.get("supports_image_input", False),
        thinking=profile.get("supports_thinking", False),
        temperature=accepts_temperature(model, profile),
        context_tokens=window,
        output_tokens=_read_output_limit(profile),
        known_from="table",
    )


def accepts_temperature(model: str, profile: ModelProfile) -> bool:
    """Return whether a request to the model may set a temperature.

    Claude models and OpenAI's reasoning models reject a request that does.
    """
    name = model.rpartition("/")[2]
    if "claude" in name:
        return False
    is_openai = name.startswith(("gpt-", "o1", "o3", "o4", "chatgpt"))
    return not (is_openai and profile.get("supports_thinking", False))


def _read_output_limit(profile: ModelProfile) -> int:
    limit = dict(profile).get("anthropic_max_output_tokens")
    return limit if isinstance(limit, int) else ASSUMED_CAPABILITIES.output_tokens
