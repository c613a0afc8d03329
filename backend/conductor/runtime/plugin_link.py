"""Calls tools of MCP servers from the engine process by sending messages to the app."""

import itertools
import threading
from collections.abc import Callable

from conductor.domain.engine_protocol import FromEngine, PluginAnswered, PluginCall, PluginWithdrawn
from conductor.domain.ports import PluginAnswer, WithdrawCall


class LinkedPlugins:
    """Calls tools of MCP servers by sending messages to the app. Implements `domain.ports.Plugins`."""

    def __init__(self, emit: Callable[[FromEngine], None]) -> None:
        self._emit = emit
        self._numbers = itertools.count(1)
        self._pending_calls: dict[int, PluginAnswer] = {}
        self._lock = threading.Lock()

    def call_tool(
        self,
        server: str,
        tool: str,
        args: dict[str, object],
        timeout_s: float,
        by: str,
        answer: PluginAnswer,
    ) -> WithdrawCall:
        number = next(self._numbers)
        with self._lock:
            self._pending_calls[number] = answer
        self._emit(PluginCall(number, server, tool, args, timeout_s, by))
        return lambda: self._withdraw_call(number)

    def on_answer(self, answered: PluginAnswered) -> None:
        """Pass an answer from the app to the action that waits for it."""
        with self._lock:
            answer = self._pending_calls.pop(answered.call, None)
        if answer is not None:
            answer(answered.error)

    def _withdraw_call(self, number: int) -> None:
        with self._lock:
            was_pending = self._pending_calls.pop(number, None) is not None
        if was_pending:
            self._emit(PluginWithdrawn(number))
