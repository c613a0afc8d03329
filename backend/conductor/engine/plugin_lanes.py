"""Sends the tool calls of Plugin actions one at a time, limited to each action's rate.

Calls are sent by the engine thread only. Answers arrive in the link's thread, which completes the call and
wakes the engine for the next call. The engine therefore never waits for a server, and a slow server does not
fill a queue.
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
"""The maximum number of calls queued for an action that does not follow a control's value. Further calls are
dropped.
"""
ANSWER_GRACE_S = 2.0
"""Extra time, in seconds, before a call is abandoned, because the app enforces the time limit and should answer
first.
"""
PAUSE_AFTER_FAILURE_S = 1.0
"""The pause after a failure, in seconds, so that a turning knob does not report the failure for every value."""
CompleteCall = Callable[[Effect, int, str | None], None]


class PendingCall(NamedTuple):
    """A firing whose tool call is queued or in progress."""

    effect: Effect
    sequence: int


class PluginCallQueue:
    """The queued tool calls of one Plugin action of one mapping."""

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
        """Referenced here because the lane is found by `id(action)`, which must not be reused."""
        self.keeps_newest = action.follows_control()
        """Whether a newer value replaces a queued value, because the action follows a knob or fader."""
        self.waiting: deque[PendingCall] = deque()
        self.under_way: PendingCall | None = None
        self.withdraw: WithdrawCall | None = None
        self.free_at = 0.0
        """The engine time at which the rate allows the next call."""
        self.deadline = 0.0
        """The engine time at which the current call is abandoned."""

    def get_due_time(self) -> float | None:
        if self.under_way is not None:
            return self.deadline
        return self.free_at if self.waiting else None


class PluginCallScheduler:
    """Schedules the tool calls of all Plugin actions. `complete` receives an effect, the number of its trace,
    and the reason of a failure or None.
    """

    def __init__(self, ports: Ports, complete: CompleteCall, wake: Callable[[], None]) -> None:
        self._ports = ports
        self._complete = complete
        self._wake = wake
        self._lanes: dict[int, PluginCallQueue] = {}
        self._lock = threading.Lock()

    def submit_call(self, effect: Effect, sequence: int, action: PluginAction) -> None:
        """Queue the call of a firing, and send it if the rate allows. A queued call with an older value is
        replaced and counts as done.
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
        # Outside the lock: `complete` posts to the engine and may call back into this class.
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
        """Return the engine time at which the next call may be sent or abandoned, or None."""
        if not self._lanes:  # without the lock, because this runs on every turn of the engine
            return None
        with self._lock:
            times = [lane.get_due_time() for lane in self._lanes.values()]
        return min((at for at in times if at is not None), default=None)

    def process_due_calls(self, at: float) -> None:
        """Send the calls that are due, and abandon the calls that got no answer in time."""
        with self._lock:
            lanes = list(self._lanes.values())
        for lane in lanes:
            pending = lane.under_way  # read only once, because the answer may arrive at any time
            if pending is not None and lane.deadline <= at:
                self._abandon_call(lane, pending)
            self._send_next_call_if_due(lane, at)

    def cancel_all(self) -> None:
        """Withdraw the calls in progress, and drop the queued calls."""
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
                # A reload creates new actions, so idle queues are dropped before they accumulate.
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
        # Outside the lock: an answer may come before `call` returns, and `_on_answer` takes the lock.
        try:
            withdraw = lane.action.call_tool(
                pending.effect.fire,
                self._ports,
                _format_caller(pending.effect.ref),
                lambda reason: self._on_answer(lane, pending, reason),
            )
        except Exception as error:  # a broken call must not end the engine
            log.exception("plugin %s:%s could not be called", lane.action.server, lane.action.tool)
            self._on_answer(lane, pending, f"failed unexpectedly: {error}")
            return
        with self._lock:
            if lane.under_way is pending:  # the call was not answered in the meantime
                lane.withdraw = withdraw

    def _abandon_call(self, lane: PluginCallQueue, pending: PendingCall) -> None:
        if lane.withdraw is not None:
            lane.withdraw()
        limit_s = lane.action.timeout_s
        self._on_answer(lane, pending, f"took longer than {limit_s:g} s and was abandoned")

    def _on_answer(self, lane: PluginCallQueue, pending: PendingCall, reason: str | None) -> None:
        with self._lock:
            if lane.under_way is not pending:  # the call was abandoned or cancelled before
                return
            lane.under_way = None
            # Presses are not paused: each press is a separate decision whose failure should be reported.
            if reason is not None and lane.keeps_newest:
                lane.free_at = max(lane.free_at, now() + PAUSE_AFTER_FAILURE_S)
            has_more = bool(lane.waiting)
        self._complete(*pending, reason)
        if has_more:
            self._wake()


def _merge_encoder_steps(replaced: PendingCall, pending: PendingCall) -> PendingCall:
    """Add the unsent encoder steps of a replaced call to the newer call."""
    steps = replaced.effect.fire.steps + pending.effect.fire.steps
    fire = pending.effect.fire._replace(steps=steps)
    return pending._replace(effect=pending.effect._replace(fire=fire))


def _format_caller(ref: MappingRef) -> str:
    """Return the name of the caller of a tool for the audit log: a mapping, or an action performed once."""
    if ref.scope == PERFORMED_ONCE:
        return format_performer_caller(ref.get_identifier())
    return ref.describe()
