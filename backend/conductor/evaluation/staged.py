"""Runs a complete Conductor for one benchmark case: chat, executor, plans and store
in a separate home folder.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from conductor.agent.chat import Chat
from conductor.agent.deps import AppState, ChatDeps, ProviderRegistry
from conductor.config.plans import Plans
from conductor.config.store import ConfigStore
from conductor.domain.chat.events import ChatEvent, RunEvent
from conductor.domain.chat.messages import (
    ChatMessage,
    ProviderKind,
    SendRequest,
    TextPart,
    Usage,
)
from conductor.domain.config import Config
from conductor.domain.events import InputEvent
from conductor.domain.plan import ConfigPlan, Requester, StoredPlan
from conductor.domain.settings import LlmBudget, LlmMcp, SkillsSettings, SkillTiers
from conductor.errors import ActionFailed, ConductorError
from conductor.evaluation.benchmark_engine import BenchmarkEngine
from conductor.evaluation.case import Case, Stage, Turn, load_stages
from conductor.evaluation.contexts import Context, Contexts
from conductor.evaluation.foreign import add_foreign_tools
from conductor.evaluation.recorder import format_message
from conductor.evaluation.shipped import load_knowledge, load_skills
from conductor.llm.provider import Provider
from conductor.storage.audit import AuditEntry
from conductor.storage.conversations import Conversations
from conductor.storage.database import Database
from conductor.storage.examples import Examples
from conductor.storage.history import History
from conductor.storage.plans import SqlPlanStore
from conductor.storage.usage import UsageLog
from conductor.tools.approval.permission import PermissionRequest
from conductor.tools.catalog import REGISTRY
from conductor.tools.change_prover import ReplayChangeProver
from conductor.tools.executor import ToolExecutor

BENCHMARK_USER = Requester(caller="window", client="benchmark")
SKILL_SETTINGS = SkillsSettings(
    tiers=SkillTiers(core=False, enhanced=False, integration=True), tools={"discover": True}
)
"""The skill settings of a case: the model gets the tool search and the tools of the stage's MCP servers."""
PLAN_LIFETIME_S = 24 * 3600.0
TURN_TIMEOUT_S = 300.0
ComputeCost = Callable[[ProviderKind, str, Usage], float | None]


class SingleProvider:
    """Offers only the provider of the measured model, in place of the configured providers."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    def get_provider(self, name: str) -> Provider:
        return self._provider

    def list_provider_names(self) -> tuple[str, ...]:
        return self.order_provider_names()

    def order_provider_names(self, chosen: str | None = None) -> tuple[str, ...]:
        return (self._provider.name,)


@dataclass
class TurnResult:
    """The result of one turn of a conversation: the model's answer and its plans."""

    message: ChatMessage
    plans: tuple[ConfigPlan, ...]
    """The plans that were made during the turn, as they were before the user's decision."""

    def get_answer_text(self) -> str:
        """Return the text of the model's answer."""
        return "\n".join(part.text for part in self.message.parts if isinstance(part, TextPart))


@dataclass
class CallRecorder:
    """Records each tool call of the model. Implements the executor's `AuditRepository` protocol."""

    entries: list[AuditEntry] = field(default_factory=list[AuditEntry])

    def write(self, entry: AuditEntry) -> None:
        if entry not in self.entries:
            self.entries.append(entry)

    def write_durably(self, entry: AuditEntry) -> bool:
        self.write(entry)
        return True


class AllowAll:
    """A permission policy that allows every tool call. Implements the executor's `Permission` protocol."""

    async def require_permission(self, request: PermissionRequest) -> str:
        return "once"


class Model(NamedTuple):
    """The model that the benchmark measures, with its provider."""

    provider: Provider
    model: str | None
    cost: ComputeCost

    def name(self) -> str:
        """Return the name by which the provider knows the model."""
        return self.model or self.provider.default_model


class StagedConductor:
    """All services behind the chat, for one case. Create it in a worker thread, because it opens files."""

    def __init__(
        self, home: Path, case: Case, model: Model, budget_usd: float | None = None
    ) -> None:
        self._stage: Stage = load_stages()[case.stage]
        self._keeps_pending = case.keeps_pending
        self._model = model
        self._budget = LlmBudget(warn_usd_per_day=0, stop_usd_per_conversation=budget_usd)
        self.calls = CallRecorder()
        self.sent_messages: list[str] = []
        """The messages that were sent to MIDI outputs during the conversation, as text."""
        self.apply_errors: list[str] = []
        """The errors of plans that could not be applied."""
        path = home / "config.toml"
        path.write_text(self._stage.config, encoding="utf-8")
        self._database = _open_database(home / "conductor.db")
        self._usage = UsageLog(lambda: self._database)
        self.store = ConfigStore(path, lambda: History(self._database))
        self.before: Config = self.store.load_file()
        self.benchmark_engine = BenchmarkEngine(self.before, self._stage)
        self.initial_mode = self.benchmark_engine.active_mode
        """The mode that was active at the start of the conversation."""
        self.store.on_change = self._on_change
        self.plans = self._create_plans()
        context = Context(
            self.store,
            self.plans,
            self._stage,
            self.benchmark_engine,
            self._send_message,
            History(self._database),
        )
        self._executor = ToolExecutor(
            add_foreign_tools(REGISTRY, self._stage.foreign),
            Contexts(context, self.plans),
            LlmMcp,
            self.calls,
            skills=lambda: SKILL_SETTINGS,
            permission=AllowAll(),
        )
        context.tools = self._executor.list_chat_tools
        self.chat = Chat(self._build_deps(SingleProvider(model.provider)))
        self._conversation_id: str | None = None

    def close(self) -> None:
        self._database.close()

    def read_usage(self) -> Usage:
        """Return the token usage of all requests so far, including requests whose answer failed."""
        return self._usage.summarize_costs(datetime.fromtimestamp(0, UTC)).total.usage

    async def send_turn(self, turn: Turn) -> TurnResult:
        """Send the user's message of a turn, wait for the complete answer, and apply the plans in it.

        Raises:
            TimeoutError: the answer takes too long; it is stopped.
        """
        self.prepare_turn(turn)
        earlier_ids = {plan.plan_id for plan in self.plans.list_plans()}
        message = await self._send_and_wait(turn.say)
        new_plans = tuple(
            plan for plan in self.plans.list_plans() if plan.plan_id not in earlier_ids
        )
        if not self._keeps_pending:
            await asyncio.to_thread(self._apply_plans, new_plans)
        return TurnResult(message, new_plans)

    def prepare_turn(self, turn: Turn) -> None:
        """Show the app and play the input that come before the user's message of a turn."""
        if turn.app:
            self.benchmark_engine.show_app(turn.app)
        if turn.plays:
            self.benchmark_engine.play_script(turn.plays)

    async def _send_and_wait(self, text: str) -> ChatMessage:
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()

        def on_event(event: ChatEvent) -> None:
            if isinstance(event, RunEvent) and not event.running:
                loop.call_soon_threadsafe(ended.set)

        stop_listening = self.chat.add_listener(on_event)
        try:
            request = SendRequest(
                conversation_id=self._conversation_id,
                parts=(TextPart(text=text),),
                provider=self._model.provider.name,
                model=self._model.model,
            )
            sent = await self.chat.send_message(request)
            self._conversation_id = sent.conversation_id
            async with asyncio.timeout(TURN_TIMEOUT_S):
                await ended.wait()
        except TimeoutError:
            await self.chat.close()
            raise
        finally:
            stop_listening()
        messages = await asyncio.to_thread(
            self.chat.conversations.open_conversation, sent.conversation_id
        )
        return next(one for one in messages[1] if one.message_id == sent.message_id)

    def _apply_plans(self, plans: tuple[ConfigPlan, ...]) -> None:
        """Apply all pending plans in the order in which they were made."""
        # Listed before the first is applied, which ends the others: each that the model left is tried.
        pending = [
            plan
            for plan in reversed(plans)
            if self.plans.get_plan(plan.plan_id).status == "pending"
        ]
        for plan in pending:
            try:
                self.plans.approve_plan(plan.plan_id, BENCHMARK_USER)
                if plan.kind != "sysex":
                    self.plans.apply_plan(plan.plan_id, BENCHMARK_USER)
            except ConductorError as error:
                self.apply_errors.append(str(error))

    def _on_change(self, config: Config, _reason: str) -> None:
        self.benchmark_engine.load_config(config)

    def _create_plans(self) -> Plans:
        prover = ReplayChangeProver(
            self.benchmark_engine.build_recording, lambda: Examples(self._database), budget=None
        )
        return Plans(
            self.store,
            prover,
            lambda: SqlPlanStore(self._database),
            self._perform_plan,
            ttl_s=PLAN_LIFETIME_S,
        )

    def _perform_plan(self, stored: StoredPlan) -> bool:
        raise ActionFailed("the benchmark performs nothing on this computer")

    def _send_message(self, port: str, message: bytes) -> None:
        self.sent_messages.append(f"{port} {format_message(message)}")

    def _build_deps(self, providers: ProviderRegistry) -> ChatDeps:
        async def recent_events(limit: int) -> list[InputEvent]:
            return self.benchmark_engine.events[-limit:]

        return ChatDeps(
            config=self._build_config,
            app_state=self._build_app_state,
            recent_events=recent_events,
            recent_events_sync=lambda limit: self.benchmark_engine.events[-limit:],
            tools=self._executor.list_chat_tools,
            call=self._executor.call_tool,
            plan=self.plans.get_plan,
            plans=self.plans.list_plans,
            providers=providers,
            conversations=Conversations(lambda: self._database),
            usage=self._usage,
            cost=self._model.cost,
            knowledge=load_knowledge,
            skills=load_skills,
        )

    def _build_config(self) -> Config:
        """Return the config of the case, with a cost limit that the model cannot see."""
        config = self.store.current_config
        llm = config.llm.model_copy(update={"budget": self._budget})
        return config.model_copy(update={"llm": llm})

    def _build_app_state(self) -> AppState:
        return AppState(
            self.benchmark_engine.active_mode,
            self.benchmark_engine.active_profile,
            self.benchmark_engine.app[0],
            [device.to_row() for device in self._stage.devices],
        )


STORAGE_TABLE_MODULES = ("audit_rows", "conversations", "examples", "history", "plans", "usage")


def _open_database(path: Path) -> Database:
    for name in STORAGE_TABLE_MODULES:  # all tables must be known before the file is opened
        import_module(f"conductor.storage.{name}")
    return Database(path)
