"""Answers a request of another program in plain text with the user's model, outside of any conversation.

The model has only tools that programs may call, and its calls are calls of that program: the program can do
nothing through the model that it could not do by itself. The first plan ends the answer.
"""

import asyncio
import contextlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from conductor.agent.answer import create_message_id
from conductor.agent.choice import ModelChoice, list_model_choices, open_provider
from conductor.agent.core import add_needed_reference
from conductor.agent.deps import ChatDeps
from conductor.agent.live_context import MAX_RECENT_EVENTS, build_live_context
from conductor.agent.meter import ConversationMeter, RequestHalted
from conductor.agent.prompt import build_system_prompt
from conductor.agent.tools_for_model import choose_tools_to_send, describe_failure, render_outcome
from conductor.agent.turn import FAILOVER_KINDS
from conductor.domain.chat.messages import (
    ChatFailure,
    ChatMessage,
    ChatRequest,
    Done,
    Failed,
    Part,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from conductor.domain.plan import ConfigPlan, Requester
from conductor.errors import InvalidParams, NotAvailable
from conductor.tools.executor import ToolOutcome
from conductor.tools.registry import Tool

OFFERED_TIERS = ("read_only", "config_change")
PROGRAM_INSTRUCTION = (
    "The message comes from another program, not from the user, and nobody can answer questions. Answer it, or"
    " propose what it asks for as one plan, with one call; for several changes use conductor_batch. The user"
    " sees the plan in Conductor and decides. Never claim that a plan was applied. If the request is not"
    " about Conductor or is unclear, say what is missing."
)
OPEN_STREAM_ENDED = ChatFailure(kind="network", message="The connection broke off. Try again.")


class ProgramAnswer(NamedTuple):
    """The answer to a program: the text, and the plan if the model proposed one."""

    text: str
    plan: ConfigPlan | None


@dataclass
class _Progress:
    """The conversation with the model so far: the request of the program, then everything in one answer."""

    conversation_id: str
    messages: tuple[ChatMessage, ...]
    parts: list[Part] = field(default_factory=list[Part])


async def answer_program(
    deps: ChatDeps, tools: Sequence[Tool], text: str, by: Requester
) -> ProgramAnswer:
    """Answer a text of a program. `tools` are those that programs may call.

    Raises:
        NoProviderError: No model is set up.
        NotAvailable: The model does not answer, or a spending limit is reached. The message says why.
    """
    choices = list_model_choices(deps.providers, (None, None), (None, None))
    tools = [tool for tool in tools if tool.tier in OFFERED_TIERS]
    conversation_id = f"program-{secrets.token_hex(8)}"
    request = _build_message(deps, conversation_id, "user", [TextPart(text=text)])
    progress = _Progress(conversation_id, (request,))
    meter, volatile = ConversationMeter(deps, conversation_id), await _describe_state(deps)
    for _ in range(deps.config().llm.max_steps):
        parts, sent = await _request_answer(deps, choices, progress, meter, tools, volatile)
        progress.parts += parts
        calls = [part for part in parts if isinstance(part, ToolCallPart)]
        if not calls:
            return ProgramAnswer(_join_text(parts), None)
        for call in calls:
            outcome = await _run_call(deps, call, by, sent)
            if isinstance(outcome, ToolOutcome) and isinstance(outcome.result, ConfigPlan):
                return ProgramAnswer(_join_text(parts), outcome.result)
            progress.parts.append(_build_result(call, outcome))
    raise NotAvailable("the model has not finished after the maximum number of requests")


async def _request_answer(
    deps: ChatDeps,
    choices: list[ModelChoice],
    progress: _Progress,
    meter: ConversationMeter,
    tools: Sequence[Tool],
    volatile: str,
) -> tuple[Sequence[Part], frozenset[str]]:
    """Send one model request. If its provider fails, try the next one.

    Return the parts of the answer, and the names of the tools that were offered.
    """
    while True:
        failure: ChatFailure
        try:
            provider, choice = await open_provider(deps.providers, choices[0])
        except NotAvailable as error:
            failure = ChatFailure(kind="no_key", message=str(error))
        else:
            request = _build_request(deps, choice, progress, tools, volatile)
            ended: Done | Failed | None = None
            try:
                running = await meter.start_request(choice, request)
                try:
                    async with contextlib.aclosing(provider.stream_answer(request)) as events:  # pyright: ignore[reportArgumentType]
                        async for event in events:
                            if isinstance(event, Done | Failed):
                                ended = event
                                break
                            running.count_event(event)
                finally:
                    # Shielded, because the cost must be logged even if the task is cancelled.
                    await asyncio.shield(meter.finish_request(running, create_message_id()))
            except RequestHalted as halt:
                raise NotAvailable(str(halt)) from None
            if isinstance(ended, Done):
                return ended.parts, frozenset(tool.name for tool in request.tools)
            failure = OPEN_STREAM_ENDED if ended is None else ended.failure
        if failure.kind not in FAILOVER_KINDS or len(choices) < 2:
            raise NotAvailable(failure.message)
        choices.pop(0)


def _build_request(
    deps: ChatDeps,
    choice: ModelChoice,
    progress: _Progress,
    tools: Sequence[Tool],
    volatile: str,
) -> ChatRequest:
    config = deps.config()
    settings = config.llm.providers.get(choice.name)
    answer = _build_message(deps, progress.conversation_id, "assistant", progress.parts)
    return ChatRequest(
        model=choice.model or "",
        system=f"{build_system_prompt(config)}\n\n{PROGRAM_INSTRUCTION}",
        messages=(
            *add_needed_reference(progress.messages),
            *([answer] if progress.parts else []),
        ),
        volatile=volatile,
        tools=choose_tools_to_send(tools, choice.capabilities.context_tokens, discovers=False),
        max_tokens=settings.max_tokens if settings else None,
        temperature=settings.temperature if settings else None,
    )


async def _run_call(
    deps: ChatDeps, call: ToolCallPart, by: Requester, sent: frozenset[str]
) -> ToolOutcome | InvalidParams:
    if call.malformed is not None:
        return InvalidParams("the arguments are not a JSON object")
    if call.tool not in sent:
        return InvalidParams(f"{call.tool[:80]} was not offered")
    return await deps.call(call.tool, call.arguments, by)


def _build_result(call: ToolCallPart, outcome: ToolOutcome | InvalidParams) -> ToolResultPart:
    if isinstance(outcome, InvalidParams):
        content, is_ok = describe_failure(str(outcome), outcome.code), False
    else:
        content, is_ok = render_outcome(outcome), outcome.error is None
    return ToolResultPart(call_id=call.call_id, tool=call.tool, ok=is_ok, content=content)


async def _describe_state(deps: ChatDeps) -> str:
    try:
        events = await deps.recent_events(MAX_RECENT_EVENTS)
    except NotAvailable:
        events = None
    return build_live_context(deps.app_state(), events, (), deps.config(), deps.clock())


def _build_message(
    deps: ChatDeps, conversation_id: str, role: str, parts: Sequence[Part]
) -> ChatMessage:
    return ChatMessage(
        message_id=create_message_id(),
        conversation_id=conversation_id,
        role="user" if role == "user" else "assistant",
        created_at=deps.clock(),
        parts=tuple(parts),
    )


def _join_text(parts: Sequence[Part]) -> str:
    return "\n\n".join(part.text.strip() for part in parts if isinstance(part, TextPart)).strip()
