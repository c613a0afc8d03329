"""The gate of a running Conductor: its plans, its tools' executor, its audit log, and who is calling."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import Any, Protocol, get_args

from pydantic import TypeAdapter

from conductor.app.contexts import AppContexts
from conductor.app.lazy_knowledge import LazyKnowledge
from conductor.app.lazy_skills import LazySkills
from conductor.app.records import Records
from conductor.app.second_start import PAGE, PAGES, WINDOW, SecondStarts
from conductor.app.surroundings import find_missing
from conductor.app.terminal_user import (
    APPROVALS,
    PLAY,
    RECORDING,
    bare,
    caller_for,
    is_user,
    require_own_code,
    require_user,
)
from conductor.config.plans import OUTCOME_UNKNOWN, TTL_S, Plans
from conductor.domain.actions import Action
from conductor.domain.approvals import Decision
from conductor.domain.engine_protocol import GetRecentEvents
from conductor.domain.events import InputEvent
from conductor.domain.plan import AT_TERMINAL, ConfigPlan, Requester, StoredPlan
from conductor.domain.settings import LlmMcp
from conductor.domain.trace import event_from_plain
from conductor.errors import ActionFailed, InvalidParams, NotAllowed
from conductor.mcp.registry import terminal
from conductor.mcp.registry.servers import Servers
from conductor.mcp.registry.terminal import READ_ONLY, SERVERS
from conductor.mcp.server.access import CLOSED, is_closed_to
from conductor.mcp.server.chat_plans import ChatPlans
from conductor.mcp.server.connection import CHAT, WATCH
from conductor.mcp.server.peer import Peer
from conductor.runtime.recording import RecordingStore
from conductor.runtime.status import Running
from conductor.runtime.virtual_play import play
from conductor.storage.audit import AuditEntry, AuditLog, RecordedCall
from conductor.tools.action_performer import ActionPerformer
from conductor.tools.approval.approvals import Approvals
from conductor.tools.arguments import for_log
from conductor.tools.capabilities import Abilities
from conductor.tools.catalog import REGISTRY
from conductor.tools.change_prover import EngineProver
from conductor.tools.example_watch import ExampleWatch
from conductor.tools.executor import Executor, Outcome
from conductor.tools.plugin_calls import PluginCalls
from conductor.tools.registry import Tool

TTL_VARIABLE = "CONDUCTOR_PLAN_TTL_SECONDS"
DEMO = "this is the demo, whose config is not saved; start `conductor run` without it"
Params = dict[str, Any]
Answer = tuple[str, Params]
"""What the audit log is told, and what goes back."""


class WithRecords(Running, Protocol):
    records: Records
    recording: RecordingStore
    plans: Plans
    knowledge: LazyKnowledge
    skills: LazySkills
    servers: Servers
    plugin_calls: PluginCalls
    starts: SecondStarts

    @property
    def abilities(self) -> Abilities: ...


class RequestHandler:
    """Everything between a door and what a tool does."""

    def __init__(self, app: WithRecords, notify: Callable[[str], None]) -> None:
        self._app = app
        self._notify = notify
        self._audit_notice = ""
        self.audit = AuditLog(app.records.store_audit, self._on_audit_trouble)
        self.prover = EngineProver(app.recording.read, app.records.examples, self._ports)
        self.plans = Plans(
            app.store,
            self.prover,
            app.records.plans,
            self._perform,
            ttl_s=plan_ttl_s(),
            locked_because=DEMO if app.demo else None,
            find_missing=lambda config: find_missing(app, config),
        )
        self.examples = ExampleWatch(
            app.store,
            app.records.examples,
            app.records.history,
            self._withdraw_notice,
            self.plans.wait_until_idle,
        )
        self.contexts = AppContexts(app)
        self.approvals = Approvals(app.records.grants, lambda: app.store.current)
        self._executor = Executor(
            REGISTRY,
            self.contexts,
            self.settings,
            self.audit,
            skills=app.servers.runs.settings,
            permission=self.approvals,
            missing=self._why_missing,
        )
        self._terminal: dict[str, tuple[str | None, Callable[[Params, Requester], Answer]]] = {
            "terminal.approve": ("privileged", self._approve),
            "terminal.reject": ("privileged", self._reject),
            f"{CHAT}approve": ("privileged", self._approve),
            f"{CHAT}reject": ("privileged", self._reject),
            PLAY: ("stateful", self._play),
            f"{RECORDING}status": (None, self._recording_status),
            f"{RECORDING}clear": ("stateful", self._clear_recording),
            f"{APPROVALS}list": (None, self._approvals),
            f"{APPROVALS}ask": ("privileged", self._decide),
            f"{APPROVALS}allow": ("privileged", self._decide),
            f"{APPROVALS}deny": ("privileged", self._decide),
        }
        self.chat_plans = ChatPlans()
        self._performer = ActionPerformer(app, self.approvals)
        self.chat: Callable[[str, Params, Peer | None], Awaitable[Params]] = _no_chat
        """What else the user at a terminal asks of the chat."""

    def close(self) -> None:
        """Deny what still waits, and write what is left of the audit log."""
        self.prover.close()
        self.approvals.deny_all()
        self.examples.close()
        self.audit.close()

    def settings(self) -> LlmMcp:
        """Return the user's rules for agents as they are now."""
        return self._app.store.current.llm.mcp

    def tools(self) -> tuple[Tool, ...]:
        """Return the tools that agents may call now; skills only where the user names their toolset."""
        return self._executor.offered() if self.settings().enabled else ()

    def _ports(self) -> dict[str, str]:
        """Return the port of each device that is plugged in."""
        return {one["device_id"]: one["port_name"] for one in self._app.devices if one["connected"]}

    def _on_audit_trouble(self, problem: str | None) -> None:
        if problem is None:
            self._withdraw_notice(self._audit_notice)
            return
        self._audit_notice = (
            f"What programs ask for is refused, because it cannot be recorded: {problem}"
        )
        self._notify(self._audit_notice)

    def _withdraw_notice(self, text: str) -> None:
        self._app.notices = [one for one in self._app.notices if one != text]

    def _why_missing(self, name: str) -> str | None:
        """Return why a server's tool is not there, as the monitor does."""
        match name.split(":", 2):
            case ["mcp", server, tool]:
                return self._app.servers.why_missing(server, tool)
            case _:
                return None

    def refusal(self, tool: Tool) -> str | None:
        """Return why a tool cannot be called now, or None."""
        return self._executor.refusal(tool)

    def tools_of_chat(self) -> tuple[Tool, ...]:
        """Return the tools that the chat's model may call now."""
        return self._executor.tools()

    async def call(self, name: str, arguments: Params, requester: Requester) -> Outcome:
        """Call a tool; the outcome says how it went. While agents are shut out, theirs are refused."""
        if is_closed_to(self.settings(), requester):
            return self._shut_out(name, arguments, requester)
        return await self._executor.call(name, arguments, requester)

    def _shut_out(self, name: str, arguments: Params, by: Requester) -> Outcome:
        entry = AuditEntry.for_call(by, name[:80], None, for_log(arguments))
        entry.outcome, entry.detail, entry.duration_ms = NotAllowed.code, CLOSED, 0.0
        self.audit.write(entry)
        return Outcome(None, error=NotAllowed(CLOSED))

    def may_watch(self, peer: Peer | None) -> bool:
        """Return whether a connection that watches the monitor may go on with it."""
        return not is_closed_to(self.settings(), bare(peer))

    async def answer(self, name: str, params: Params, peer: Peer | None) -> Params:
        """Answer a bare line of the socket.

        Raises:
            ConductorError: the call was refused or failed.
        """
        if name in self._terminal:
            return await asyncio.to_thread(self._at_terminal, name, params, peer)
        if name.startswith(CHAT):
            with self._by_user(name, "stateful", params, peer):
                return await self.chat(name.removeprefix(CHAT), params, peer)
        if name.startswith(SERVERS):
            tier = None if name.removeprefix(SERVERS) in READ_ONLY else "privileged"
            with self._by_user(name, tier, params, peer) as (by, _entry):
                if tier is not None:
                    require_own_code(peer)
                    self._require_writable()
                return await terminal.answer(self._app.servers, name, params, by)
        if name == PAGE or name.startswith(PAGES):
            with self._by_user(name, "privileged", params, peer) as (by, entry):
                require_own_code(peer)
                entry.detail, answer = await self._app.starts.answer(name, params, by)
                return answer
        if name == WINDOW:
            return await self._app.starts.window(params, is_user=is_user(peer))
        if name == WATCH and self.may_watch(peer):
            return {"status": "watching"}
        return (await self.call(name, params, caller_for(name, peer))).plain()

    def _at_terminal(self, name: str, params: Params, peer: Peer | None) -> Params:
        tier, do = self._terminal[name]
        with self._by_user(name, tier, params, peer) as (by, entry):
            if tier == "privileged":
                require_own_code(peer)
            if name == f"{CHAT}approve":
                self._require_shown(params, peer)
            entry.detail, answer = do(params, by)
        return answer

    def _require_writable(self) -> None:
        if self._app.demo:
            raise NotAllowed(DEMO)

    def _require_shown(self, params: Params, peer: Peer | None) -> None:
        stored = self.plans.stored(_text(params, "plan_id"))
        connection = None if peer is None else peer.connection
        self.chat_plans.require(stored, self._app.store.text, params.get("diff_hash"), connection)

    @contextmanager
    def _by_user(
        self, name: str, tier: str | None, params: Params, peer: Peer | None
    ) -> Generator[tuple[Requester, AuditEntry]]:
        """Allow and log a call that only the user may make, with the `conductor` command at a terminal."""
        by = bare(peer)
        logged = {key: item for key, item in params.items() if key != "parts"}
        entry = AuditEntry.for_call(by, name, tier, for_log(logged))
        with RecordedCall(self.audit, entry):
            require_user(name, params, peer)
            yield by.model_copy(update={"caller": "cli", "client": AT_TERMINAL}), entry

    def _play(self, params: Params, _by: Requester) -> Answer:
        result = play(_text(params, "gestures"), self._app.engine.send)
        return f"{result['played']} played", {**result}

    def _recording_status(self, _params: Params, _by: Requester) -> Answer:
        status = self._app.recording.status()
        return f"{status['entries']} entries", {**status}

    def forget_recording(self) -> None:
        self.prover.forget()

    def _clear_recording(self, _params: Params, _by: Requester) -> Answer:
        cleared = self._app.recording.clear()
        return f"{cleared['entries']} entries forgotten", {**cleared}

    def _approve(self, params: Params, by: Requester) -> Answer:
        plan = self.plans.approve(_text(params, "plan_id"), by)
        if params.get("apply") is True and plan.kind != "sysex":
            plan = self.plans.apply(plan.plan_id, by)
        return _decided(plan)

    def _reject(self, params: Params, by: Requester) -> Answer:
        reason = params.get("reason")
        words = reason if isinstance(reason, str) else ""
        return _decided(self.plans.reject(_text(params, "plan_id"), by, words[:300]))

    def _approvals(self, _params: Params, _by: Requester) -> Answer:
        waiting = [one.model_dump(mode="json") for one in self.approvals.pending()]
        return f"{len(waiting)} wait", {"approvals": waiting}

    def _decide(self, params: Params, by: Requester) -> Answer:
        said = _text(params, "decision")
        decision = next((one for one in get_args(Decision) if one == said), None)
        if decision is None:
            raise InvalidParams(f"`decision` is one of {', '.join(get_args(Decision))}")
        view = self.approvals.decide(_text(params, "approval_id"), decision, by)
        return f"{view.tool} {view.state} ({decision})", view.model_dump(mode="json")

    def _perform(self, stored: StoredPlan) -> bool:
        action = TypeAdapter[Action](Action).validate_python(stored.action)
        plan_id = stored.plan.plan_id
        return self._performer.perform(action, lambda end: self.plans.record_outcome(plan_id, end))

    def perform(self, action: Action) -> None:
        """Perform an action once, which the user has said yes to.

        Raises:
            ActionFailed: it could not be done, or it is not known whether it was.
            NotAvailable: the engine does not answer.
        """
        if not self._performer.perform(action):
            raise ActionFailed(OUTCOME_UNKNOWN)

    def recent_events(self, limit: int) -> list[InputEvent]:
        """Return recent events, the oldest first."""
        answer = self._app.engine.ask(GetRecentEvents(limit))
        return [event_from_plain(plain) for plain in answer["events"]]


async def _no_chat(_verb: str, _params: Params, _peer: Peer | None) -> Params:
    raise NotAllowed("the chat is not there yet; try again")


def _decided(plan: ConfigPlan) -> Answer:
    return f"plan {plan.plan_id} {plan.status}", plan.model_dump(mode="json")


def plan_ttl_s() -> float:
    """Return how long a plan can be applied."""
    try:
        seconds = float(os.environ.get(TTL_VARIABLE, TTL_S))
    except ValueError:
        return TTL_S
    return seconds if 0 < seconds <= 86_400 else TTL_S


def _text(params: Params, name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise InvalidParams(f"Invalid params: `{name}` must be a text")
    return value
