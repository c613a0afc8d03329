"""A chat over real storage, real plans and the real gate, with a model that says what a test wrote down."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from conductor.agent.chat import Chat
from conductor.agent.deps import AppState, ChatDeps
from conductor.app.abilities import AppAbilities
from conductor.base.clock import now
from conductor.config.plans import Plans
from conductor.config.store import ConfigStore
from conductor.domain.chat.events import ChatEvent, RunEvent
from conductor.domain.chat.messages import (
    Capabilities,
    ChatFailure,
    ChatMessage,
    ChatRequest,
    Done,
    Failed,
    FailureKind,
    ModelInfo,
    NotePart,
    Part,
    ProviderHealth,
    ProviderKind,
    SendRequest,
    SendResult,
    StreamEvent,
    TextDelta,
    TextPart,
    ToolArgumentsDelta,
    ToolCallEnd,
    ToolCallPart,
    ToolCallStart,
    ToolResultPart,
    Usage,
    UsageReport,
)
from conductor.domain.control_names import NO_CONTROL_NAMES
from conductor.domain.engine_protocol import (
    ExplainEvent,
    GetLearnedEvents,
    GetRecentEvents,
    GetStatus,
    Request,
    StartLearn,
    StopLearn,
)
from conductor.domain.events import InputEvent
from conductor.domain.plan import (
    Example,
    Requester,
    StoredPlan,
)
from conductor.domain.recording import Recording
from conductor.domain.wire_rows import DeviceRow, event_to_plain
from conductor.errors import NotAllowed, NotAvailable
from conductor.runtime.learn_sessions import LearnSessions
from conductor.runtime.open_pages import OpenPages
from conductor.storage.audit import AuditEntry
from conductor.storage.conversations import Conversations
from conductor.storage.plans import SqlPlanStore
from conductor.storage.records import Records
from conductor.storage.usage import UsageLog
from conductor.tools.app_contexts import AppContexts
from conductor.tools.approval.permission import PermissionRequest
from conductor.tools.catalog import REGISTRY
from conductor.tools.change_prover import ReplayChangeProver
from conductor.tools.executor import ToolExecutor

CONFIG = """\
[[devices]]
alias = "pads"
matchers = [{ type = "NameContains", pattern = "Pads" }]

[[modes]]
name = "Default"
[[modes.mappings]]
description = "paste"
trigger = { type = "Note", note = 40, device = "pads" }
action = { type = "Keystroke", keys = ["cmd", "v"] }

[[modes]]
name = "Live"
"""
WINDOW = Requester(caller="window", client="Conductor")
COPY: dict[str, Any] = {
    "mode": "Default",
    "trigger": {"type": "Note", "note": 36},
    "action": {"type": "Keystroke", "keys": ["cmd", "c"]},
}
Said = Sequence[StreamEvent] | Callable[[ChatRequest], AsyncIterator[StreamEvent]]
WITHIN_S = 45.0


def say(text: str, tokens: int = 10) -> list[StreamEvent]:
    """Stream a text, word by word."""
    words = text.split(" ")
    deltas = [TextDelta(text=word if not n else f" {word}") for n, word in enumerate(words)]
    return [*deltas, used(tokens), Done(stop="end", parts=(TextPart(text=text),))]


def used(tokens: int = 10) -> UsageReport:
    return UsageReport(usage=Usage(requests=1, input_tokens=tokens, output_tokens=5))


def call(tool: str, call_id: str = "", **arguments: Any) -> ToolCallPart:
    return ToolCallPart(
        call_id=call_id or f"c_{tool[-30:]}", tool=f"conductor_{tool}", arguments=arguments
    )


def calls(*parts: ToolCallPart, text: str = "") -> list[StreamEvent]:
    """Stream calls, as a provider does: name, arguments, end."""
    events: list[StreamEvent] = [TextDelta(text=text)] if text else []
    for part in parts:
        events += [
            ToolCallStart(call_id=part.call_id, tool=part.tool),
            ToolArgumentsDelta(call_id=part.call_id, text="{"),
            ToolCallEnd(call=part),
        ]
    said: tuple[Part, ...] = (TextPart(text=text),) if text else ()
    return [*events, used(), Done(stop="tool_calls", parts=(*said, *parts))]


def fails(kind: FailureKind, *before: StreamEvent) -> list[StreamEvent]:
    said = "".join(event.text for event in before if isinstance(event, TextDelta))
    parts: tuple[Part, ...] = (TextPart(text=said),) if said else ()
    failure = ChatFailure(kind=kind, message=f"It failed ({kind}). Do something.")
    return [*before, Failed(failure=failure, parts=parts)]


class Scripted:
    """Implements `llm.provider.Provider`: each request is answered by the next of its answers."""

    def __init__(
        self,
        name: str = "first",
        *answers: Said,
        kind: ProviderKind = "anthropic",
        window: int = 200_000,
        is_local: bool = False,
    ) -> None:
        self.name = name
        self.is_local = is_local
        self.kind: ProviderKind = kind
        self.default_model = f"{name}-model"
        self.answers: list[Said] = list(answers)
        self.requests: list[ChatRequest] = []
        self.closed = 0
        self.window = window

    async def stream_answer(self, request: ChatRequest) -> AsyncIterator[StreamEvent]:
        self.requests.append(request)
        answer = self.answers.pop(0)
        try:
            if callable(answer):
                async for event in answer(request):
                    yield event
                return
            for event in answer:
                await asyncio.sleep(0)
                yield event
        finally:
            self.closed += 1

    async def test_connection(self) -> ProviderHealth:
        return ProviderHealth(ok=True, message="fine")

    async def list_models(self) -> list[ModelInfo]:
        return []

    def get_capabilities(self, model: str) -> Capabilities:
        return Capabilities(context_tokens=self.window)

    async def close(self) -> None:
        return


ANSWERED_REQUESTS = (
    GetRecentEvents | StartLearn | StopLearn | GetLearnedEvents | ExplainEvent | GetStatus
)


class Engine:
    """The little that tools ask of the engine here: what was played."""

    def __init__(self) -> None:
        self.events: list[InputEvent] = []

    def send_request(self, request: Request) -> dict[str, Any]:
        if not isinstance(request, ANSWERED_REQUESTS):
            raise NotAvailable("the engine is not there")
        events = [event_to_plain(event) for event in self.events]
        return {"events": events, "started_at": 0.0, "trace": None, "status": "learning"}

    async def send_request_async(self, request: Request) -> dict[str, Any]:
        return self.send_request(request)


class NoExamples:
    """Nothing is kept here."""

    def add_examples(self, plan_id: str, examples: tuple[Example, ...]) -> None:
        return

    def list_examples(self) -> tuple[Example, ...]:
        return ()


def no_recording() -> Recording:
    raise NotAvailable("nothing was recorded")


class Stage:
    """Makes a `Chat`, the contexts of tools and an executor over them."""

    def __init__(
        self,
        home: Path,
        *providers: Scripted,
        config: str = CONFIG,
        knowledge: Any = None,
        skills: Any = None,
    ) -> None:
        self._shelves = [one and (lambda one=one: one) for one in (knowledge, skills)]
        self.knowledge = SimpleNamespace(library=knowledge)
        self.skills = SimpleNamespace(library=skills)
        self.home = home
        path = home / "config.toml"
        if not path.exists():
            path.write_text(config)
        self.records = Records(home / "conductor.db")
        self.database = self.records.open_database()
        self.store = ConfigStore(path)
        self.store.load_file()
        self.engine = Engine()
        shelves: Any = self.knowledge
        self.abilities = AppAbilities(
            home,
            lambda: self.store.current_config.skills,
            self.records,
            shelves,
            OpenPages(),
            lambda _topic, _payload: None,
            lambda: self.executor.list_chat_tools(),  # noqa: PLW0108 - made below
        )
        self.mode = "Default"
        self.devices: list[DeviceRow] = []
        self.providers = {one.name: one for one in providers}
        self.audit: list[AuditEntry] = []
        prover = ReplayChangeProver(no_recording, NoExamples, budget=None)
        self.plans = Plans(self.store, prover, lambda: SqlPlanStore(self.database), _nothing)
        parts: Any = SimpleNamespace(
            engine=SimpleNamespace(
                process=self.engine, state=self, read_names=lambda: NO_CONTROL_NAMES
            ),
            store=self.store,
            plans=self.plans,
            list_server_names=lambda: (),
            history=self.records.open_history,
            knowledge=lambda: self.knowledge.library,
            skills=lambda: self.skills.library,
            abilities=self.abilities,
            learn=LearnSessions(cast(Any, self.engine), _publish_nothing),
            publish=_publish_nothing,
            demo=False,
        )
        contexts = AppContexts(parts)
        settings = lambda: self.store.current_config.llm.mcp  # noqa: E731
        self.allow = True
        self.approvals: list[PermissionRequest] = []
        self.executor = ToolExecutor(
            REGISTRY,
            contexts,
            settings,
            self,
            skills=lambda: self.store.current_config.skills,
            permission=self,
        )
        self.conversations = Conversations(lambda: self.database)
        self.usage = UsageLog(lambda: self.database)
        self.dollars_per_token = 0.0
        self.tool_gate: Callable[[str], Awaitable[None]] | None = None
        self.chat = Chat(self.desk())
        self.news: list[ChatEvent] = []
        self._running: set[str] = set()
        """The conversations with an answer in progress, by their latest event."""
        self._told = asyncio.Event()
        self.chat.add_listener(self.hear)

    def desk(self) -> ChatDeps:
        return ChatDeps(
            config=lambda: self.store.current_config,
            app_state=lambda: AppState(self.mode, None, "firefox", self.devices),
            recent_events=self._recent,
            recent_events_sync=lambda limit: self.engine.events[-limit:],
            tools=self.executor.list_chat_tools,
            call=self._call,
            plan=self.plans.get_plan,
            plans=self.plans.list_plans,
            providers=self,
            conversations=self.conversations,
            usage=self.usage,
            cost=self._cost,
            knowledge=self._shelves[0],
            skills=self._shelves[1],
        )

    def get_provider(self, name: str) -> Scripted:
        if name not in self.providers:
            raise NotAvailable(f"There is no provider {name}. Add its key in Settings > Providers.")
        return self.providers[name]

    def list_provider_names(self) -> tuple[str, ...]:
        return (*self.providers, "removed")

    def order_provider_names(self, chosen: str | None = None) -> tuple[str, ...]:
        names = tuple(self.providers)
        return names if chosen is None else tuple(dict.fromkeys((chosen, *names)))

    def write(self, entry: AuditEntry) -> None:
        self.audit.append(entry)

    def write_durably(self, entry: AuditEntry) -> bool:
        self.write(entry)
        return True

    async def require_permission(self, request: PermissionRequest) -> str:
        """Answer as the user does who is asked; see `allow`."""
        if not request.tool.needs_permission(request.by):
            return "not needed"
        self.approvals.append(request)
        if not self.allow:
            raise NotAllowed("the user said no")
        return "once"

    def touch(self, note: int, seconds_ago: float = 1.0) -> None:
        self.engine.events.append(InputEvent("note_on", "pads", 10, note, 90, now() - seconds_ago))

    async def say(self, text: str, **fields: Any) -> SendResult:
        return await self.chat.send_message(SendRequest(parts=(TextPart(text=text),), **fields))

    async def answered(self, sent: SendResult) -> ChatMessage:
        """Wait until nothing is written in the conversation any more, and give the answer."""
        await self.until(lambda: sent.conversation_id not in self._running)
        message = self.conversations.find_message(sent.conversation_id, sent.message_id or "")
        assert message is not None
        return message

    async def ask(self, text: str, **fields: Any) -> ChatMessage:
        return await self.answered(await self.say(text, **fields))

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait for news until something holds."""
        async with asyncio.timeout(WITHIN_S):
            while not holds():
                self._told.clear()
                await self._told.wait()

    def apply(self, message: ChatMessage) -> None:
        """Do what the Apply button does."""
        for plan_id in plans_of(message):
            self.plans.approve_plan(plan_id, WINDOW)
            self.plans.apply_plan(plan_id, WINDOW)

    async def _call(self, name: str, arguments: dict[str, Any], by: Requester) -> Any:
        if self.tool_gate is not None:
            await self.tool_gate(name)
        return await self.executor.call_tool(name, arguments, by)

    async def _recent(self, limit: int) -> Sequence[InputEvent]:
        return self.engine.events[-limit:]

    def _cost(self, kind: ProviderKind, model: str, usage: Usage) -> float | None:
        return (usage.input_tokens + usage.output_tokens) * self.dollars_per_token or None

    def hear(self, news: ChatEvent) -> None:
        self.news.append(news)
        if isinstance(news, RunEvent) and news.running:
            self._running.add(news.conversation_id)
        elif isinstance(news, RunEvent):
            self._running.discard(news.conversation_id)
        self._told.set()


async def spin(holds: Callable[[], object]) -> None:
    """Run the loop until a condition holds that no event announces."""
    for _ in range(1_000_000):
        if holds():
            return
        await asyncio.sleep(0)
    raise TimeoutError


def _publish_nothing(_topic: str, _payload: object) -> None:
    """Publish nothing, because no page is open."""


def _nothing(_: StoredPlan) -> bool:
    return True


def plans_of(message: ChatMessage) -> list[str]:
    return [part.plan_id for part in results_of(message) if part.plan_id is not None]


def results_of(message: ChatMessage) -> list[ToolResultPart]:
    return [part for part in message.parts if isinstance(part, ToolResultPart)]


def text_of(message: ChatMessage) -> str:
    return "".join(part.text for part in message.parts if isinstance(part, TextPart))


def get_notes(message: ChatMessage) -> list[str]:
    return [part.kind for part in message.parts if isinstance(part, NotePart)]


def told_to(request: ChatRequest) -> str:
    """Return everything that a model was told by a request, as one text."""
    return request.model_dump_json()


def states(stage: Stage) -> list[RunEvent]:
    return [news for news in stage.news if isinstance(news, RunEvent)]
