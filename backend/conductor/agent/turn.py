"""Writes one answer: sends requests and runs tool calls until the answer is complete, fails or reaches the
step limit.
"""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from conductor.agent import tokens
from conductor.agent.answer import Answer
from conductor.agent.calls import ToolCallRunner
from conductor.agent.choice import ModelChoice, open_provider
from conductor.agent.compaction import (
    UNSENT_PART_TYPES,
    list_messages_since_summary,
    list_plan_ids,
    mask_old_outputs,
)
from conductor.agent.core import add_needed_reference
from conductor.agent.deps import ChatDeps
from conductor.agent.live_context import MAX_RECENT_EVENTS, build_live_context
from conductor.agent.meter import ConversationMeter, RequestHalted, RequestMeter
from conductor.agent.prepare import PreparedTexts, prepare_answer
from conductor.agent.prompt import build_system_prompt
from conductor.agent.tools_for_model import choose_tools_to_send, list_found_tools, list_priorities
from conductor.base.token_estimate import estimate_token_count
from conductor.domain.chat.messages import (
    Activity,
    ChatFailure,
    ChatMessage,
    ChatRequest,
    Done,
    Failed,
    FailureKind,
    NotePart,
    StreamEvent,
)
from conductor.domain.plan import ConfigPlan, Requester
from conductor.domain.storable import make_storable
from conductor.errors import NotAvailable, UnknownPlan

FAILOVER_KINDS: tuple[FailureKind, ...] = (
    "network",
    "overloaded",
    "rate_limit",
    "auth",
    "quota",
    "no_key",
    "model_not_found",
    "internal",
)
"""After a failure of one of these kinds, the next provider may succeed and is tried."""
ANSWER_CUT_OFF_MESSAGE = (
    'The answer was cut off at this model\'s maximum length. Type "continue" for the rest.'
)
MODEL_REFUSED_MESSAGE = (
    "The model refused to answer. Rephrase the message, or choose another model."
)
CONTEXT_FULL_MESSAGE = (
    "The conversation is longer than the model's window. Compact it, or start a new one."
)
INTERNAL_ERROR_MESSAGE = (
    "An internal error occurred; see the logs/ folder in Conductor's home. Try again."
)


@dataclass(frozen=True)
class AnswerProgress:
    """The state of an answer in progress, as the page shows it: the activity, the step, the context and
    the cost.
    """

    activity: Activity | None = None
    words: str = ""
    step: int = 0
    steps: int = 0
    context_tokens: int = 0
    context_window: int = 0
    spent_usd: float | None = None


class TurnEnd(NamedTuple):
    """How a turn ended, with the failure if it failed. `paused` means that it reached the step limit."""

    state: Literal["complete", "failed", "paused"]
    failure: ChatFailure | None = None


class Turn:
    """Writes one answer by sending model requests and running tool calls.

    `branch` ends with the message to answer. The providers in `choices` are tried in order.
    """

    def __init__(
        self,
        deps: ChatDeps,
        answer: Answer,
        branch: Sequence[ChatMessage],
        choices: Sequence[ModelChoice],
        on_progress: Callable[[AnswerProgress], None],
    ) -> None:
        self._deps = deps
        self._answer = answer
        self._branch = branch
        self._choices = list(choices)
        self._on_progress = on_progress
        self._calls = ToolCallRunner(deps, answer)
        self._sent_tools: frozenset[str] = frozenset()
        self._meter = ConversationMeter(deps, answer.message.conversation_id)
        self._live_context = ""
        self._prepared = PreparedTexts()
        self._prepared_for: ModelChoice | None = None
        self.progress = AnswerProgress(steps=deps.config().llm.max_steps)

    async def run(self) -> TurnEnd:
        """Write the answer until it is complete, fails or reaches the step limit.

        The caller ends the answer.
        """
        try:
            self._live_context = await self._build_live_context()
            return await self._run_steps()
        except RequestHalted as halt:
            return TurnEnd("failed", halt.failure)

    async def _run_steps(self) -> TurnEnd:
        for step in range(1, self.progress.steps + 1):
            self._update_progress("thinking", step=step)
            done = await self._request_answer()
            calls = self._answer.list_unanswered_calls()
            if not calls:
                await self._add_budget_warning()
                return self._build_turn_end(done)
            self._update_progress("calling", ", ".join(dict.fromkeys(call.tool for call in calls)))
            await self._calls.run_calls(calls, self._build_requester(), self._sent_tools)
            await self._answer.save_message()
        await self._add_budget_warning()
        self._answer.add_note(
            "steps", f"This answer reached the limit of {self.progress.steps} requests. Continue?"
        )
        return TurnEnd("paused")

    def _build_turn_end(self, done: Done) -> TurnEnd:
        match done.stop:
            case "refusal":
                return TurnEnd("failed", ChatFailure(kind="refusal", message=MODEL_REFUSED_MESSAGE))
            case "context_overflow":
                return TurnEnd(
                    "failed", ChatFailure(kind="context_overflow", message=CONTEXT_FULL_MESSAGE)
                )
            case "length":
                self._answer.add_note("degraded", ANSWER_CUT_OFF_MESSAGE)
            case _:
                pass
        return TurnEnd("complete")

    async def _request_answer(self) -> Done:
        """Send the next model request and return its final event.

        If a provider fails before it has sent any content, the next provider is tried.

        Raises:
            RequestHalted: No provider answered, or a spending limit is reached.
        """
        while True:
            self._answer.begin_request()
            last = await self._stream_request(self._choices[0])
            if isinstance(last, Done):
                return last
            failure = last.failure
            # An answer with content must not restart, because the user has already read its
            # beginning.
            can_fail_over = failure.kind in FAILOVER_KINDS and not self._answer.has_content()
            if not can_fail_over or len(self._choices) < 2:
                raise RequestHalted(failure)
            self._switch_provider(failure)

    def _switch_provider(self, failure: ChatFailure) -> None:
        failed, *self._choices = self._choices
        following = self._choices[0]
        self._answer.add_note(
            "failover",
            f"{failed.name} failed: {failure.message} Continuing with {following.format_label()}.",
        )

    async def _stream_request(self, choice: ModelChoice) -> Done | Failed:
        """Stream the answer to one model request into the message and return the final event."""
        try:
            provider, choice = await open_provider(self._deps.providers, choice)
        except NotAvailable as error:
            return Failed(failure=ChatFailure(kind="no_key", message=str(error)))
        self._choices[0] = choice
        await self._prepare_choice(choice)
        request = self._build_request(choice)
        meter = await self._meter.start_request(choice, request)
        self._answer.set_usage_estimator(meter.build_usage)
        self._update_progress(spent_usd=self._meter.spent_usd)
        await self._warn_missing_price(choice)
        self._answer.set_model(choice.name, choice.model or "")
        try:
            async with contextlib.aclosing(provider.stream_answer(request)) as events:  # pyright: ignore[reportArgumentType]
                async for streamed in events:
                    event = make_storable(streamed)
                    self._on_event(event)
                    if isinstance(event, Done | Failed):
                        return event
                    meter.count_event(event)
        finally:
            # Shielded, because the cost of a request must be logged even if the user stops it.
            await asyncio.shield(self._add_usage(meter))
        return Failed(
            failure=ChatFailure(
                kind="network",
                message="The connection broke off. Try again.",
            )
        )

    def _on_event(self, event: StreamEvent) -> None:
        self._answer.apply_stream_event(event)
        match event.type:
            case "text_delta":
                self._update_progress("writing")
            case "thinking_delta":
                self._update_progress("thinking")
            case "tool_call_start":
                self._update_progress("calling", event.tool)
            case "retrying":
                words = f"Retrying in {event.wait_s:.0f} s: {event.failure.message}"
                self._update_progress("retrying", words)
            case _:
                pass

    async def _prepare_choice(self, choice: ModelChoice) -> None:
        """Choose the skills and look up the reference texts, once for each model that is tried for this
        answer.
        """
        if self._prepared_for != choice:
            self._prepared_for = choice
            self._prepared = await prepare_answer(self._deps, self._answer, self._branch, choice)

    def _build_request(self, choice: ModelChoice) -> ChatRequest:
        config, capabilities = self._deps.config(), choice.capabilities
        settings = config.llm.providers.get(choice.name)
        window = capabilities.context_tokens
        branch = [*self._branch, self._answer.build_snapshot()]
        tools = choose_tools_to_send(
            self._deps.tools(),
            window,
            list_found_tools(branch),
            priorities=list_priorities(branch),
            discovers=capabilities.tools,
        )
        self._sent_tools = frozenset(tool.name for tool in tools)
        system = build_system_prompt(config, self._prepared.skills)
        volatile = "\n\n".join(filter(None, [self._live_context, self._prepared.reference]))
        fixed = (
            estimate_token_count(system)
            + estimate_token_count(volatile)
            + tokens.estimate_tool_spec_tokens(tools)
        )
        messages = add_needed_reference(
            list_messages_since_summary([*self._branch, *self._list_answer_messages()])
        )
        request = ChatRequest(
            model=choice.model or "",
            system=system,
            messages=mask_old_outputs(messages, window, fixed),
            volatile=volatile,
            tools=tools,
            max_tokens=settings.max_tokens if settings else None,
            temperature=settings.temperature if settings else None,
        )
        used = self._answer.message.context_tokens or tokens.estimate_request_tokens(request)
        self._update_progress(context_tokens=used, context_window=window)
        return request

    def _list_answer_messages(self) -> list[ChatMessage]:
        """Return the answer in progress as a list of one message, or an empty list if it has no part for
        the model yet.
        """
        snapshot = self._answer.build_snapshot()
        return (
            [snapshot]
            if any(not isinstance(part, UNSENT_PART_TYPES) for part in snapshot.parts)
            else []
        )

    async def _add_usage(self, meter: RequestMeter) -> None:
        used = await self._meter.finish_request(meter, self._answer.message.message_id)
        if used is None:
            return
        self._answer.add_usage(used)
        context_tokens = self._answer.message.context_tokens
        self._update_progress(context_tokens=context_tokens, spent_usd=self._meter.spent_usd)

    async def _warn_missing_price(self, choice: ModelChoice) -> None:
        """Warn the user once per conversation that the spending limit cannot count this model, whose price
        is unknown.
        """
        text = await self._meter.build_missing_price_warning(choice)
        messages = [*self._branch, self._answer.build_snapshot()]
        parts = (part for message in messages for part in message.parts)
        notes = {part.text for part in parts if isinstance(part, NotePart)}
        if text is not None and text not in notes:
            self._answer.add_note("budget", text)

    async def _add_budget_warning(self) -> None:
        text = await self._meter.build_cost_warning()
        if text is not None:
            self._answer.add_note("budget", text)

    async def _build_live_context(self) -> str:
        """Return the description of the current state, which is built once for each turn."""
        config = self._deps.config()
        try:
            events = await self._deps.recent_events(MAX_RECENT_EVENTS)
        except NotAvailable:
            events = None
        plans = await asyncio.to_thread(self._load_plans)
        return build_live_context(self._deps.app_state(), events, plans, config, self._deps.clock())

    def _load_plans(self) -> list[ConfigPlan]:
        found: list[ConfigPlan] = []
        for plan_id in list_plan_ids(self._branch):
            with contextlib.suppress(UnknownPlan):
                found.append(self._deps.plan(plan_id))
        return found

    def _build_requester(self) -> Requester:
        choice = self._choices[0]
        conversation = self._answer.message.conversation_id
        client = f"{choice.name}/{choice.model}"
        return Requester(caller="chat", client=client, conversation_id=conversation)

    def _update_progress(
        self, activity: Activity | None = None, words: str = "", **changes: object
    ) -> None:
        before = self.progress
        if activity is not None:
            changes |= {"activity": activity, "words": words}
        self.progress = replace(before, **changes)  # pyright: ignore[reportArgumentType]
        if self.progress != before:
            self._on_progress(self.progress)
