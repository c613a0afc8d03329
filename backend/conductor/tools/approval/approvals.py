"""The approval desk: calls of skills that wait for the user's word, and what became of them.

The chat's calls and the page's own wait here. Calls of programs never wait, for their clients give up
early: they are refused with the id of the question, and once the user has allowed it, the very same call
goes through, once.
"""

import asyncio
import json
import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import RLock
from typing import TYPE_CHECKING, Any

from conductor.domain.approvals import ApprovalState, ApprovalView, Decision, GrantView
from conductor.domain.config import Config
from conductor.domain.plan import USER_CALLERS, Requester
from conductor.domain.storable import storable
from conductor.errors import InvalidParams, NotAllowed, NotApproved, UnknownApproval
from conductor.tools.approval.permission import PermissionRequest
from conductor.tools.approval.policy import GrantPolicy, called, grant_view, who, whose
from conductor.tools.approval.scope import scope_of
from conductor.tools.approval.scope_words import SHOWN_AT_MOST, scope_words

if TYPE_CHECKING:
    from conductor.storage.grants import Grants

log = logging.getLogger(__name__)

ASK_FOR_S = 300.0
WAITING_AT_MOST = 20
"""Of one caller."""
ALL_AT_MOST = 100
"""Of all programs together: what a program says of itself is easily another each time."""
AGAIN_AFTER_S = 1.0
"""How long a word that was said in time may take until it is looked at again."""
WAIT = ("chat", "window", "page")
"""Callers whose calls wait for the answer."""
NOBODY = (
    "needs your approval, and there is nobody to ask: open Conductor's window, or use `conductor chat`"
    " at a terminal, and ask again"
)


@dataclass
class Question:
    """A call that waits, or has been decided and may still come."""

    view: ApprovalView
    request: PermissionRequest
    decided: asyncio.Future[None]
    decision: str = ""
    is_being_decided: bool = False
    """The user has said a word, which is just written down."""
    timer: asyncio.TimerHandle | None = None

    @property
    def is_open(self) -> bool:
        return self.view.state == "pending" and not self.is_being_decided


class Approvals:
    """Implements `tools.approval.permission.Permission`. `require` runs on the event loop, `page_left` may;
    all else runs in any thread, and may wait for the disk. The lock never does: the loop takes it too.

    `on_change` is told each new state. `somebody` says whether a page or a terminal can answer now.
    """

    def __init__(
        self,
        grants: Callable[[], "Grants"],
        config: Callable[[], Config],
        *,
        ask_for_s: float = ASK_FOR_S,
    ) -> None:
        self._grants = grants
        self._remembered = GrantPolicy(grants, config)
        self._ask_for_s = ask_for_s
        self._questions: dict[str, Question] = {}
        self._lock = RLock()
        self.on_change: Callable[[ApprovalView], None] = lambda _view: None
        self.somebody: Callable[[], bool] = lambda: False

    async def require(self, request: PermissionRequest) -> str:
        """Return when the call is allowed, with how.

        Raises:
            NotAllowed: the user said no, never says yes, or nobody answered in time.
            NotApproved: the call does not wait; the user is asked, and then it may come again.
        """
        _require_plain(request.arguments)
        standing = await asyncio.to_thread(self._remembered.standing, request)
        if standing.allowed is not None:
            return standing.allowed
        if request.by.caller not in WAIT:  # nothing after it: a yes that is used up is used
            return self._came_again(request) or self._refuse(request, standing.warnings)
        how = await self._waited(request, standing.warnings)
        await asyncio.to_thread(self._remembered.allowed, request, standing)
        return how

    def pending(self) -> list[ApprovalView]:
        """Return what waits, the oldest first."""
        with self._lock:
            views = [one.view for one in self._questions.values()]
        return [view for view in views if view.state == "pending"]

    def get(self, approval_id: str) -> ApprovalView:
        """Return a question that waits, or that has been decided lately.

        Raises:
            UnknownApproval: there is none with this id.
        """
        return self._question(approval_id).view

    def decide(self, approval_id: str, decision: Decision, by: Requester) -> ApprovalView:
        """Record the user's decision; the first one counts. `by` gave it, never a form in the asking program.

        Raises:
            UnknownApproval: there is no such question, or it is over.
            NotAllowed: it has been decided, or this caller may not decide it so.
            InvalidParams: this cannot be decided about this call.
        """
        question = self._claimed(approval_id, decision, by)
        try:
            self._remembered.keep(question.request, decision)
        except Exception:
            question.is_being_decided = False  # it can be answered otherwise
            raise
        state: ApprovalState = "denied" if decision in ("deny", "never") else "allowed"
        with self._lock:
            if question.view.state != "pending":  # the call was stopped meanwhile
                return question.view
            return self._settle(question, state, decision)

    def page_left(self) -> None:
        """Deny what waits for the page's user: the last page was closed. Programs were sent to a terminal."""
        self._deny(WAIT)

    def deny_all(self) -> None:
        """Deny whatever waits: Conductor ends."""
        self._deny(None)

    def _deny(self, callers: tuple[str, ...] | None) -> None:
        with self._lock:
            for question in list(self._questions.values()):
                asked_by = question.request.by.caller
                if question.is_open and (callers is None or asked_by in callers):
                    self._settle(question, "denied")

    def perform(self, number: int, tools: frozenset[str]) -> None:
        """Allow the action performed once with this number to call these tools."""
        self._remembered.perform(number, tools)

    def forget_conversation(self, conversation_id: str) -> None:
        """Forget what was allowed in a conversation that is deleted."""
        self._remembered.forget(conversation_id)

    def grants(self) -> list[GrantView]:
        """Return the answers that are kept, the newest first."""
        return [grant_view(one) for one in self._grants().all()]

    def revoke(self, grant_id: str) -> None:
        """Forget an answer.

        Raises:
            UnknownApproval: none with this id is kept.
        """
        if not self._grants().revoke([grant_id]):
            raise UnknownApproval(
                "this answer is not kept any more; `grants.list` has those that are"
            )

    async def _waited(self, request: PermissionRequest, warnings: tuple[str, ...]) -> str:
        """Ask, and wait for the word."""
        if not self.somebody():
            raise NotAllowed(f"{called(request.tool)} {NOBODY}")
        question = self._ask(request, warnings)
        try:
            await question.decided
        finally:  # a call that is cancelled, as by Stop, takes its question along
            with self._lock:
                if question.view.state == "pending":
                    self._settle(question, "denied")
                self._forget(question)
        if question.view.state == "allowed":
            return question.decision
        raise NotAllowed(_refusal(question))

    def _came_again(self, request: PermissionRequest) -> str | None:
        """Return how a call that was asked about before is allowed now; None when it was not asked about."""
        key = key_of(request)
        with self._lock:
            known = [one for one in self._questions.values() if key_of(one.request) == key]
            for question in known:
                match question.view.state:
                    case "allowed":
                        self._forget(question)
                        return question.decision
                    case "pending":
                        raise NotApproved(self._what_to_do(question.view))
                    case _:
                        raise NotAllowed(_refusal(question))
        return None

    def _refuse(self, request: PermissionRequest, warnings: tuple[str, ...]) -> str:
        """Ask, and have the call come again once that is answered."""
        raise NotApproved(self._what_to_do(self._ask(request, warnings).view))

    def _ask(self, request: PermissionRequest, warnings: tuple[str, ...]) -> Question:
        loop, asked_at = asyncio.get_running_loop(), datetime.now(UTC)
        tool, by = request.tool, request.by
        shape = scope_words(scope_of(request.arguments, tool.input_schema))
        view = ApprovalView(
            approval_id=secrets.token_hex(6),
            state="pending",
            skill_id=tool.skill_id or tool.name,
            tool=tool.name,
            title=called(tool),
            description=tool.description,
            tier=tool.skill_tier,
            origin=tool.origin,
            arguments=storable(request.arguments),
            shape=shape[:SHOWN_AT_MOST],
            choices=self._remembered.choices(request),
            requester=who(request),
            caller=by.caller,
            conversation_id=by.conversation_id,
            requested_at=asked_at,
            expires_at=asked_at + timedelta(seconds=self._ask_for_s),
            warnings=warnings,
        )
        with self._lock:
            self._require_room(by)
            question = Question(view, request, loop.create_future())
            self._questions[view.approval_id] = question
            question.timer = loop.call_later(self._ask_for_s, self._time_over, question)
            self.on_change(view)
        return question

    def _require_room(self, by: Requester) -> None:
        """Refuse a flood, which shuts nobody else out."""
        waiting = [
            one.request.by for one in self._questions.values() if one.view.state == "pending"
        ]
        theirs = sum(whose(one) == whose(by) for one in waiting)
        programs = sum(one.caller not in WAIT for one in waiting)
        if theirs >= WAITING_AT_MOST or (by.caller not in WAIT and programs >= ALL_AT_MOST):
            raise NotAllowed("too many calls wait for your approval already; answer those first")

    def _claimed(self, approval_id: str, decision: Decision, by: Requester) -> Question:
        """Return a question that nobody else decides from now on."""
        with self._lock:
            question = self._question(approval_id)
            view = question.view
            if not question.is_open:
                word = "answered" if view.state == "pending" else view.state
                raise NotAllowed(f"this was {word} already; the first word counts")
            if decision not in view.choices:
                raise InvalidParams(
                    f"this call can be decided by {', '.join(view.choices)}, not by {decision}"
                )
            if by.caller not in USER_CALLERS:
                raise NotAllowed("only the user decides this: in the window, or at a terminal")
            question.is_being_decided = True
        return question

    def _what_to_do(self, view: ApprovalView) -> str:
        window = " in Conductor's window, or" if self.somebody() else ""
        return (
            f"{view.title} needs the user's approval first: the user gives it{window} by"
            f" `conductor approvals allow {view.approval_id}` at a terminal, within"
            f" {self._ask_for_s / 60:.0f} minutes; then call it again with the same arguments"
        )

    def _question(self, approval_id: str) -> Question:
        with self._lock:
            question = self._questions.get(approval_id)
        if question is None:
            raise UnknownApproval(
                "no call waits for approval under this id; it was decided, or its time is over"
            )
        return question

    def _settle(self, question: Question, state: ApprovalState, how: str = "") -> ApprovalView:
        """Return a question its end, and wake the call that waits."""
        question.view = view = question.view.model_copy(update={"state": state})
        question.decision = how
        self.on_change(view)
        try:
            question.decided.get_loop().call_soon_threadsafe(_wake, question.decided)
        except RuntimeError:  # the loop has ended, and the call with it
            log.debug("nobody waits for approval %s any more", view.approval_id)
        return view

    def _time_over(self, question: Question) -> None:
        with self._lock:
            if question.is_being_decided and question.view.state == "pending":
                loop = asyncio.get_running_loop()
                question.timer = loop.call_later(AGAIN_AFTER_S, self._time_over, question)
                return
            if question.view.state == "pending":
                self._settle(question, "expired")
            self._forget(question)

    def _forget(self, question: Question) -> None:
        self._questions.pop(question.view.approval_id, None)
        if question.timer is not None:
            question.timer.cancel()


def key_of(request: PermissionRequest) -> tuple[Any, ...]:
    """Return what a repeated call must be the same in."""
    arguments = json.dumps(request.arguments, sort_keys=True)
    return (request.tool.name, request.tool.identity, whose(request.by), arguments)


def _require_plain(arguments: dict[str, Any]) -> None:
    """Refuse what cannot be shown as it would be sent."""
    try:
        json.dumps(arguments, allow_nan=False)
    except ValueError:
        raise InvalidParams("Invalid params: numbers must be finite") from None


def _wake(decided: "asyncio.Future[None]") -> None:
    if not decided.done():
        decided.set_result(None)


def _refusal(question: Question) -> str:
    title, state = question.view.title, question.view.state
    if state == "expired":
        return f"nobody answered in time whether {title} may be called, so it was not"
    return (
        f"the user does not allow this call of {title}; do not call it again with these arguments"
    )
