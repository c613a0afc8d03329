"""How the tests of the providers ask them: one conversation on an event loop of its own."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from conductor.domain.chat.messages import (
    ChatMessage,
    ChatRequest,
    Done,
    Failed,
    Part,
    ProviderKind,
    Retrying,
    StreamEvent,
    TextDelta,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    ToolSpec,
    UsageReport,
)
from conductor.domain.settings import LlmProvider, LlmSettings
from conductor.llm.options import ClientOptions, ModelListCache, ModelTimeouts, NullModelListCache
from conductor.llm.provider import Provider
from conductor.llm.service import Providers

KINDS: tuple[ProviderKind, ...] = (
    "anthropic",
    "openai",
    "google",
    "openrouter",
    "litellm",
    "custom",
)
MODELS = {
    "anthropic": "claude-sonnet-5-5",
    "openai": "gpt-6.1-sol",
    "google": "gemini-3.8-flash",
    "openrouter": "anthropic/claude-sonnet-5.5",
    "litellm": "anthropic/claude-sonnet-5-5",
    "custom": "qwen4:8b",
}
WISH = "Create a mapping so pad 36 triggers Cmd+C<now>"
"""What the pool answers with two calls: `<now>` begins what follows the words of the user."""
KEY = "sk-test-0123456789abcdefSECRET"
GET_CONFIG = ToolSpec(
    name="conductor_get_config",
    description="Give the config.",
    parameters={"type": "object", "properties": {}},
)
CREATE_MAPPING = ToolSpec(
    name="conductor_create_mapping",
    description="Plan a new mapping.",
    parameters={
        "type": "object",
        "properties": {
            "mode": {"type": "string"},
            "trigger": {"type": "object"},
            "action": {"type": "object"},
        },
        "required": ["mode", "trigger", "action"],
    },
)
TOOLS = (GET_CONFIG, CREATE_MAPPING)
T = TypeVar("T")


class Waits:
    """Replaces waiting: returns at once, and records how long the wait would have been."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def talk(
    kind: ProviderKind,
    base_url: str,
    work: Callable[[Provider], Awaitable[T]],
    *,
    wait: Callable[[float], Awaitable[None]] | None = None,
    limits: ModelTimeouts | None = None,
    shelf: ModelListCache | None = None,
    key: str | None = KEY,
    name: str = "tested",
    **settings: Any,
) -> T:
    """Open a provider, do the work with it, and close it."""
    fields: dict[str, Any] = {"kind": kind, "base_url": base_url, "model": MODELS[kind]}
    row = LlmProvider(**{**fields, **settings})
    known = LlmSettings(providers={name: row})

    async def run() -> T:
        means = ClientOptions(
            wait or Waits(), limits or ModelTimeouts(), shelf or NullModelListCache()
        )
        providers = Providers(lambda: known, lambda _name, _row: key, means)
        try:
            return await work(providers.get_provider(name))
        finally:
            await providers.close()

    return asyncio.run(run())


def ask(kind: ProviderKind, base_url: str, request: ChatRequest, **more: Any) -> list[StreamEvent]:
    """Make one request, and give all its events."""

    async def listen(provider: Provider) -> list[StreamEvent]:
        return await gather(provider.stream_answer(request))

    return talk(kind, base_url, listen, **more)


async def gather(events: AsyncIterator[StreamEvent]) -> list[StreamEvent]:
    """Return all events of a stream."""
    return [event async for event in events]


def request(kind: ProviderKind, *said: str | ChatMessage, **more: Any) -> ChatRequest:
    """Make a request; a string is a message of the user's."""
    messages = tuple(one if isinstance(one, ChatMessage) else user(one) for one in said)
    fields: dict[str, Any] = {"system": "You are Conductor.", "tools": TOOLS, "model": MODELS[kind]}
    return ChatRequest(messages=messages, **{**fields, **more})


def user(*parts: str | Part) -> ChatMessage:
    """Make a message of the user's."""
    return _message("user", parts)


def answer(*parts: str | Part, **more: Any) -> ChatMessage:
    """Make an answer."""
    return _message("assistant", parts, **more)


def _message(role: Any, parts: Sequence[str | Part], **more: Any) -> ChatMessage:
    made = tuple(TextPart(text=part) if isinstance(part, str) else part for part in parts)
    return ChatMessage(
        message_id=f"m-{role}",
        conversation_id="c",
        role=role,
        created_at=datetime(2026, 11, 21, tzinfo=UTC),
        parts=made,
        **more,
    )


def result_of(
    call: ToolCallPart, content: str = '{"ok":true}', *, ok: bool = True
) -> ToolResultPart:
    """Answer a call."""
    return ToolResultPart(call_id=call.call_id, tool=call.tool, ok=ok, content=content)


def text_of(events: Sequence[StreamEvent]) -> str:
    """Return the text that streamed in."""
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def done(events: Sequence[StreamEvent]) -> Done:
    """Expect the answer to have come to its end."""
    last = events[-1]
    assert isinstance(last, Done), last
    return last


def failed(events: Sequence[StreamEvent]) -> Failed:
    """Expect the answer to have failed."""
    last = events[-1]
    assert isinstance(last, Failed), last
    return last


def retries(events: Sequence[StreamEvent]) -> list[Retrying]:
    """Return the retries that were told."""
    return [event for event in events if isinstance(event, Retrying)]


def usage(events: Sequence[StreamEvent]) -> Any:
    """Return the one usage that was told."""
    (told,) = [event.usage for event in events if isinstance(event, UsageReport)]
    return told


def calls(parts: Sequence[Part]) -> list[ToolCallPart]:
    """Return the calls among the parts."""
    return [part for part in parts if isinstance(part, ToolCallPart)]
