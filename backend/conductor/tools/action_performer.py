"""Performs an action once, outside of any mapping, and finds out how it ended.

Each has a number, which goes through the engine and comes back with the calls of its tools: an answer that
is late belongs to the action that asked, never to the next one.
"""

import itertools
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import Any, Protocol

from conductor.domain.actions import Action
from conductor.domain.actions.plugin import PluginAction
from conductor.domain.engine_protocol import PerformAction
from conductor.errors import ActionFailed
from conductor.tools.approval.approvals import Approvals
from conductor.tools.approval.policy import tools_of
from conductor.tools.plugin_calls import CallOutcome, PluginCalls

PERFORMED_WITHIN_S = 4.0
"""How long the answer of a tool is waited for; a later one is noted when it comes."""
OnEnd = Callable[[str | None], None]


class Engine(Protocol):
    def ask(self, request: PerformAction) -> dict[str, Any]: ...


class WithEngine(Protocol):
    """What is seen of the app."""

    demo: bool
    plugin_calls: PluginCalls

    @property
    def engine(self) -> Engine: ...


class ActionPerformer:
    """Numbers the actions and hands them to the engine. Not for the event loop: it waits."""

    def __init__(self, app: WithEngine, approvals: Approvals) -> None:
        self._app = app
        self._approvals = approvals
        self._numbers = itertools.count(1)

    def perform(self, action: Action, on_late_end: OnEnd = lambda _reason: None) -> bool:
        """Perform an action; False when it is not known yet how it ended, which `on_late_end` may be told.

        Raises:
            ActionFailed: it could not be done.
            NotAvailable: the engine does not answer.
        """
        number = next(self._numbers)
        tools = frozenset(tools_of(action))
        self._approvals.perform(number, tools)
        is_single = isinstance(action, PluginAction) and not self._app.demo
        ending = self._app.plugin_calls.expect(number) if is_single else None
        answer = self._app.engine.ask(PerformAction(action.to_plain(), number))
        reason: str | None = answer.get("error")
        if reason is not None:
            raise ActionFailed(reason)
        if ending is not None:
            assert isinstance(action, PluginAction)
            return _await_end(ending, min(action.timeout_s, PERFORMED_WITHIN_S), on_late_end)
        # an action that waits for tools between others goes on by itself; the monitor tells how
        return not tools or self._app.demo


def _await_end(ending: "Future[CallOutcome]", within_s: float, on_late_end: OnEnd) -> bool:
    try:
        end = ending.result(timeout=within_s)
    except TimeoutError:
        ending.add_done_callback(lambda late: _tell(late.result(), on_late_end))
        return False
    if end.is_known and end.reason is not None:
        raise ActionFailed(end.reason)
    return end.is_known


def _tell(end: CallOutcome, on_late_end: OnEnd) -> None:
    """Notify from a thread of its own: the event loop must not wait for the disk."""
    if end.is_known:
        Thread(target=on_late_end, args=(end.reason,), name="late-end", daemon=True).start()
