"""The environment of the gate's tests: a registry of one tool each, a user who answers, and their dependencies."""

import asyncio
from collections.abc import Callable
from typing import Any

from conductor.domain.change_kinds import CreateMode
from conductor.domain.config import Config
from conductor.domain.plan import ConfigPlan, Example, Proposal, Requester
from conductor.domain.settings import LlmChat, LlmMcp, SkillsSettings
from conductor.domain.value import Value
from conductor.errors import InvalidParams, NotAllowed
from conductor.storage.audit import AuditEntry
from conductor.tools.approval.permission import PermissionRequest
from conductor.tools.catalog.plans import PlanParams
from conductor.tools.context import (
    HardwareContext,
    ReadContext,
    RequestContext,
    RuntimeContext,
    SkillContext,
)
from conductor.tools.executor import ToolExecutor, ToolOutcome
from conductor.tools.limits import RateLimits
from conductor.tools.params import NoParams, Params, PlanningParams
from conductor.tools.registry import ToolRegistry

BARE = Requester(caller="bare", pid=7, executable="/usr/bin/nc")
PAD = Requester(caller="pad")
CHAT = Requester(caller="chat", conversation_id="c1")
registry = ToolRegistry()


class Number(Params):
    number: int


class Said(Value):
    word: str


class Inside(PlanningParams):
    tools: tuple[str, ...] = ()

    def list_inner_tools(self) -> tuple[str, ...]:
        return self.tools


@registry.tool("read_only", "status", title="Look", aliases=("old_look",))
async def look(params: Number, context: ReadContext) -> Said:
    """Look."""
    if params.number == 13:
        raise InvalidParams("Invalid params: 13 token=sk-abcdefghijklmnopqrstuvwx")
    if params.number == 14:
        raise RuntimeError("a fault")
    if params.number == 15:
        raise asyncio.CancelledError
    return Said(word=str(params.number))


@registry.tool("stateful", "devices", title="Switch")
async def poke(params: NoParams, context: RuntimeContext) -> Said:
    """Poke."""
    return Said(word="poked")


@registry.tool("config_change", "mappings", title="Change")
def change(params: Inside, config: Config) -> Proposal:
    """Change."""
    return (CreateMode(name="New"),)


@registry.tool("privileged", "mappings", title="Reset")
def wipe(params: PlanningParams, config: Config) -> Proposal:
    """Wipe."""
    return ()


@registry.tool("hardware_io", "hardware", title="Send")
async def send(params: NoParams, context: HardwareContext) -> Said:
    """Send."""
    return Said(word="sent")


@registry.tool("request", "plans", title="Apply")
async def apply(params: PlanParams, context: RequestContext) -> Said:
    """Apply."""
    return Said(word=context.requester.describe())


@registry.skill("guess", "Guess", "core", "productivity", requires_approval=True)
async def guess(params: Number, context: SkillContext) -> Said:
    """Guess."""
    return Said(word="guessed")


class Requesting:
    def __init__(self, requester: Requester) -> None:
        self.requester = requester


class User:
    """Implements `Permission`: says yes after doing something, or no."""

    def __init__(self, meanwhile: Callable[[], object] = lambda: None, *, yes: bool = True) -> None:
        self.asked: list[PermissionRequest] = []
        self._meanwhile = meanwhile
        self._yes = yes

    async def require_permission(self, request: PermissionRequest) -> str:
        self.asked.append(request)
        self._meanwhile()
        if not self._yes:
            raise NotAllowed("no")
        return "once"


class World:
    """The executor's surroundings: contexts, settings and the log, all open to inspection."""

    def __init__(
        self,
        limits: RateLimits | None = None,
        user: User | None = None,
        tools: ToolRegistry = registry,
        missing: Callable[[str], str | None] = lambda _name: None,
    ) -> None:
        self.skills = SkillsSettings()
        self.settings = LlmMcp()
        self.chat = LlmChat()
        self.entries: list[tuple[str, str]] = []
        self.last: AuditEntry | None = None
        self.records = True
        self.proposed: list[tuple[Proposal, bool]] = []
        self.executor = ToolExecutor(
            tools,
            self,  # pyright: ignore[reportArgumentType]
            lambda: self.settings,
            self,
            limits,
            skills=lambda: self.skills,
            permission=user,
            explain_missing=missing,
            chat_settings=lambda: self.chat,
        )

    def build_read_context(self, by: Requester) -> None:
        return None

    def build_runtime_context(self, by: Requester) -> None:
        return None

    def build_skill_context(self, by: Requester) -> None:
        return None

    def build_hardware_context(self, by: Requester) -> None:
        return None

    def build_request_context(self, by: Requester) -> Requesting:
        return Requesting(by)

    def config(self) -> Config:
        return Config()

    def propose(
        self,
        proposal: Proposal,
        by: Requester,
        examples: tuple[Example, ...],
        *,
        privileged: bool,
    ) -> ConfigPlan:
        self.proposed.append((proposal, privileged))
        return ConfigPlan.model_construct(plan_id="1", status="pending")

    def write(self, entry: AuditEntry) -> None:
        self.last = entry
        self.entries.append((entry.tool, entry.outcome))

    def write_durably(self, entry: AuditEntry) -> bool:
        self.write(entry)
        return self.records

    def call(self, name: str, by: Requester = BARE, /, **arguments: Any) -> ToolOutcome:
        return asyncio.run(self.executor.call_tool(f"conductor_{name}", arguments, by))

    def code(self, name: str, by: Requester = BARE, /, **arguments: Any) -> str:
        error = self.call(name, by, **arguments).error
        assert self.last is not None
        assert self.last.outcome == ("ok" if error is None else error.code)
        return self.last.outcome
