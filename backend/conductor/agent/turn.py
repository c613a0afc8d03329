"""One turn: requests and tool calls until the model has answered, the steps are used up, or something fails."""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from conductor.agent.answer import Answer
from conductor.agent.budget import Budget, Spent
from conductor.agent.calls import Calls
from conductor.agent.choice import Choice, opened
from conductor.agent.compaction import estimated_tokens, fit, plan_ids
from conductor.agent.desk import Desk
from conductor.agent.prompt import system_prompt
from conductor.agent.pulse import EVENTS, pulse
from conductor.agent.tools_for_model import specs
from conductor.domain.chat import (
    Activity,
    ChatFailure,
    ChatMessage,
    ChatRequest,
    Done,
    Failed,
    FailureKind,
    StreamEvent,
    Usage,
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
)
"""Failures for which another provider may have an answer."""
CUT_OFF = (
    'The answer was cut off at the longest that this model may give. Say "go on" for the rest.'
)
REFUSED = "The model refused to answer this. Say it in other words, or choose another model."
FULL = "The conversation is longer than the model's window. Compact it, or begin a new one."
FAULT = "This failed inside Conductor; logs/ in its home says why. Try again."
TOKENS_OF_TOOLS = 5_000


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


class Halt(Exception):
    def __init__(self, failure: ChatFailure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Turn:
    """Writes one answer. `branch` ends with the message that it answers; the first choice is asked first."""

    def __init__(
        self,
        desk: Desk,
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
        self._budget = Budget(desk, answer.message.conversation_id)
        self._volatile = ""
        self._began: Spent | None = None
        self.progress = Progress(steps=desk.config().llm.max_steps)

    async def run(self) -> End:
        """Write the answer; the caller ends it."""
        try:
            self._volatile = await self._now()
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
            await self._calls.run(calls, self._requester())
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
        request = self._built(choice)
        allowed = await self._allowed(choice, request)
        self._answer.came_from(choice.name, choice.model or "")
        watch = Watch(allowed, choice, self._budget, self._tokens(request))
        used = Usage()
        try:
            async with contextlib.aclosing(provider.stream(request)) as events:  # pyright: ignore[reportArgumentType]
                async for streamed in events:
                    event = storable(streamed)
                    if event.type == "usage":
                        used = used.plus(event.usage)
                    self._take(event)
                    if isinstance(event, Done | Failed):
                        return event
                    watch.see(event)
        finally:
            await asyncio.shield(self._count(choice, used, watch))
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

    def _built(self, choice: Choice) -> ChatRequest:
        config, capabilities = self._desk.config(), choice.capabilities
        row = config.llm.providers.get(choice.name)
        window = capabilities.context_tokens
        tools = specs(self._desk.tools(), window)
        system = system_prompt(config)
        fixed = len(system) // 4 + TOKENS_OF_TOOLS
        request = ChatRequest(
            model=choice.model or "",
            system=system,
            messages=fit([*self._branch, *self._so_far()], window, fixed),
            volatile=self._volatile,
            tools=tools,
            max_tokens=row.max_tokens if row else None,
            temperature=row.temperature if row else None,
        )
        known = self._answer.message.context_tokens or self._tokens(request)
        self._show(context_tokens=known, context_window=window)
        return request

    def _so_far(self) -> list[ChatMessage]:
        """Give the answer as it is, when it has calls that the model waits for."""
        snapshot = self._answer.snapshot()
        return [snapshot] if any(part.type != "note" for part in snapshot.parts) else []

    def _tokens(self, request: ChatRequest) -> int:
        tools = sum(len(str(tool.parameters)) // 4 for tool in request.tools)
        return estimated_tokens(request.messages, request.system, tools)

    async def _allowed(self, choice: Choice, request: ChatRequest) -> float | None:
        """Give what the request may cost.

        Raises:
            Halt: a limit is reached.
        """
        spent = await self._budget.spent()
        self._began = self._began or spent
        self._show(spent_usd=spent.conversation)
        if self._budget.left(spent) is None:
            return None
        tokens, model = self._tokens(request), choice.model or ""
        price = await asyncio.to_thread(self._budget.cost, choice.kind, model, tokens, 0)
        if (failure := self._budget.refusal(spent, price)) is not None:
            raise Halt(failure)
        return self._budget.left(spent)

    async def _count(self, choice: Choice, used: Usage, watch: "Watch") -> None:
        """Keep what a request used; where that is not told, or it broke off, it is estimated."""
        if not used.input_tokens + used.output_tokens:
            if not self._answer.has_content():
                return
            tokens = {"input_tokens": watch.tokens_in, "output_tokens": watch.tokens_out}
            used = used.model_copy(update=tokens)
        used = used.model_copy(update={"requests": 1})
        used = await asyncio.to_thread(self._logged, choice, used)
        self._answer.count(used)
        message = self._answer.message
        self._show(
            context_tokens=message.context_tokens,
            spent_usd=(self.progress.spent_usd or 0.0) + (used.cost_usd or 0.0),
        )

    def _logged(self, choice: Choice, used: Usage) -> Usage:
        """Put what a request used into the log, with its price, and give it."""
        if used.cost_usd is None:
            price = self._desk.cost(choice.kind, choice.model or "", used)
            if price is not None:
                used = used.model_copy(update={"cost_usd": price, "cost_from": "prices"})
        message = self._answer.message
        self._desk.usage.add(
            used,
            provider=choice.name,
            kind=choice.kind,
            model=choice.model or "",
            conversation_id=message.conversation_id,
            message_id=message.message_id,
        )
        return used

    async def _warn(self) -> None:
        if self._began is None or self.progress.spent_usd == self._began.conversation:
            return
        text = self._budget.warning(self._began, await self._budget.spent())
        if text is not None:
            self._answer.note("budget", text)

    async def _now(self) -> str:
        """Give what is true only now."""
        config = self._desk.config()
        try:
            events = await self._desk.recent_events(EVENTS)
        except NotAvailable:
            events = None
        plans = await asyncio.to_thread(self._plans)
        return pulse(self._desk.standing(), events, plans, config, self._desk.clock())

    def _plans(self) -> list[ConfigPlan]:
        found: list[ConfigPlan] = []
        for plan_id in plan_ids(self._branch):
            with contextlib.suppress(UnknownPlan):
                found.append(self._desk.plan(plan_id))
        return found

    def _requester(self) -> Requester:
        choice = self._choices[0]
        return Requester(caller="chat", client=f"{choice.name}/{choice.model}")

    def _show(self, activity: Activity | None = None, words: str = "", **changes: object) -> None:
        before = self.progress
        if activity is not None:
            changes |= {"activity": activity, "words": words}
        self.progress = replace(before, **changes)  # pyright: ignore[reportArgumentType]
        if self.progress != before:
            self._on_progress(self.progress)


class Watch:
    """Counts what streams in, so that a limit is not only noticed afterwards."""

    def __init__(
        self, allowed: float | None, choice: Choice, budget: Budget, tokens_in: int
    ) -> None:
        self._allowed = allowed
        self._choice = choice
        self._budget = budget
        self._characters = 0
        self._seen = 0
        self.tokens_in = tokens_in

    @property
    def tokens_out(self) -> int:
        return self._characters // 4

    def see(self, event: StreamEvent) -> None:
        """Take note of a piece.

        Raises:
            Halt: it costs more than is allowed.
        """
        self._characters += len(getattr(event, "text", ""))
        self._seen += 1
        if self._allowed is None or self._seen % 20:
            return
        choice = self._choice
        cost = self._budget.cost(choice.kind, choice.model or "", self.tokens_in, self.tokens_out)
        if cost > self._allowed:
            message = "The answer was stopped: it reached the limit in Settings > Providers (`llm.budget`)."
            raise Halt(ChatFailure(kind="budget", message=message))
