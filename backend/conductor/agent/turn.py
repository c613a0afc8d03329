"""One turn: requests and tool calls until the model has answered, the steps are used up, or something fails."""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from conductor.agent import tokens
from conductor.agent.answer import Answer
from conductor.agent.calls import Calls
from conductor.agent.choice import Choice, opened
from conductor.agent.compaction import UNTOLD, fit, plan_ids, since_summary
from conductor.agent.core import with_reference
from conductor.agent.deps import ChatDeps
from conductor.agent.live_context import EVENTS, live_context
from conductor.agent.meter import Halt, Meter, Watch
from conductor.agent.prepare import Prepared, prepare
from conductor.agent.prompt import system_prompt
from conductor.agent.tools_for_model import found_in, newest_in, specs
from conductor.base.token_estimate import approximate_tokens
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
from conductor.domain.storable import storable
from conductor.errors import NotAvailable, UnknownPlan

FAILED_OVER: tuple[FailureKind, ...] = (
    "network",
    "overloaded",
    "rate_limit",
    "auth",
    "quota",
    "no_key",
    "model_not_found",
    "internal",
)
"""Failures for which another provider may have an answer."""
CUT_OFF = (
    'The answer was cut off at the longest that this model may give. Say "go on" for the rest.'
)
REFUSED = "The model refused to answer this. Say it in other words, or choose another model."
FULL = "The conversation is longer than the model's window. Compact it, or begin a new one."
FAULT = "This failed inside Conductor; logs/ in its home says why. Try again."


@dataclass(frozen=True)
class Progress:
    """Where a turn stands."""

    activity: Activity | None = None
    words: str = ""
    step: int = 0
    steps: int = 0
    context_tokens: int = 0
    context_window: int = 0
    spent_usd: float | None = None


class End(NamedTuple):
    """How a turn ended."""

    state: Literal["complete", "failed", "paused"]
    failure: ChatFailure | None = None


class Turn:
    """Writes one answer. `branch` ends with the message that it answers; the first choice is asked first."""

    def __init__(
        self,
        desk: ChatDeps,
        answer: Answer,
        branch: Sequence[ChatMessage],
        choices: Sequence[Choice],
        on_progress: Callable[[Progress], None],
    ) -> None:
        self._desk = desk
        self._answer = answer
        self._branch = branch
        self._choices = list(choices)
        self._on_progress = on_progress
        self._calls = Calls(desk, answer)
        self._sent: frozenset[str] = frozenset()
        self._meter = Meter(desk, answer.message.conversation_id)
        self._pulse = ""
        self._prepared = Prepared()
        self._prepared_for: Choice | None = None
        self.progress = Progress(steps=desk.config().llm.max_steps)

    async def run(self) -> End:
        """Write the answer; the caller ends it."""
        try:
            self._pulse = await self._now()
            return await self._steps()
        except Halt as halt:
            return End("failed", halt.failure)

    async def _steps(self) -> End:
        for step in range(1, self.progress.steps + 1):
            self._show("thinking", step=step)
            done = await self._request()
            calls = self._answer.unanswered()
            if not calls:
                await self._warn()
                return self._ended(done)
            self._show("calling", ", ".join(dict.fromkeys(call.tool for call in calls)))
            await self._calls.run(calls, self._requester(), self._sent)
            await self._answer.save()
        await self._warn()
        self._answer.note(
            "steps", f"{self.progress.steps} requests were made for this answer. Continue?"
        )
        return End("paused")

    def _ended(self, done: Done) -> End:
        match done.stop:
            case "refusal":
                return End("failed", ChatFailure(kind="refusal", message=REFUSED))
            case "context_overflow":
                return End("failed", ChatFailure(kind="context_overflow", message=FULL))
            case "length":
                self._answer.note("degraded", CUT_OFF)
            case _:
                pass
        return End("complete")

    async def _request(self) -> Done:
        """Make the next request, to the next provider where one fails before it has said anything.

        Raises:
            Halt: there is no answer.
        """
        while True:
            self._answer.begin_request()
            last = await self._stream_of(self._choices[0])
            if isinstance(last, Done):
                return last
            failure = last.failure
            can_fail_over = failure.kind in FAILED_OVER and not self._answer.has_content()
            if not can_fail_over or len(self._choices) < 2:
                raise Halt(failure)
            self._fail_over(failure)

    def _fail_over(self, failure: ChatFailure) -> None:
        failed, *self._choices = self._choices
        following = self._choices[0]
        self._answer.note(
            "failover",
            f"{failed.name} did not answer: {failure.message} Going on with {following.words()}.",
        )

    async def _stream_of(self, choice: Choice) -> Done | Failed:
        """Stream one request into the answer, and give its last event."""
        try:
            provider, choice = await opened(self._desk.providers, choice)
        except NotAvailable as error:
            return Failed(failure=ChatFailure(kind="no_key", message=str(error)))
        self._choices[0] = choice
        await self._prepare(choice)
        request = self._built(choice)
        watch = await self._meter.watch(choice, request)
        self._show(spent_usd=self._meter.spent_usd)
        await self._say_unlimited(choice)
        self._answer.came_from(choice.name, choice.model or "")
        try:
            async with contextlib.aclosing(provider.stream(request)) as events:  # pyright: ignore[reportArgumentType]
                async for streamed in events:
                    event = storable(streamed)
                    self._take(event)
                    if isinstance(event, Done | Failed):
                        return event
                    watch.see(event)
        finally:
            await asyncio.shield(self._count(watch))
        return Failed(
            failure=ChatFailure(kind="network", message="The answer broke off. Try again.")
        )

    def _take(self, event: StreamEvent) -> None:
        self._answer.take(event)
        match event.type:
            case "text_delta":
                self._show("writing")
            case "thinking_delta":
                self._show("thinking")
            case "tool_call_start":
                self._show("calling", event.tool)
            case "retrying":
                words = f"Trying again in {event.wait_s:.0f} s: {event.failure.message}"
                self._show("retrying", words)
            case _:
                pass

    async def _prepare(self, choice: Choice) -> None:
        """Choose skills and look up what is known, once for each model that this answer asks."""
        if self._prepared_for != choice:
            self._prepared_for = choice
            self._prepared = await prepare(self._desk, self._answer, self._branch, choice)

    def _built(self, choice: Choice) -> ChatRequest:
        config, capabilities = self._desk.config(), choice.capabilities
        row = config.llm.providers.get(choice.name)
        window = capabilities.context_tokens
        branch = [*self._branch, self._answer.snapshot()]
        tools = specs(
            self._desk.tools(),
            window,
            found_in(branch),
            newest=newest_in(branch),
            discovers=capabilities.tools,
        )
        self._sent = frozenset(tool.name for tool in tools)
        system = system_prompt(config, self._prepared.skills)
        volatile = "\n\n".join(filter(None, [self._pulse, self._prepared.reference]))
        fixed = approximate_tokens(system) + approximate_tokens(volatile) + tokens.of_tools(tools)
        told = with_reference(since_summary([*self._branch, *self._so_far()]))
        request = ChatRequest(
            model=choice.model or "",
            system=system,
            messages=fit(told, window, fixed),
            volatile=volatile,
            tools=tools,
            max_tokens=row.max_tokens if row else None,
            temperature=row.temperature if row else None,
        )
        known = self._answer.message.context_tokens or tokens.of_request(request)
        self._show(context_tokens=known, context_window=window)
        return request

    def _so_far(self) -> list[ChatMessage]:
        """Return the answer as it is, when it has calls that the model waits for."""
        snapshot = self._answer.snapshot()
        return [snapshot] if any(not isinstance(part, UNTOLD) for part in snapshot.parts) else []

    async def _count(self, watch: Watch) -> None:
        used = await self._meter.count(watch, self._answer.message.message_id)
        if used is None:
            return
        self._answer.count(used)
        context_tokens = self._answer.message.context_tokens
        self._show(context_tokens=context_tokens, spent_usd=self._meter.spent_usd)

    async def _say_unlimited(self, choice: Choice) -> None:
        """Say once in a conversation that no limit can hold this model."""
        text = await self._meter.unlimited(choice)
        told = [*self._branch, self._answer.snapshot()]
        notes = {part.text for one in told for part in one.parts if isinstance(part, NotePart)}
        if text is not None and text not in notes:
            self._answer.note("budget", text)

    async def _warn(self) -> None:
        text = await self._meter.warning()
        if text is not None:
            self._answer.note("budget", text)

    async def _now(self) -> str:
        """Return what is true only now."""
        config = self._desk.config()
        try:
            events = await self._desk.recent_events(EVENTS)
        except NotAvailable:
            events = None
        plans = await asyncio.to_thread(self._plans)
        return live_context(self._desk.standing(), events, plans, config, self._desk.clock())

    def _plans(self) -> list[ConfigPlan]:
        found: list[ConfigPlan] = []
        for plan_id in plan_ids(self._branch):
            with contextlib.suppress(UnknownPlan):
                found.append(self._desk.plan(plan_id))
        return found

    def _requester(self) -> Requester:
        choice = self._choices[0]
        conversation = self._answer.message.conversation_id
        client = f"{choice.name}/{choice.model}"
        return Requester(caller="chat", client=client, conversation_id=conversation)

    def _show(self, activity: Activity | None = None, words: str = "", **changes: object) -> None:
        before = self.progress
        if activity is not None:
            changes |= {"activity": activity, "words": words}
        self.progress = replace(before, **changes)  # pyright: ignore[reportArgumentType]
        if self.progress != before:
            self._on_progress(self.progress)
