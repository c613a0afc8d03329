"""Provides the tool contexts of a benchmark case: a real config, real plans and an in-process engine."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, cast

from conductor import __version__
from conductor.config.plans import Plans
from conductor.config.store import ConfigStore
from conductor.domain.config import Config
from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
from conductor.domain.engine_replies import SwitchModeReply
from conductor.domain.events import CapturedEvents, InputEvent
from conductor.domain.knowledge import ScoredChunk
from conductor.domain.knowledge_domains import Domain
from conductor.domain.plan import ConfigPlan, Example, Proposal, Requester, SysexRequest
from conductor.domain.servers import ServerView
from conductor.domain.validate import Problem, Report, format_unknown_mode
from conductor.domain.wire_rows import DeviceRow, ExplainedTraceRow, StatusRow
from conductor.errors import NotAvailable, UnknownMode
from conductor.evaluation.benchmark_engine import BenchmarkEngine
from conductor.evaluation.case import Stage
from conductor.evaluation.shipped import load_knowledge, load_skills
from conductor.storage.history import History
from conductor.tools.capabilities import Abilities
from conductor.tools.context import (
    ConfigVersion,
    HardwareContext,
    ReadContext,
    RequestContext,
    RuntimeContext,
    SkillContext,
)
from conductor.tools.registry import Tool
from conductor.tools.sysex import SysexApprovalTokens
from conductor.tools.versions import list_versions


class DiscoveryOnlyAbilities:
    """The capabilities that the model has in a case: it can only search Conductor's own tools."""

    def __init__(self, tools: Callable[[], Sequence[Tool]]) -> None:
        self.tools = tools

    def __getattr__(self, name: str) -> Any:
        raise NotAvailable("a benchmark case has no capabilities besides mapping")


class Context:
    """The tool contexts of all tiers in one object. The executor decides which of them a tool receives."""

    def __init__(
        self,
        store: ConfigStore,
        plans: Plans,
        stage: Stage,
        benchmark_engine: BenchmarkEngine,
        send: Callable[[str, bytes], None],
        history: History,
    ) -> None:
        self._store = store
        self._plans = plans
        self._stage = stage
        self._benchmark_engine = benchmark_engine
        self._send = send
        self._history = history
        self._tokens = SysexApprovalTokens()
        self._by = Requester(caller="chat")
        self.tools: Callable[[], Sequence[Tool]] = tuple
        """Returns the tools that the model may call; set after the executor was created."""

    @property
    def config(self) -> Config:
        return self._store.current_config

    @property
    def config_text(self) -> str:
        return self._store.config_text

    @property
    def config_hash(self) -> str:
        return self._store.config_hash

    @property
    def config_path(self) -> str:
        return "~/.conductor/config.toml"

    @property
    def report(self) -> Report:
        return self._store.snapshot.report

    @property
    def problems(self) -> tuple[Problem, ...]:
        return self._store.problems

    @property
    def requester(self) -> Requester:
        return self._by

    @property
    def abilities(self) -> Abilities:
        return cast("Abilities", DiscoveryOnlyAbilities(self.tools))

    def list_devices(self) -> list[DeviceRow]:
        return [device.to_row() for device in self._stage.devices]

    async def list_plugins(self) -> Sequence[ServerView]:
        return ()

    async def find_missing_parts(self) -> Sequence[Problem]:
        return ()

    def get_active_mode(self) -> str:
        return self._benchmark_engine.active_mode

    async def read_status(self) -> StatusRow:
        inputs = [one for one in self.list_devices() if one["connected"]]
        first = inputs[0]["port_name"] if inputs else None
        return {
            "daemon_running": True,
            "lifecycle_state": "Running",
            "connected": bool(inputs),
            "device_connected": bool(inputs),
            "device": {"name": first, "port": 0, "last_event_at": None} if first else None,
            "uptime_secs": 60,
            "input_mode": "MidiOnly",
            "statistics": {
                "events_processed": len(self._benchmark_engine.events),
                "actions_executed": 0,
            },
            "version": __version__,
            "demo": False,
            "mode": self._benchmark_engine.active_mode,
            "profile": self._benchmark_engine.active_profile,
            "app_in_front": list(self._benchmark_engine.app),
            "paused": False,
            "mappings": sum(1 for _ in self.config.list_all_mappings()),
            "held_keys": [],
            "input_route": None,
            "input_consent": None,
            "window": "Qt window",
            "failures": [],
            "problems": [],
            "conflicts": None,
            "notices": [],
            "config": {
                "path": self.config_path,
                "hash": self._store.config_hash,
                "valid": True,
                "active": True,
                "problems": [],
            },
            "engine": {"pid": None, "running": True, "restarts": 0},
            "devices": self.list_devices(),
        }

    def read_control_names(self) -> ControlNames:
        return NO_CONTROL_NAMES

    async def list_recent_events(self, limit: int) -> list[InputEvent]:
        return self._benchmark_engine.events[-limit:]

    async def list_captured_events(self) -> CapturedEvents:
        return self._benchmark_engine.get_captured_events()

    async def explain_event(self, sequence: int | None) -> ExplainedTraceRow | None:
        return self._benchmark_engine.explain_event(sequence)

    async def get_plan(self, plan_id: str) -> ConfigPlan:
        return self._plans.get_plan(plan_id)

    async def list_plans(self) -> Sequence[ConfigPlan]:
        return self._plans.list_plans()

    async def hides_plans(self) -> bool:
        return False

    async def list_versions(self, limit: int, before: int | None) -> Sequence[ConfigVersion]:
        return list_versions(self._history, limit, before)

    async def search_knowledge(
        self, query: str, k: int, domain: Domain | None
    ) -> Sequence[ScoredChunk]:
        return await asyncio.to_thread(load_knowledge().search_chunks, query, k, domain)

    async def read_skill(self, name: str, file: str, start: int) -> tuple[str, int | None]:
        return await asyncio.to_thread(load_skills().render_file, name, file, start)

    async def switch_mode(self, mode: str) -> SwitchModeReply:
        names = [one.name for one in self.config.modes]
        if mode not in names:
            raise UnknownMode(format_unknown_mode(self.config, mode))
        self._benchmark_engine.switch_mode(mode)
        index = names.index(mode)
        return {
            "success": True,
            "mode_name": mode,
            "mode_index": index,
            "total_modes": len(names),
        }

    async def set_device_enabled(self, device_id: str, *, enabled: bool) -> None:
        return

    async def set_device_connected(self, device_id: str, *, connected: bool) -> None:
        return

    async def rescan(self) -> None:
        return

    async def start_learn(self, timeout_ms: int) -> None:
        self._benchmark_engine.start_learning()

    async def stop_learn(self) -> CapturedEvents:
        return self._benchmark_engine.stop_learning()

    def panic(self) -> None:
        return

    async def send_midi(self, port: str, messages: Sequence[bytes]) -> None:
        for message in messages:
            self._send(port, message)

    async def request_sysex(self, port: str, data: bytes) -> tuple[ConfigPlan, str]:
        request = SysexRequest(port, data)
        plan = await asyncio.to_thread(self._plans.propose_plan, request, self._by)
        return plan, self._tokens.create_token(port, data, plan.plan_id)

    async def send_approved_sysex(self, port: str, data: bytes, token: str) -> None:
        plan_id = self._tokens.find_plan_id(token, port, data)
        await asyncio.to_thread(self._plans.mark_plan_used, plan_id, self._by)
        self._tokens.invalidate_token(token)
        self._send(port, data)

    async def apply_if_approved(self, plan_id: str) -> ConfigPlan:
        return await asyncio.to_thread(self._plans.apply_plan, plan_id, self._by)


class Contexts:
    """Creates the tool contexts of a case. Implements `tools.executor.ContextFactory`."""

    def __init__(self, context: Context, plans: Plans) -> None:
        self._context = context
        self._plans = plans

    def build_read_context(self, by: Requester) -> ReadContext:
        return self._context

    def build_runtime_context(self, by: Requester) -> RuntimeContext:
        return self._context

    def build_hardware_context(self, by: Requester) -> HardwareContext:
        return self._context

    def build_request_context(self, by: Requester) -> RequestContext:
        return self._context

    def build_skill_context(self, by: Requester) -> SkillContext:
        return self._context

    def config(self) -> Config:
        return self._context.config

    def propose(
        self,
        proposal: Proposal,
        by: Requester,
        examples: tuple[Example, ...],
        *,
        privileged: bool,
    ) -> ConfigPlan:
        return self._plans.propose_plan(proposal, by, examples, privileged=privileged)
