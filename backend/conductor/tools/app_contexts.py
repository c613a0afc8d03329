"""Implements the contexts of `tools.context`, through which tools read and change the state of the app."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from conductor.base.json_types import JsonObject
from conductor.base.suggestions import format_suggestion
from conductor.config.plans import Plans
from conductor.config.store import ConfigStore
from conductor.domain.change_kinds import UpdateSettings
from conductor.domain.config import Config
from conductor.domain.control_names import ControlNames
from conductor.domain.engine_protocol import (
    ConnectDevice,
    EnableDevice,
    ExplainEvent,
    GetRecentEvents,
    Panic,
    RequestFor,
    RescanPorts,
    SendMidi,
    SwitchMode,
)
from conductor.domain.engine_replies import SwitchModeReply
from conductor.domain.events import CapturedEvents, InputEvent
from conductor.domain.knowledge import ScoredChunk
from conductor.domain.knowledge_domains import Domain
from conductor.domain.page_events import ModeSwitchTopic
from conductor.domain.plan import ConfigPlan, Example, Proposal, Requester, SysexRequest
from conductor.domain.servers import ServersView, ServerView
from conductor.domain.validate import Problem, Report, format_unknown_mode
from conductor.domain.wire_rows import DeviceRow, ExplainedTraceRow, StatusRow, event_from_plain
from conductor.errors import ActionFailed, InvalidParams, NotAllowed, NotAvailable, UnknownMode
from conductor.runtime.engine_connection import EngineConnection
from conductor.runtime.events import MODE_SWITCH_TOPIC, Publish
from conductor.runtime.learn_sessions import LearnSessions
from conductor.runtime.status import StatusReader
from conductor.tools.capabilities import Abilities
from conductor.tools.context import (
    ConfigVersion,
    HardwareContext,
    ReadContext,
    RequestContext,
    RuntimeContext,
    SkillContext,
)
from conductor.tools.sysex import SysexApprovalTokens
from conductor.tools.versions import list_versions

if TYPE_CHECKING:
    from conductor.knowledge.library import KnowledgeBase
    from conductor.skills.library import SkillLibrary
    from conductor.storage.history import History

_Reply = TypeVar("_Reply")
KNOWLEDGE_DISABLED_REASON = (
    "the knowledge base is switched off: `knowledge.enabled` is false; "
    "only the user can change this setting"
)


@dataclass(frozen=True)
class ContextParts:
    """The services of the app on which the contexts of tools are built."""

    engine: EngineConnection
    store: ConfigStore
    plans: Plans
    status: StatusReader
    list_servers: Callable[[], Awaitable[ServersView]]
    list_server_names: Callable[[], Collection[str]]
    find_missing_parts: Callable[[Config], Sequence[Problem]]
    history: "Callable[[], History]"
    knowledge: "Callable[[], KnowledgeBase]"
    skills: "Callable[[], SkillLibrary]"
    abilities: Abilities
    learn: LearnSessions
    publish: Publish
    demo: bool


class AppReadContext:
    """Implements `tools.context.ReadContext` for tools that only read."""

    def __init__(self, parts: ContextParts, by: Requester | None = None) -> None:
        """Store the services and the requester.

        `by` decides which plans and MIDI Learn sessions can be read; without it, all plans can.
        """
        self._parts = parts
        self._by = by

    @property
    def config(self) -> Config:
        return self._parts.store.current_config

    @property
    def config_text(self) -> str:
        return self._parts.store.config_text

    @property
    def config_hash(self) -> str:
        return self._parts.store.config_hash

    @property
    def config_path(self) -> str:
        return str(self._parts.store.path)

    @property
    def report(self) -> Report:
        return self._parts.store.snapshot.report

    @property
    def problems(self) -> tuple[Problem, ...]:
        return self._parts.store.problems

    def list_devices(self) -> list[DeviceRow]:
        return self._parts.engine.state.devices

    async def list_plugins(self) -> Sequence[ServerView]:
        return (await self._parts.list_servers()).servers

    async def find_missing_parts(self) -> Sequence[Problem]:
        await self._parts.list_servers()
        return await asyncio.to_thread(self._parts.find_missing_parts, self.config)

    def get_active_mode(self) -> str:
        return self._parts.engine.state.mode

    async def read_status(self) -> StatusRow:
        return await self._parts.status.read_status()

    def read_control_names(self) -> ControlNames:
        return self._parts.engine.read_names()

    async def list_recent_events(self, limit: int) -> list[InputEvent]:
        answer = await self._ask_engine(GetRecentEvents(limit))
        return [event_from_plain(plain) for plain in answer["events"]]

    async def list_captured_events(self) -> CapturedEvents:
        return await self._parts.learn.list_events(self._by)

    async def explain_event(self, sequence: int | None) -> ExplainedTraceRow | None:
        trace = (await self._ask_engine(ExplainEvent(sequence)))["trace"]
        if trace is not None:
            trace["event"] = self.read_control_names().add_name_to_event(trace["event"])
        return trace

    async def get_plan(self, plan_id: str) -> ConfigPlan:
        return await asyncio.to_thread(self._parts.plans.get_plan, plan_id, self._by)

    async def list_plans(self) -> Sequence[ConfigPlan]:
        return await asyncio.to_thread(self._parts.plans.list_plans, self._by)

    async def hides_plans(self) -> bool:
        all_plans = await asyncio.to_thread(self._parts.plans.list_plans)
        return len(await self.list_plans()) < len(all_plans)

    async def list_versions(self, limit: int, before: int | None) -> Sequence[ConfigVersion]:
        return await asyncio.to_thread(self._list_versions, limit, before)

    def _list_versions(self, limit: int, before: int | None) -> Sequence[ConfigVersion]:
        if self._parts.demo:
            raise NotAvailable("the demo does not save versions of its config")
        return list_versions(self._parts.history(), limit, before)

    async def search_knowledge(
        self, query: str, k: int, domain: Domain | None
    ) -> Sequence[ScoredChunk]:
        if not self.config.knowledge.enabled:
            raise NotAvailable(KNOWLEDGE_DISABLED_REASON)
        return await asyncio.to_thread(self._search_chunks, query, k, domain)

    def _search_chunks(self, query: str, k: int, domain: Domain | None) -> Sequence[ScoredChunk]:
        return self._parts.knowledge().search_chunks(query, k, domain)

    async def read_skill(self, name: str, file: str, start: int) -> tuple[str, int | None]:
        library = self._parts.skills()
        return await asyncio.to_thread(library.render_file, name, file, start)

    async def _ask_engine(self, request: RequestFor[_Reply]) -> _Reply:
        return await self._parts.engine.process.send_request_async(request)


class AppRuntimeContext(AppReadContext):
    """Implements `tools.context.RuntimeContext` for tools that change the state of the engine."""

    def __init__(self, parts: ContextParts, by: Requester) -> None:
        super().__init__(parts, by)
        self._requester = by

    async def switch_mode(self, mode: str) -> SwitchModeReply:
        previous_mode = self.get_active_mode()
        answer = await self._ask_engine(SwitchMode(mode))
        if "error" in answer:
            raise UnknownMode(format_unknown_mode(self.config, mode))
        if previous_mode not in ("", mode):
            by = self._requester
            self._parts.publish(
                MODE_SWITCH_TOPIC,
                ModeSwitchTopic(
                    mode=mode,
                    previous_mode=previous_mode,
                    caller=by.caller,
                    client=by.client,
                    executable=by.executable,
                ),
            )
        return answer

    async def set_device_enabled(self, device_id: str, *, enabled: bool) -> None:
        self._parts.engine.process.send(EnableDevice(device_id, enabled))

    async def set_device_connected(self, device_id: str, *, connected: bool) -> None:
        await self._ask_engine(ConnectDevice(device_id, connected))

    async def rescan(self) -> None:
        await self._ask_engine(RescanPorts())

    async def start_learn(self, timeout_ms: int) -> None:
        await self._parts.learn.start_session(self._requester, timeout_ms)

    async def stop_learn(self) -> CapturedEvents:
        return await self._parts.learn.stop_session(self._requester)

    def panic(self) -> None:
        self._parts.engine.process.send(Panic())


class AppHardwareContext(AppReadContext):
    """Implements `tools.context.HardwareContext` for tools that send MIDI messages."""

    def __init__(self, parts: ContextParts, tokens: SysexApprovalTokens, by: Requester) -> None:
        super().__init__(parts, by)
        self._tokens = tokens
        self._requester = by

    async def send_midi(self, port: str, messages: Sequence[bytes]) -> None:
        await self._send_messages(port, messages, approved=False)

    async def _send_messages(self, port: str, messages: Sequence[bytes], *, approved: bool) -> None:
        answer = await self._ask_engine(
            SendMidi(port, [message.hex() for message in messages], approved)
        )
        if "refused" in answer:
            raise NotAllowed(answer["refused"])
        if "error" in answer:
            raise ActionFailed(answer["error"])

    async def request_sysex(self, port: str, data: bytes) -> tuple[ConfigPlan, str]:
        request = SysexRequest(port, data)
        plan = await asyncio.to_thread(self._parts.plans.propose_plan, request, self._requester)
        return plan, self._tokens.create_token(port, data, plan.plan_id)

    async def send_approved_sysex(self, port: str, data: bytes, token: str) -> None:
        plan_id = self._tokens.find_plan_id(token, port, data)
        await asyncio.to_thread(self._parts.plans.mark_plan_used, plan_id, self._requester)
        self._tokens.invalidate_token(token)
        await self._send_messages(port, [data], approved=True)


class AppRequestContext(AppReadContext):
    """Implements `tools.context.RequestContext` for tools that apply a plan once the user has approved it."""

    def __init__(self, parts: ContextParts, by: Requester) -> None:
        super().__init__(parts, by)
        self._requester = by

    @property
    def requester(self) -> Requester:
        return self._requester

    async def apply_if_approved(self, plan_id: str) -> ConfigPlan:
        return await asyncio.to_thread(self._parts.plans.apply_plan, plan_id, self._requester)


class AppSkillContext(AppReadContext):
    """Implements `tools.context.SkillContext` for the capabilities of the assistant."""

    def __init__(self, parts: ContextParts, by: Requester) -> None:
        super().__init__(parts, by)
        self._requester = by

    @property
    def requester(self) -> Requester:
        return self._requester

    @property
    def abilities(self) -> Abilities:
        return self._parts.abilities


class AppContexts:
    """Implements `tools.executor.ContextFactory`, which creates a context for each tool call."""

    def __init__(self, parts: ContextParts) -> None:
        self._parts = parts
        self._tokens = SysexApprovalTokens()

    def build_read_context(self, by: Requester | None = None) -> ReadContext:
        return AppReadContext(self._parts, by)

    def build_runtime_context(self, by: Requester) -> RuntimeContext:
        return AppRuntimeContext(self._parts, by)

    def build_hardware_context(self, by: Requester) -> HardwareContext:
        return AppHardwareContext(self._parts, self._tokens, by)

    def build_request_context(self, by: Requester) -> RequestContext:
        return AppRequestContext(self._parts, by)

    def build_skill_context(self, by: Requester) -> SkillContext:
        return AppSkillContext(self._parts, by)

    def config(self) -> Config:
        return self._parts.store.current_config

    def propose(
        self,
        proposal: Proposal,
        by: Requester,
        examples: tuple[Example, ...],
        *,
        privileged: bool,
    ) -> ConfigPlan:
        self._require_installed(proposal)
        return self._parts.plans.propose_plan(proposal, by, examples, privileged=privileged)

    def _require_installed(self, proposal: Proposal) -> None:
        """Check that every MCP server that a proposal enables is installed.

        Raises:
            InvalidParams: A server is not installed. The message lists those that are.
        """
        known = [*self._parts.list_server_names(), *self.config().skills.servers]
        for change in proposal:
            skills = change.settings.get("skills") if isinstance(change, UpdateSettings) else None
            names = cast(JsonObject, skills).get("servers") if isinstance(skills, dict) else None
            for name in cast("list[Any]", names) if isinstance(names, list) else ():
                if name not in known:
                    hint = format_suggestion(str(name), known) or "; no plugins are installed"
                    raise InvalidParams(
                        f"Invalid plugin: '{str(name)[:60]}' is not installed{hint}"
                    )
