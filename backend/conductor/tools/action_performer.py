"""Performs an action once, outside of any mapping, and reports the outcome.

Each action has a number, which is sent to the engine and returned with the action's tool calls. A late
result is matched by this number to the action that caused it.
"""

import itertools
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import Protocol

from conductor.domain.actions import Action
from conductor.domain.actions.plugin import PluginAction
from conductor.domain.engine_protocol import PerformAction, PerformReply
from conductor.errors import ActionFailed
from conductor.runtime.plugin_calls import CallOutcome, PluginCalls
from conductor.tools.approval.approvals import Approvals
from conductor.tools.approval.policy import find_tools

RESULT_TIMEOUT_S = 4.0
"""How long to wait for a tool's result; a later one is passed to `on_late_end`."""
OnEnd = Callable[[str | None], None]


class Engine(Protocol):
    def ask(self, request: PerformAction) -> PerformReply: ...


class ActionPerformer:
    """Numbers actions and sends them to the engine.

    The methods block, so do not call them on the event loop.
    """

    def __init__(
        self, engine: Engine, plugin_calls: PluginCalls, approvals: Approvals, *, demo: bool
    ) -> None:
        self._engine = engine
        self._plugin_calls = plugin_calls
        self._approvals = approvals
        self._demo = demo
        self._numbers = itertools.count(1)

    def perform(self, action: Action, on_late_end: OnEnd = lambda _reason: None) -> bool:
        """Perform an action.

        Return False if its result is not known yet and will be passed to `on_late_end`.

        Raises:
            ActionFailed: The action failed.
            NotAvailable: The engine does not answer.
        """
        number = next(self._numbers)
        tools = frozenset(find_tools(action))
        self._approvals.allow_action(number, tools)
        is_single = isinstance(action, PluginAction) and not self._demo
        pending = self._plugin_calls.expect(number) if is_single else None
        answer = self._engine.ask(PerformAction(action.to_plain(), number))
        reason = answer.get("error")
        if reason is not None:
            raise ActionFailed(reason)
        if pending is not None:
            assert isinstance(action, PluginAction)
            return _await_end(pending, min(action.timeout_s, RESULT_TIMEOUT_S), on_late_end)
        # a tool call inside a sequence runs on in the engine; the monitor shows its result
        return not tools or self._demo


def _await_end(pending: "Future[CallOutcome]", timeout_s: float, on_late_end: OnEnd) -> bool:
    try:
        end = pending.result(timeout=timeout_s)
    except TimeoutError:
        pending.add_done_callback(lambda late: _notify_late_end(late.result(), on_late_end))
        return False
    if end.is_known and end.reason is not None:
        raise ActionFailed(end.reason)
    return end.is_known


def _notify_late_end(end: CallOutcome, on_late_end: OnEnd) -> None:
    """Call `on_late_end` in a separate thread, because the event loop must not wait for the disk."""
    if end.is_known:
        Thread(target=on_late_end, args=(end.reason,), name="late-end", daemon=True).start()
