"""Answers the bare JSON-RPC lines of the socket: tools, and what only the user at a terminal may ask for."""

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Protocol, get_args

from conductor.base.json_types import JsonObject
from conductor.config.plans import Plans
from conductor.config.store import ConfigStore
from conductor.domain.approvals import Decision
from conductor.domain.plan import AT_TERMINAL, ConfigPlan, Requester
from conductor.domain.settings import LlmMcp
from conductor.errors import InvalidParams, NotAllowed
from conductor.mcp.registry import terminal
from conductor.mcp.registry.servers import Servers
from conductor.mcp.registry.terminal import READ_ONLY, SERVERS
from conductor.mcp.server.access import is_closed_to
from conductor.mcp.server.chat_plans import ChatPlans
from conductor.mcp.server.connection import CHAT, WATCH
from conductor.mcp.server.deps import Gate
from conductor.mcp.server.methods import APPROVALS, PAGE, PAGES, PLAY, RECORDING, WINDOW
from conductor.mcp.server.peer import Peer
from conductor.mcp.server.terminal_chat import TerminalChat
from conductor.mcp.server.terminal_user import (
    build_bare_requester,
    is_user,
    require_own_code,
    require_user,
    resolve_caller,
)
from conductor.runtime.recording import RecordingStore
from conductor.runtime.supervisor import EngineSupervisor
from conductor.runtime.virtual_play import play_gestures
from conductor.storage.audit import AuditEntry, AuditLog, RecordedCall
from conductor.tools.approval.approvals import Approvals
from conductor.tools.arguments import redact_arguments

Answer = tuple[str, JsonObject]
"""The detail for the audit log, and the reply."""


class SecondStarts(Protocol):
    """Serves a second start of `conductor`; implemented in `app`."""

    async def show_window(self, params: JsonObject, *, is_user: bool) -> JsonObject: ...
    async def run_command(self, name: str, params: JsonObject, by: Requester) -> Answer: ...


class RequestHandler:
    """Answers the bare JSON-RPC lines of the socket, most of which are for the user at a terminal."""

    def __init__(
        self,
        gate: Gate,
        settings: Callable[[], LlmMcp],
        plans: Plans,
        approvals: Approvals,
        audit: AuditLog,
        store: ConfigStore,
        engine: EngineSupervisor,
        recording: RecordingStore,
        servers: Servers,
        starts: SecondStarts,
        chat: TerminalChat,
        chat_plans: ChatPlans,
        *,
        read_only_because: str | None,
    ) -> None:
        self._gate = gate
        self._settings = settings
        self._plans = plans
        self._approvals = approvals
        self._audit = audit
        self._store = store
        self._engine = engine
        self._recording = recording
        self._servers = servers
        self._starts = starts
        self._chat = chat
        self._chat_plans = chat_plans
        self._read_only_because = read_only_because
        self._terminal: dict[str, tuple[str | None, Callable[[JsonObject, Requester], Answer]]] = {
            "terminal.approve": ("privileged", self._approve_plan),
            "terminal.reject": ("privileged", self._reject_plan),
            f"{CHAT}approve": ("privileged", self._approve_plan),
            f"{CHAT}reject": ("privileged", self._reject_plan),
            PLAY: ("stateful", self._play_control),
            f"{RECORDING}status": (None, self._recording_status),
            f"{RECORDING}clear": ("stateful", self._clear_recording),
            f"{APPROVALS}list": (None, self._list_approvals),
            f"{APPROVALS}ask": ("privileged", self._decide_approval),
            f"{APPROVALS}allow": ("privileged", self._decide_approval),
            f"{APPROVALS}deny": ("privileged", self._decide_approval),
        }

    def may_watch(self, peer: Peer | None) -> bool:
        """Return whether a connection that watches the monitor may continue to."""
        return not is_closed_to(self._settings(), build_bare_requester(peer))

    async def answer(self, name: str, params: JsonObject, peer: Peer | None) -> JsonObject:
        """Answer a bare line of the socket.

        Raises:
            ConductorError: the call was refused or failed.
        """
        if name in self._terminal:
            return await asyncio.to_thread(self._answer_terminal, name, params, peer)
        if name.startswith(CHAT):
            with self._audit_user_call(name, "stateful", params, peer):
                return await self._chat.answer(name.removeprefix(CHAT), params, peer)
        if name.startswith(SERVERS):
            tier = None if name.removeprefix(SERVERS) in READ_ONLY else "privileged"
            with self._audit_user_call(name, tier, params, peer) as (by, _entry):
                if tier is not None:
                    require_own_code(peer)
                    self._require_writable()
                return await terminal.answer(self._servers, name, params, by)
        if name == PAGE or name.startswith(PAGES):
            with self._audit_user_call(name, "privileged", params, peer) as (by, entry):
                require_own_code(peer)
                entry.detail, answer = await self._starts.run_command(name, params, by)
                return answer
        if name == WINDOW:
            return await self._starts.show_window(params, is_user=is_user(peer))
        if name == WATCH and self.may_watch(peer):
            return {"status": "watching"}
        return (await self._gate.call(name, params, resolve_caller(name, peer))).to_plain()

    def _answer_terminal(self, name: str, params: JsonObject, peer: Peer | None) -> JsonObject:
        tier, do = self._terminal[name]
        with self._audit_user_call(name, tier, params, peer) as (by, entry):
            if tier == "privileged":
                require_own_code(peer)
            if name == f"{CHAT}approve":
                self._require_shown(params, peer)
            entry.detail, answer = do(params, by)
        return answer

    def _require_writable(self) -> None:
        if self._read_only_because is not None:
            raise NotAllowed(self._read_only_because)

    def _require_shown(self, params: JsonObject, peer: Peer | None) -> None:
        stored = self._plans.get_stored(_require_text(params, "plan_id"))
        connection = None if peer is None else peer.connection
        self._chat_plans.require(stored, self._store.text, params.get("diff_hash"), connection)

    @contextmanager
    def _audit_user_call(
        self, name: str, tier: str | None, params: JsonObject, peer: Peer | None
    ) -> Generator[tuple[Requester, AuditEntry]]:
        """Allow and log a call that only the user may make, with the `conductor` command at a terminal."""
        by = build_bare_requester(peer)
        logged = {key: item for key, item in params.items() if key != "parts"}
        entry = AuditEntry.for_call(by, name, tier, redact_arguments(logged))
        with RecordedCall(self._audit, entry):
            require_user(name, params, peer)
            yield by.model_copy(update={"caller": "cli", "client": AT_TERMINAL}), entry

    def _play_control(self, params: JsonObject, _by: Requester) -> Answer:
        result = play_gestures(_require_text(params, "gestures"), self._engine.send)
        return f"{result['played']} played", {**result}

    def _recording_status(self, _params: JsonObject, _by: Requester) -> Answer:
        status = self._recording.status()
        return f"{status['entries']} entries", {**status}

    def _clear_recording(self, _params: JsonObject, _by: Requester) -> Answer:
        cleared = self._recording.clear()
        return f"{cleared['entries']} entries forgotten", {**cleared}

    def _approve_plan(self, params: JsonObject, by: Requester) -> Answer:
        plan = self._plans.approve(_require_text(params, "plan_id"), by)
        if params.get("apply") is True and plan.kind != "sysex":
            plan = self._plans.apply(plan.plan_id, by)
        return _to_decision_answer(plan)

    def _reject_plan(self, params: JsonObject, by: Requester) -> Answer:
        reason = params.get("reason")
        words = reason if isinstance(reason, str) else ""
        return _to_decision_answer(
            self._plans.reject(_require_text(params, "plan_id"), by, words[:300])
        )

    def _list_approvals(self, _params: JsonObject, _by: Requester) -> Answer:
        waiting = [one.model_dump(mode="json") for one in self._approvals.pending()]
        return f"{len(waiting)} wait", {"approvals": waiting}

    def _decide_approval(self, params: JsonObject, by: Requester) -> Answer:
        said = _require_text(params, "decision")
        decision = next((one for one in get_args(Decision) if one == said), None)
        if decision is None:
            raise InvalidParams(f"`decision` is one of {', '.join(get_args(Decision))}")
        view = self._approvals.decide(_require_text(params, "approval_id"), decision, by)
        return f"{view.tool} {view.state} ({decision})", view.model_dump(mode="json")


def _to_decision_answer(plan: ConfigPlan) -> Answer:
    return f"plan {plan.plan_id} {plan.status}", plan.model_dump(mode="json")


def _require_text(params: JsonObject, name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise InvalidParams(f"Invalid params: `{name}` must be a text")
    return value
