"""Asks a model for a summary, which replaces the earlier messages of a conversation in later requests."""

import asyncio
import contextlib
from collections.abc import Sequence

from conductor.agent.answer import create_message_id
from conductor.agent.choice import ModelChoice, open_provider
from conductor.agent.compaction import (
    SUMMARY_INSTRUCTION,
    describe_plans,
    mask_old_outputs,
)
from conductor.agent.deps import ChatDeps
from conductor.agent.meter import ConversationMeter, RequestHalted, RequestMeter
from conductor.agent.tokens import estimate_message_tokens
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

SUMMARY_REQUEST_WINDOW_SHARE = 0.6
"""The text to summarise may fill this share of the context window. The rest is for the summary."""
SUMMARY_REQUEST_TEXT = "Summarise the conversation above now."
EMPTY_SUMMARY_MESSAGE = "The model gave no summary. Try again, or choose another model."


async def summarize_branch(
    deps: ChatDeps, choice: ModelChoice, branch: Sequence[ChatMessage]
) -> ChatMessage:
    """Ask the model to summarise a branch, and return the summary as a message that is not saved yet.

    Raises:
        NotAvailable: The model did not answer, or a spending limit is reached. The message says why.
    """
    provider, choice = await open_provider(deps.providers, choice)
    last = branch[-1]
    request = ChatRequest(
        model=choice.model or "",
        system=SUMMARY_INSTRUCTION,
        messages=(
            *_keep_latest_messages(branch, choice.capabilities.context_tokens),
            _build_request_message(deps, last),
        ),
    )
    meter, message_id = ConversationMeter(deps, last.conversation_id), create_message_id()
    try:
        running = await meter.start_request(choice, request)
        try:
            text, ended = await _collect_stream(provider, request, running)
        finally:
            usage = await asyncio.shield(meter.finish_request(running, message_id))
    except RequestHalted as halt:
        raise NotAvailable(str(halt)) from None
    if isinstance(ended, Failed) or not text.strip():
        raise NotAvailable(_describe_failure(ended.failure if isinstance(ended, Failed) else None))
    facts = describe_plans(branch, deps.plan)
    return ChatMessage(
        message_id=message_id,
        conversation_id=last.conversation_id,
        parent_id=last.message_id,
        role="assistant",
        created_at=deps.clock(),
        parts=(TextPart(text="\n\n".join(filter(None, [text.strip(), facts]))),),
        provider=choice.name,
        model=choice.model,
        usage=usage or Usage(),
        summary=True,
    )


async def _collect_stream(
    provider: Provider, request: ChatRequest, running: RequestMeter
) -> tuple[str, Done | Failed | None]:
    """Read a streamed answer to its end.

    Return its text and the last event, which is None if the connection broke off.
    """
    text = ""
    async with contextlib.aclosing(provider.stream_answer(request)) as events:  # pyright: ignore[reportArgumentType]
        async for event in events:
            if isinstance(event, Done | Failed):
                return text, event
            running.count_event(event)
            if event.type == "text_delta":
                text += event.text
    return text, None


def _build_request_message(deps: ChatDeps, last: ChatMessage) -> ChatMessage:
    return ChatMessage(
        message_id=create_message_id(),
        conversation_id=last.conversation_id,
        role="user",
        created_at=deps.clock(),
        parts=(TextPart(text=SUMMARY_REQUEST_TEXT),),
    )


def _keep_latest_messages(branch: Sequence[ChatMessage], window: int) -> tuple[ChatMessage, ...]:
    """Return the latest messages of a branch that fit the request for a summary, with old tool outputs
    masked.
    """
    messages = mask_old_outputs(branch, int(window * SUMMARY_REQUEST_WINDOW_SHARE), 0)
    while (
        len(messages) > 1
        and estimate_message_tokens(messages) > window * SUMMARY_REQUEST_WINDOW_SHARE
    ):
        messages = messages[1:]
    return messages


def _describe_failure(failure: ChatFailure | None) -> str:
    return EMPTY_SUMMARY_MESSAGE if failure is None else failure.message
