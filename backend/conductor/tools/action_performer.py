"""Performs an action once, without a mapping, and reports the outcome.

Each action has a number, which is sent to the engine and returned with the action's tool calls. With this
number, a result that arrives late is matched to its action.
"""

import itertools
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import Protocol

from conductor.domain.actions import Action
from conductor.domain.actions.plugin import PluginAction
from conductor.domain.engine_protocol import PerformAction
from conductor.domain.engine_replies import PerformReply
from conductor.errors import ActionFailed
from conductor.runtime.plugin_calls import CallOutcome, PluginCalls
from conductor.tools.approval.approvals import Approvals
from conductor.tools.approval.policy import find_server_tools

ACTION_RESULT_TIMEOUT_S = 4.0
"""The time for which a caller waits for the result of a tool. A later result is passed to `on_late_result`."""
OnLateResult = Callable[[str | None], None]
"""Receives the reason of a failure, or None if the action succeeded."""


class RequestSender(Protocol):
    """Sends a request to the engine and waits for the reply. `EngineSupervisor` implements it."""

    def send_request(self, request: PerformAction) -> PerformReply: ...


class ActionPerformer:
    """Performs actions once through the engine.

    The methods block, so call them on a worker thread.
    """

    def __init__(
        self,
        engine: RequestSender,
        plugin_calls: PluginCalls,
        approvals: Approvals,
        *,
        prepare: Callable[[Action], None] = lambda _action: None,
        demo: bool,
    ) -> None:
        """`prepare` sends the engine what an action needs that no mapping has, before it is performed."""
        self._prepare = prepare
        self._engine = engine
        self._plugin_calls = plugin_calls
        self._approvals = approvals
        self._demo = demo
        self._numbers = itertools.count(1)

    def perform_action(
        self, action: Action, on_late_result: OnLateResult = lambda _reason: None
    ) -> bool:
        """Perform an action once. Return whether its result is already known.

        If a tool call takes longer than 4 seconds, return False and pass the result to `on_late_result`
        later. Return False also if another action still runs after 3 seconds; the monitor shows its
        failure.

        Raises:
            ActionFailed: The action failed.
            NotAvailable: The engine does not answer.
        """
        number = next(self._numbers)
        tools = frozenset(find_server_tools(action))
        self._approvals.allow_action(number, tools)
        is_single = isinstance(action, PluginAction) and not self._demo
        pending = self._plugin_calls.expect_outcome(number) if is_single else None
        self._prepare(action)
        reply = self._engine.send_request(PerformAction(action.to_plain(), number))
        reason = reply.get("error")
        if reason is not None:
            raise ActionFailed(reason)
        if pending is not None:
            assert isinstance(action, PluginAction)
            timeout_s = min(action.timeout_s, ACTION_RESULT_TIMEOUT_S)
            return _wait_for_result(pending, timeout_s, on_late_result)
        # A tool call inside a sequence continues in the engine, and the monitor shows its result.
        return (not tools or self._demo) and not reply.get("running", False)


def _wait_for_result(
    pending: "Future[CallOutcome]", timeout_s: float, on_late_result: OnLateResult
) -> bool:
    try:
        outcome = pending.result(timeout=timeout_s)
    except TimeoutError:
        pending.add_done_callback(lambda done: _report_late_result(done.result(), on_late_result))
        return False
    if outcome.is_known and outcome.reason is not None:
        raise ActionFailed(outcome.reason)
    return outcome.is_known


def _report_late_result(outcome: CallOutcome, on_late_result: OnLateResult) -> None:
    """Call `on_late_result` in a separate thread, because it may write to the disk."""
    if outcome.is_known:
        Thread(
            target=on_late_result, args=(outcome.reason,), name="late result", daemon=True
        ).start()
