"""The socket commands that only the user at a terminal may send, grouped by subject."""

import os
from collections.abc import Callable, Mapping
from typing import NamedTuple, get_args

from conductor.base.json_types import JsonObject
from conductor.config.plans import Plans
from conductor.config.store import ConfigStore
from conductor.domain.approvals import Decision
from conductor.domain.engine_protocol import AskForConsent
from conductor.domain.plan import ConfigPlan, Requester
from conductor.errors import ActionFailed, InvalidParams
from conductor.mcp.params import require_text_param
from conductor.mcp.server.chat_plans import ChatPlans
from conductor.mcp.server.connection import CHAT_METHOD_PREFIX
from conductor.mcp.server.methods import (
    APPROVALS_PREFIX,
    DESKTOP_PREFIX,
    PLAY_METHOD,
    RECORDING_PREFIX,
    STOP_METHOD,
)
from conductor.mcp.server.peer import Peer
from conductor.runtime.recording import RecordingStore
from conductor.runtime.supervisor import EngineSupervisor
from conductor.runtime.virtual_play import play_gestures
from conductor.tools.approval.approvals import Approvals

CommandResult = tuple[str, JsonObject]
"""The detail for the audit log, and the result for the client."""


class TerminalCommand(NamedTuple):
    """A socket command for the user at a terminal, with its tier and its handler."""

    tier: str | None
    """The tier in the audit log.

    A privileged command must come from a process that runs only Conductor's code.
    """
    run: Callable[[JsonObject, Requester], CommandResult]


class DecisionCommands:
    """Handles the user's decisions on plans and on tool calls that wait for approval."""

    def __init__(
        self, plans: Plans, approvals: Approvals, store: ConfigStore, chat_plans: ChatPlans
    ) -> None:
        self._plans = plans
        self._approvals = approvals
        self._store = store
        self._chat_plans = chat_plans
        self.by_name: Mapping[str, TerminalCommand] = {
            "terminal.approve": TerminalCommand("privileged", self._approve_plan),
            "terminal.reject": TerminalCommand("privileged", self._reject_plan),
            f"{CHAT_METHOD_PREFIX}approve": TerminalCommand("privileged", self._approve_plan),
            f"{CHAT_METHOD_PREFIX}reject": TerminalCommand("privileged", self._reject_plan),
            f"{APPROVALS_PREFIX}list": TerminalCommand(None, self._list_approvals),
            f"{APPROVALS_PREFIX}ask": TerminalCommand("privileged", self._decide_approval),
            f"{APPROVALS_PREFIX}allow": TerminalCommand("privileged", self._decide_approval),
            f"{APPROVALS_PREFIX}deny": TerminalCommand("privileged", self._decide_approval),
        }

    def require_plan_shown(self, params: JsonObject, peer: Peer | None) -> None:
        """Check that the chat on this connection created the plan and showed it in full.

        Raises:
            NotAllowed: The plan must be approved elsewhere.
        """
        stored = self._plans.get_stored_plan(require_text_param(params, "plan_id"))
        connection = None if peer is None else peer.connection
        self._chat_plans.require_approvable_plan(
            stored, self._store.config_text, params.get("diff_hash"), connection
        )

    def _approve_plan(self, params: JsonObject, by: Requester) -> CommandResult:
        plan = self._plans.approve_plan(require_text_param(params, "plan_id"), by)
        if params.get("apply") is True and plan.kind != "sysex":
            plan = self._plans.apply_plan(plan.plan_id, by)
        return _build_plan_decision_result(plan)

    def _reject_plan(self, params: JsonObject, by: Requester) -> CommandResult:
        reason = params.get("reason")
        text = reason if isinstance(reason, str) else ""
        return _build_plan_decision_result(
            self._plans.reject_plan(require_text_param(params, "plan_id"), by, text[:300])
        )

    def _list_approvals(self, _params: JsonObject, _by: Requester) -> CommandResult:
        waiting = [one.model_dump(mode="json") for one in self._approvals.list_pending()]
        return f"{len(waiting)} pending", {"approvals": waiting}

    def _decide_approval(self, params: JsonObject, by: Requester) -> CommandResult:
        requested = require_text_param(params, "decision")
        decision = next((one for one in get_args(Decision) if one == requested), None)
        if decision is None:
            raise InvalidParams(f"`decision` is one of {', '.join(get_args(Decision))}")
        view = self._approvals.decide_request(
            require_text_param(params, "approval_id"), decision, by
        )
        return f"{view.tool} {view.state} ({decision})", view.model_dump(mode="json")


class RuntimeCommands:
    """Handles commands for the virtual controller, the recording and the desktop, and ends Conductor."""

    def __init__(
        self, engine: EngineSupervisor, recording: RecordingStore, quit_app: Callable[[], None]
    ) -> None:
        self._engine = engine
        self._quit_app = quit_app
        self._recording = recording
        self.by_name: Mapping[str, TerminalCommand] = {
            PLAY_METHOD: TerminalCommand("stateful", self._play_gestures),
            f"{RECORDING_PREFIX}status": TerminalCommand(None, self._read_recording_status),
            f"{RECORDING_PREFIX}clear": TerminalCommand("stateful", self._clear_recording),
            f"{DESKTOP_PREFIX}ask": TerminalCommand("stateful", self._ask_for_consent),
            STOP_METHOD: TerminalCommand("privileged", self._stop_conductor),
        }

    def _play_gestures(self, params: JsonObject, _by: Requester) -> CommandResult:
        result = play_gestures(require_text_param(params, "gestures"), self._engine.send)
        return f"{result['played']} played", {**result}

    def _read_recording_status(self, _params: JsonObject, _by: Requester) -> CommandResult:
        status = self._recording.status()
        return f"{status['entries']} entries", {**status}

    def _clear_recording(self, _params: JsonObject, _by: Requester) -> CommandResult:
        cleared = self._recording.clear()
        return f"{cleared['entries']} entries deleted", {**cleared}

    def _ask_for_consent(self, _params: JsonObject, _by: Requester) -> CommandResult:
        answer = self._engine.send_request(AskForConsent())
        if answer["error"]:
            raise ActionFailed(answer["error"])
        return "the desktop asks the user", {"asking": True}

    def _stop_conductor(self, _params: JsonObject, _by: Requester) -> CommandResult:
        self._quit_app()
        return "stopping", {"pid": os.getpid()}


def _build_plan_decision_result(plan: ConfigPlan) -> CommandResult:
    return f"plan {plan.plan_id} {plan.status}", plan.model_dump(mode="json")
