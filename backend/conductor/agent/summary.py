"""Asks a model for the summary that stands for a conversation from then on."""

import asyncio
import contextlib
from collections.abc import Sequence

from conductor.agent.answer import new_id
from conductor.agent.choice import Choice, opened
from conductor.agent.compaction import (
    INSTRUCTION,
    fit,
    pinned,
)
from conductor.agent.deps import ChatDeps
from conductor.agent.meter import Halt, Meter, Watch
from conductor.agent.tokens import of_messages
from conductor.domain.chat.messages import (
    ChatFailure,
    ChatMessage,
    ChatRequest,
    Done,
    Failed,
    TextPart,
    Usage,
)
from conductor.errors import NotAvailable
from conductor.llm.provider import Provider

SHARE = 0.6
"""What of the window the summarised text may take."""
ASK = "Summarise the conversation above now."
NOTHING = "The model gave no summary. Try again, or choose another model."


async def summarise(desk: ChatDeps, choice: Choice, branch: Sequence[ChatMessage]) -> ChatMessage:
    """Return a message that stands for a branch; it is not kept yet.

    Raises:
        NotAvailable: the model did not answer; says why.
    """
    provider, choice = await opened(desk.providers, choice)
    last = branch[-1]
    request = ChatRequest(
        model=choice.model or "",
        system=INSTRUCTION,
        messages=(*_fitting(branch, choice.capabilities.context_tokens), _ask(desk, last)),
    )
    meter, message_id = Meter(desk, last.conversation_id), new_id()
    try:
        watch = await meter.watch(choice, request)
        try:
            text, ended = await _answer(provider, request, watch)
        finally:
            usage = await asyncio.shield(meter.count(watch, message_id))
    except Halt as halt:
        raise NotAvailable(str(halt)) from None
    if isinstance(ended, Failed) or not text.strip():
        raise NotAvailable(_words(ended.failure if isinstance(ended, Failed) else None))
    facts = pinned(branch, desk.plan)
    return ChatMessage(
        message_id=message_id,
        conversation_id=last.conversation_id,
        parent_id=last.message_id,
        role="assistant",
        created_at=desk.clock(),
        parts=(TextPart(text="\n\n".join(filter(None, [text.strip(), facts]))),),
        provider=choice.name,
        model=choice.model,
        usage=usage or Usage(),
        summary=True,
    )


async def _answer(
    provider: Provider, request: ChatRequest, watch: Watch
) -> tuple[str, Done | Failed | None]:
    """Return what was answered, and how that ended."""
    text = ""
    async with contextlib.aclosing(provider.stream(request)) as events:  # pyright: ignore[reportArgumentType]
        async for event in events:
            if isinstance(event, Done | Failed):
                return text, event
            watch.see(event)
            if event.type == "text_delta":
                text += event.text
    return text, None


def _ask(desk: ChatDeps, last: ChatMessage) -> ChatMessage:
    return ChatMessage(
        message_id=new_id(),
        conversation_id=last.conversation_id,
        role="user",
        created_at=desk.clock(),
        parts=(TextPart(text=ASK),),
    )


def _fitting(branch: Sequence[ChatMessage], window: int) -> tuple[ChatMessage, ...]:
    """Return what fits of a branch, the latest of it, with old tool outputs masked."""
    told = fit(branch, int(window * SHARE), 0)
    while len(told) > 1 and of_messages(told) > window * SHARE:
        told = told[1:]
    return told


def _words(failure: ChatFailure | None) -> str:
    return NOTHING if failure is None else failure.message
