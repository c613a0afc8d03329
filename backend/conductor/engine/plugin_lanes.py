"""Sends the tool calls of `Plugin` actions one after another, and not faster than the rate of the action.

Only the engine thread sends calls. Answers arrive in the thread of the link, which completes the
call and wakes the engine for the next one. The engine therefore never waits for a server, and a slow
server does not fill a queue.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from conductor.base.clock import now
from conductor.domain.actions.plugin import PluginAction
from conductor.domain.performed_once import PERFORMED_ONCE_SCOPE as PERFORMED_ONCE
from conductor.domain.performed_once import format_performer_caller
from conductor.domain.ports import Ports, WithdrawCall
from conductor.domain.trace import Effect, MappingRef

log = logging.getLogger(__name__)

MAX_QUEUED_CALLS = 16
"""The maximum number of queued calls of an action that does not follow the value of a
control; more are dropped."""
ANSWER_GRACE_S = 2.0
"""Seconds to wait after the time limit of a call before it is abandoned; the app enforces the limit
and should answer first."""
PAUSE_AFTER_FAILURE_S = 1.0
"""Seconds to pause after a failure, so that a turning knob does not report it for each value."""
CompleteCall = Callable[[Effect, int, str | None], None]


class PendingCall(NamedTuple):
    """A tool call that is queued or in progress, with the firing that caused it."""

    effect: Effect
    sequence: int


class PluginCallQueue:
    """The queue for the tool calls of one `Plugin` action of one mapping."""

    __slots__ = (
        "action",
        "deadline",
        "free_at",
        "keeps_newest",
        "under_way",
        "waiting",
        "withdraw",
    )

    def __init__(self, action: PluginAction) -> None:
        self.action = action
        """The action; the reference keeps its `id` from being reused, by which the queue is found."""
        self.keeps_newest = action.follows_control()
        """Whether a newer value replaces a queued one, because the action follows a knob or fader."""
        self.waiting: deque[PendingCall] = deque()
        self.under_way: PendingCall | None = None
        self.withdraw: WithdrawCall | None = None
        self.free_at = 0.0
        """The engine time from which the rate of the action allows the next call."""
        self.deadline = 0.0
        """The engine time at which the call in progress is abandoned."""

    def get_due_time(self) -> float | None:
        if self.under_way is not None:
            return self.deadline
        return self.free_at if self.waiting else None


class PluginCallScheduler:
    """Schedules the tool calls of all `Plugin` actions.

    `complete` is called with an effect, the sequence number of its trace, and the
    reason for a failure or None.
    """

    def __init__(self, ports: Ports, complete: CompleteCall, wake: Callable[[], None]) -> None:
        self._ports = ports
        self._complete = complete
        self._wake = wake
        self._lanes: dict[int, PluginCallQueue] = {}
        self._lock = threading.Lock()

    def submit_call(self, effect: Effect, sequence: int, action: PluginAction) -> None:
        """Queue the tool call of an effect, and send it at once if the rate allows.

        A queued call with an older value is replaced by it, and counts as done.
        """
        at, pending = now(), PendingCall(effect, sequence)
        lane = self._get_queue(action, at)
        replaced: PendingCall | None = None
        with self._lock:
            is_full = not lane.keeps_newest and len(lane.waiting) >= MAX_QUEUED_CALLS
            if lane.keeps_newest and lane.waiting:
                replaced = lane.waiting.pop()
                pending = _merge_encoder_steps(replaced, pending)
            if not is_full:
                lane.waiting.append(pending)
        # Called without the lock, because `complete` posts to the engine and may call this class again.
        if replaced is not None:
            self._complete(*replaced, None)
        if is_full:
            self._complete(
                effect,
                sequence,
                f"{MAX_QUEUED_CALLS} calls of `{action.tool}` are already waiting, so this call was dropped",
            )
        self._send_next_call_if_due(lane, at)

    def get_due_time(self) -> float | None:
        """Return the engine time at which a call must be sent or abandoned, or None if there is none."""
        if not self._lanes:  # no lock, because this runs on every turn of the engine
            return None
        with self._lock:
            times = [lane.get_due_time() for lane in self._lanes.values()]
        return min((at for at in times if at is not None), default=None)

    def process_due_calls(self, at: float) -> None:
        """Send the calls that are due, and abandon calls that were not answered in time."""
        with self._lock:
            lanes = list(self._lanes.values())
        for lane in lanes:
            pending = lane.under_way  # read only once, because the answer may arrive at any time
            if pending is not None and lane.deadline <= at:
                self._abandon_call(lane, pending)
            self._send_next_call_if_due(lane, at)

    def cancel_all(self) -> None:
        """Cancel the calls in progress, and drop all queued calls."""
        with self._lock:
            lanes, self._lanes = list(self._lanes.values()), {}
            under_way = [(lane.under_way, lane.withdraw) for lane in lanes if lane.under_way]
            waiting = [pending for lane in lanes for pending in lane.waiting]
            for lane in lanes:
                lane.under_way = None
                lane.waiting.clear()
        for pending, withdraw in under_way:
            if withdraw is not None:
                withdraw()
            self._complete(*pending, "cancelled")
        for pending in waiting:
            self._complete(*pending, "cancelled")

    def _get_queue(self, action: PluginAction, at: float) -> PluginCallQueue:
        with self._lock:
            lane = self._lanes.get(id(action))
            if lane is None:
                # Each reload creates new actions, so queues without calls are dropped;
                # otherwise they would accumulate.
                self._lanes = {
                    number: other
                    for number, other in self._lanes.items()
                    if other.under_way or other.waiting or other.free_at > at
                }
                lane = self._lanes[id(action)] = PluginCallQueue(action)
        return lane

    def _send_next_call_if_due(self, lane: PluginCallQueue, at: float) -> None:
        with self._lock:
            if lane.under_way is not None or not lane.waiting or lane.free_at > at:
                return
            pending = lane.under_way = lane.waiting.popleft()
            lane.withdraw = None
            lane.free_at = at + 1 / lane.action.rate_per_s
            lane.deadline = at + lane.action.timeout_s + ANSWER_GRACE_S
        # Called without the lock, because an answer may come before `call` returns, and
        # `_on_answer` takes the lock.
        try:
            withdraw = lane.action.call_tool(
                pending.effect.fire,
                self._ports,
                _format_caller(pending.effect.ref),
                lambda reason: self._on_answer(lane, pending, reason),
            )
        except Exception as error:  # an unexpected error in a call must not end the engine
            log.exception(
                "the MCP tool %s:%s could not be called", lane.action.server, lane.action.tool
            )
            self._on_answer(lane, pending, f"failed unexpectedly: {error}")
            return
        with self._lock:
            if lane.under_way is pending:  # the call has not been answered in the meantime
                lane.withdraw = withdraw

    def _abandon_call(self, lane: PluginCallQueue, pending: PendingCall) -> None:
        if lane.withdraw is not None:
            lane.withdraw()
        limit_s = lane.action.timeout_s
        self._on_answer(lane, pending, f"took longer than {limit_s:g} s and was abandoned")

    def _on_answer(self, lane: PluginCallQueue, pending: PendingCall, reason: str | None) -> None:
        with self._lock:
            if lane.under_way is not pending:  # the call has already been abandoned or cancelled
                return
            lane.under_way = None
            # Presses do not pause: each is a separate decision of the user, whose
            # failure should be reported.
            if reason is not None and lane.keeps_newest:
                lane.free_at = max(lane.free_at, now() + PAUSE_AFTER_FAILURE_S)
            has_more = bool(lane.waiting)
        self._complete(*pending, reason)
        if has_more:
            self._wake()


def _merge_encoder_steps(replaced: PendingCall, pending: PendingCall) -> PendingCall:
    """Return the newer call, to which the encoder steps of the call that it replaces are added."""
    steps = replaced.effect.fire.steps + pending.effect.fire.steps
    fire = pending.effect.fire._replace(steps=steps)
    return pending._replace(effect=pending.effect._replace(fire=fire))


def _format_caller(ref: MappingRef) -> str:
    """Return the caller of a tool for the audit log: the mapping, or the number of an action performed once."""
    if ref.scope == PERFORMED_ONCE:
        return format_performer_caller(ref.get_identifier())
    return ref.describe()
