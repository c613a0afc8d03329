"""Asks the user to allow tool calls, and manages the pending and decided requests.

Calls of the chat and of the page wait for the decision. Calls of other programs never wait, because their
clients time out early. Such a call is refused with the id of its request. After the user has allowed the
request, the same call succeeds once.
"""

import asyncio
import json
import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import RLock
from typing import TYPE_CHECKING, Any, NoReturn

from conductor.base.json_types import JsonObject
from conductor.domain.approvals import ApprovalState, ApprovalView, Decision, GrantView
from conductor.domain.config import Config
from conductor.domain.plan import USER_CALLERS, Requester
from conductor.domain.storable import make_storable
from conductor.errors import InvalidParams, NotAllowed, NotApproved, UnknownApproval
from conductor.tools.approval.permission import PermissionRequest
from conductor.tools.approval.policy import (
    GrantPolicy,
    build_grant_view,
    build_requester_key,
    describe_requester,
    format_tool_title,
)
from conductor.tools.approval.scope import build_scope
from conductor.tools.approval.scope_words import MAX_SCOPE_TEXT_LENGTH, describe_scope

if TYPE_CHECKING:
    from conductor.storage.grants import Grants

log = logging.getLogger(__name__)

APPROVAL_TIMEOUT_S = 300.0
MAX_PENDING_REQUESTS = 20
"""The maximum number of pending requests of one caller."""
MAX_PENDING_PROGRAM_REQUESTS = 100
"""The maximum number of pending requests of all programs together.

A single program could get around its own limit by changing its name.
"""
TIMEOUT_EXTENSION_S = 1.0
"""The time by which a timeout is postponed if it occurs while the user's decision is being saved."""
WAITING_CALLERS = ("chat", "window", "page")
"""Callers whose calls wait for the decision. Calls of all others are refused and can be repeated."""
ANONYMOUS_CALLER_REFUSAL = (
    "needs the user's approval, which is not possible over HTTP, because Conductor cannot identify the program"
    " that calls; connect with `conductor mcp` instead"
)
NO_USER_REFUSAL = (
    "needs your approval, and no window or terminal is open to ask: open Conductor's window, or use"
    " `conductor chat` at a terminal, and try again"
)


@dataclass
class ApprovalRequest:
    """A request for approval that is pending, or that was decided and not yet used by a repeated call."""

    view: ApprovalView
    request: PermissionRequest
    decided: asyncio.Future[None]
    decision: str = ""
    is_being_decided: bool = False
    """Whether the user has decided and the decision is being saved."""
    timer: asyncio.TimerHandle | None = None

    @property
    def is_open(self) -> bool:
        return self.view.state == "pending" and not self.is_being_decided


class Approvals:
    """Manages the requests for the user's approval of tool calls. Implements
    `tools.approval.permission.Permission`.

    `require_permission` runs on the event loop, and `deny_after_last_page_closed` may run there. The other
    methods may run in any thread. They may write to the disk, but not while they hold the lock, because the
    event loop needs it too. `on_change` is called with each new state of a request. `is_user_present`
    returns whether a page or a terminal could answer now.
    """

    def __init__(
        self,
        grants: Callable[[], "Grants"],
        config: Callable[[], Config],
        on_change: Callable[[ApprovalView], None],
        is_user_present: Callable[[], bool],
        *,
        timeout_s: float = APPROVAL_TIMEOUT_S,
    ) -> None:
        self._grants = grants
        self._policy = GrantPolicy(grants, config)
        self._timeout_s = timeout_s
        self._questions: dict[str, ApprovalRequest] = {}
        self._lock = RLock()
        self._on_change = on_change
        self._is_user_present = is_user_present

    async def require_permission(self, request: PermissionRequest) -> str:
        """Wait until the user allows the call, and return how it was allowed, such as `once` or `always`.

        Raises:
            NotAllowed: The user refused, always refuses, or did not answer in time.
            NotApproved: The caller cannot wait. The user is asked, and the call can be repeated later.
        """
        _require_finite_numbers(request.arguments)
        verdict = await asyncio.to_thread(self._policy.evaluate_call, request)
        if verdict.allowed is not None:
            return verdict.allowed
        if request.by.is_anonymous:
            raise NotAllowed(f"{format_tool_title(request.tool)} {ANONYMOUS_CALLER_REFUSAL}")
        if request.by.caller not in WAITING_CALLERS:
            # No `await` may follow, because `_take_earlier_decision` has used up the approval.
            return self._take_earlier_decision(request) or self._ask_and_refuse(
                request, verdict.warnings
            )
        how = await self._ask_and_wait(request, verdict.warnings)
        await asyncio.to_thread(self._policy.record_allowed_call, request, verdict)
        return how

    def list_pending(self) -> list[ApprovalView]:
        """Return the requests that wait for the user's decision, oldest first."""
        with self._lock:
            views = [question.view for question in self._questions.values()]
        return [view for view in views if view.state == "pending"]

    def get_approval(self, approval_id: str) -> ApprovalView:
        """Return a request that is pending or was decided recently.

        Raises:
            UnknownApproval: No request has this id.
        """
        return self._get_request(approval_id).view

    def decide_request(self, approval_id: str, decision: Decision, by: Requester) -> ApprovalView:
        """Record the user's decision on a request. Only the first decision counts.

        Raises:
            UnknownApproval: No request has this id, or it has expired.
            NotAllowed: The request was already decided, or the caller may not decide.
            InvalidParams: The decision is not one of the choices for this call.
        """
        question = self._claim_request(approval_id, decision, by)
        try:
            self._policy.record_decision(question.request, decision)
        except Exception:
            # the decision could not be saved, so the user can decide again
            question.is_being_decided = False
            raise
        state: ApprovalState = "denied" if decision in ("deny", "never") else "allowed"
        with self._lock:
            if question.view.state != "pending":  # the call was cancelled in the meantime
                return question.view
            return self._close_request(question, state, decision)

    def deny_after_last_page_closed(self) -> None:
        """Deny the calls that wait, because the last page was closed and nobody can answer.

        Requests of other programs stay open, because the user can still decide them in a terminal.
        """
        self._deny_pending(WAITING_CALLERS)

    def deny_all_pending(self) -> None:
        """Deny all pending requests, because Conductor is shutting down."""
        self._deny_pending(None)

    def _deny_pending(self, callers: tuple[str, ...] | None) -> None:
        with self._lock:
            for question in list(self._questions.values()):
                asked_by = question.request.by.caller
                if question.is_open and (callers is None or asked_by in callers):
                    self._close_request(question, "denied")

    def allow_action(self, number: int, tools: frozenset[str]) -> None:
        """Allow the one-time action with this number to call these tools, because the user has approved
        the action.
        """
        self._policy.allow_action(number, tools)

    def forget_conversation(self, conversation_id: str) -> None:
        """Delete the permissions that the user gave in a conversation, because the conversation was deleted."""
        self._policy.forget_conversation(conversation_id)

    def list_grants(self) -> list[GrantView]:
        """Return the saved decisions of the user, newest first."""
        return [build_grant_view(grant) for grant in self._grants().list_grants()]

    def revoke_grant(self, grant_id: str) -> None:
        """Delete a saved decision, so that the user is asked again.

        Raises:
            UnknownApproval: No saved decision has this id.
        """
        if not self._grants().revoke_grants([grant_id]):
            raise UnknownApproval(
                "this decision is no longer stored; `grants.list` shows the stored ones"
            )

    async def _ask_and_wait(self, request: PermissionRequest, warnings: tuple[str, ...]) -> str:
        """Ask the user, wait for the decision and return it.

        Raises:
            NotAllowed: The user refused, did not answer in time, or cannot be asked.
        """
        if not self._is_user_present():
            raise NotAllowed(f"{format_tool_title(request.tool)} {NO_USER_REFUSAL}")
        question = self._create_request(request, warnings)
        try:
            await question.decided
        finally:  # a call that is cancelled, for example by Stop, withdraws its request
            with self._lock:
                if question.view.state == "pending":
                    self._close_request(question, "denied")
                self._forget_request(question)
        if question.view.state == "allowed":
            return question.decision
        raise NotAllowed(_build_refusal_message(question))

    def _take_earlier_decision(self, request: PermissionRequest) -> str | None:
        """Remove and return the decision on an identical earlier call. Return None if there was no such call.

        Raises:
            NotApproved: The user has not decided on the earlier call yet.
            NotAllowed: The user refused the earlier call, or its request has expired.
        """
        key = build_request_key(request)
        with self._lock:
            questions = list(self._questions.values())
            known = [
                question for question in questions if build_request_key(question.request) == key
            ]
            for question in known:
                match question.view.state:
                    case "allowed":
                        self._forget_request(question)
                        return question.decision
                    case "pending":
                        raise NotApproved(self._format_approval_instructions(question.view))
                    case _:
                        raise NotAllowed(_build_refusal_message(question))
        return None

    def _ask_and_refuse(self, request: PermissionRequest, warnings: tuple[str, ...]) -> NoReturn:
        """Ask the user and refuse the call. The caller can repeat it after the user has decided.

        Raises:
            NotApproved: Always. The message says how to repeat the call.
        """
        raise NotApproved(
            self._format_approval_instructions(self._create_request(request, warnings).view)
        )

    def _create_request(
        self, request: PermissionRequest, warnings: tuple[str, ...]
    ) -> ApprovalRequest:
        loop, asked_at = asyncio.get_running_loop(), datetime.now(UTC)
        tool, by = request.tool, request.by
        scope_text = describe_scope(build_scope(request.arguments, tool.input_schema))
        view = ApprovalView(
            approval_id=secrets.token_hex(6),
            state="pending",
            skill_id=tool.skill_id or tool.name,
            tool=tool.name,
            title=format_tool_title(tool),
            description=tool.description,
            tier=tool.skill_tier,
            origin=tool.origin,
            arguments=make_storable(request.arguments),
            shape=scope_text[:MAX_SCOPE_TEXT_LENGTH],
            choices=self._policy.list_decision_choices(request),
            requester=describe_requester(request),
            caller=by.caller,
            conversation_id=by.conversation_id,
            requested_at=asked_at,
            expires_at=asked_at + timedelta(seconds=self._timeout_s),
            warnings=warnings,
        )
        with self._lock:
            self._check_pending_limit(by)
            question = ApprovalRequest(view, request, loop.create_future())
            self._questions[view.approval_id] = question
            question.timer = loop.call_later(self._timeout_s, self._on_request_timeout, question)
            self._on_change(view)
        return question

    def _check_pending_limit(self, by: Requester) -> None:
        """Check that the user is not flooded with requests.

        Raises:
            NotAllowed: The caller, or all programs together, have too many pending requests.
        """
        waiting = [
            question.request.by
            for question in self._questions.values()
            if question.view.state == "pending"
        ]
        key = build_requester_key(by)
        count_of_caller = sum(build_requester_key(requester) == key for requester in waiting)
        count_of_programs = sum(requester.caller not in WAITING_CALLERS for requester in waiting)
        if count_of_caller >= MAX_PENDING_REQUESTS or (
            by.caller not in WAITING_CALLERS and count_of_programs >= MAX_PENDING_PROGRAM_REQUESTS
        ):
            raise NotAllowed("too many calls are already waiting for approval; decide those first")

    def _claim_request(
        self, approval_id: str, decision: Decision, by: Requester
    ) -> ApprovalRequest:
        """Return a pending request and reserve it, so that no other decision on it is recorded."""
        with self._lock:
            question = self._get_request(approval_id)
            view = question.view
            if not question.is_open:
                state = "answered" if view.state == "pending" else view.state
                raise NotAllowed(f"this was already {state}; the first decision counts")
            if decision not in view.choices:
                raise InvalidParams(
                    f"this call can be decided with {', '.join(view.choices)}, not with {decision}"
                )
            if by.caller not in USER_CALLERS:
                raise NotAllowed("only the user can decide this, in the window or at a terminal")
            question.is_being_decided = True
        return question

    def _format_approval_instructions(self, view: ApprovalView) -> str:
        window = " in Conductor's window, or" if self._is_user_present() else ""
        return (
            f"{view.title} needs the user's approval first: the user gives it{window} by"
            f" `conductor approvals allow {view.approval_id}` at a terminal, within"
            f" {self._timeout_s / 60:.0f} minutes; then call it again with the same arguments"
        )

    def _get_request(self, approval_id: str) -> ApprovalRequest:
        with self._lock:
            question = self._questions.get(approval_id)
        if question is None:
            raise UnknownApproval(
                "no call with this id is waiting for approval; it was decided or has expired"
            )
        return question

    def _close_request(
        self, question: ApprovalRequest, state: ApprovalState, how: str = ""
    ) -> ApprovalView:
        """Set the final state of a request and wake the call that waits for it."""
        question.view = view = question.view.model_copy(update={"state": state})
        question.decision = how
        self._on_change(view)
        try:
            question.decided.get_loop().call_soon_threadsafe(_wake_waiting_call, question.decided)
        except RuntimeError:  # the event loop was closed, so the call has ended as well
            log.debug(
                "the call that waited for the approval %s has already ended", view.approval_id
            )
        return view

    def _on_request_timeout(self, question: ApprovalRequest) -> None:
        with self._lock:
            if question.is_being_decided and question.view.state == "pending":
                loop = asyncio.get_running_loop()
                question.timer = loop.call_later(
                    TIMEOUT_EXTENSION_S, self._on_request_timeout, question
                )
                return
            if question.view.state == "pending":
                self._close_request(question, "expired")
            self._forget_request(question)

    def _forget_request(self, question: ApprovalRequest) -> None:
        self._questions.pop(question.view.approval_id, None)
        if question.timer is not None:
            question.timer.cancel()


def build_request_key(request: PermissionRequest) -> tuple[Any, ...]:
    """Return a key that is the same for all identical calls of a caller."""
    arguments = json.dumps(request.arguments, sort_keys=True)
    return (request.tool.name, request.tool.identity, build_requester_key(request.by), arguments)


def _require_finite_numbers(arguments: JsonObject) -> None:
    """Check that the numbers can be shown to the user exactly as they would be sent.

    Raises:
        InvalidParams: The arguments contain NaN or infinity.
    """
    try:
        json.dumps(arguments, allow_nan=False)
    except ValueError:
        raise InvalidParams("Invalid params: numbers must be finite") from None


def _wake_waiting_call(decided: "asyncio.Future[None]") -> None:
    if not decided.done():
        decided.set_result(None)


def _build_refusal_message(question: ApprovalRequest) -> str:
    title, state = question.view.title, question.view.state
    if state == "expired":
        return f"the call of {title} was not approved in time, so it was not made"
    return (
        f"the user does not allow this call of {title}; do not call it again with these arguments"
    )
