"""Sends the calls of Plugin actions one after the other, no faster than each action allows.

Only the engine's thread sends. Answers come from the thread that hears them: they are kept, and the
engine is woken. So the engine never waits for a server, and a slow one fills nothing up.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from conductor.base.clock import now
from conductor.domain.actions.plugin import PluginAction
from conductor.domain.ports import Ports, Withdraw
from conductor.domain.trace import Effect

log = logging.getLogger(__name__)

PRESSES_WAITING = 16
GRACE_S = 2.0
"""How much later than its time limit an answer may come before the call is given up."""
PAUSE_AFTER_FAILURE_S = 1.0
"""A control that is turned on does not repeat its failure more often than this."""
Complete = Callable[[Effect, int, str | None], None]


class PendingCall(NamedTuple):
    """One firing that waits to be sent, or is under way."""

    effect: Effect
    sequence: int


class Lane:
    """The calls of one action of one mapping."""

    __slots__ = (
        "action",
        "deadline",
        "free_at",
        "is_latest_only",
        "under_way",
        "waiting",
        "withdraw",
    )

    def __init__(self, action: PluginAction) -> None:
        self.action = action
        """Kept alive by this, so that its id stays its own."""
        self.is_latest_only = action.follows_control()
        self.waiting: deque[PendingCall] = deque()
        self.under_way: PendingCall | None = None
        self.withdraw: Withdraw | None = None
        self.free_at = 0.0
        """When the rate allows the next call."""
        self.deadline = 0.0
        """When the call under way is given up."""

    def due(self) -> float | None:
        if self.under_way is not None:
            return self.deadline
        return self.free_at if self.waiting else None


class PluginLanes:
    """A lane for each Plugin action that fires; `complete` takes (effect, number of its trace, reason)."""

    def __init__(self, ports: Ports, complete: Complete, wake: Callable[[], None]) -> None:
        self._ports = ports
        self._complete = complete
        self._wake = wake
        self._lanes: dict[int, Lane] = {}
        self._lock = threading.Lock()

    def take(self, effect: Effect, sequence: int, action: PluginAction) -> None:
        """Take a firing; what it overtakes is done with."""
        at, pending = now(), PendingCall(effect, sequence)
        lane = self._lane(action, at)
        overtaken: PendingCall | None = None
        with self._lock:
            is_full = not lane.is_latest_only and len(lane.waiting) >= PRESSES_WAITING
            if lane.is_latest_only and lane.waiting:
                overtaken = lane.waiting.pop()
                pending = _with_steps_of(overtaken, pending)
            if not is_full:
                lane.waiting.append(pending)
        if overtaken is not None:
            self._complete(*overtaken, None)
        if is_full:
            self._complete(
                effect,
                sequence,
                f"{PRESSES_WAITING} calls of `{action.tool}` are waiting already: this one was dropped",
            )
        self._send_due(lane, at)

    def due(self) -> float | None:
        """Return the time when the next call may be sent, or one is to be given up."""
        if not self._lanes:
            return None
        with self._lock:
            times = [lane.due() for lane in self._lanes.values()]
        return min((at for at in times if at is not None), default=None)

    def advance(self, at: float) -> None:
        """Send what may be sent by now, and give up what has no answer."""
        with self._lock:
            lanes = list(self._lanes.values())
        for lane in lanes:
            pending = lane.under_way  # its answer may come in between
            if pending is not None and lane.deadline <= at:
                self._give_up(lane, pending)
            self._send_due(lane, at)

    def cancel_all(self) -> None:
        """Withdraw the calls under way, and drop those that wait."""
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

    def _lane(self, action: PluginAction, at: float) -> Lane:
        with self._lock:
            lane = self._lanes.get(id(action))
            if lane is None:
                self._lanes = {
                    number: one
                    for number, one in self._lanes.items()
                    if one.under_way or one.waiting or one.free_at > at
                }
                lane = self._lanes[id(action)] = Lane(action)
        return lane

    def _send_due(self, lane: Lane, at: float) -> None:
        with self._lock:
            if lane.under_way is not None or not lane.waiting or lane.free_at > at:
                return
            pending = lane.under_way = lane.waiting.popleft()
            lane.withdraw = None
            lane.free_at = at + 1 / lane.action.rate_per_s
            lane.deadline = at + lane.action.timeout_s + GRACE_S
        try:
            withdraw = lane.action.call(
                pending.effect.fire,
                self._ports,
                pending.effect.ref.words(),
                lambda reason: self._answered(lane, pending, reason),
            )
        except Exception as error:  # one bad call must not end the engine
            log.exception("plugin %s:%s was not called", lane.action.server, lane.action.tool)
            self._answered(lane, pending, f"failed unexpectedly: {error}")
            return
        with self._lock:
            if lane.under_way is pending:
                lane.withdraw = withdraw

    def _give_up(self, lane: Lane, pending: PendingCall) -> None:
        if lane.withdraw is not None:
            lane.withdraw()
        limit_s = lane.action.timeout_s
        self._answered(lane, pending, f"took longer than {limit_s:g} s and was given up")

    def _answered(self, lane: Lane, pending: PendingCall, reason: str | None) -> None:
        with self._lock:
            if lane.under_way is not pending:
                return
            lane.under_way = None
            if reason is not None and lane.is_latest_only:
                lane.free_at = max(lane.free_at, now() + PAUSE_AFTER_FAILURE_S)
            has_more = bool(lane.waiting)
        self._complete(*pending, reason)
        if has_more:
            self._wake()


def _with_steps_of(overtaken: PendingCall, pending: PendingCall) -> PendingCall:
    """Keep the way an encoder has turned that was not sent yet."""
    steps = overtaken.effect.fire.steps + pending.effect.fire.steps
    fire = pending.effect.fire._replace(steps=steps)
    return pending._replace(effect=pending.effect._replace(fire=fire))
