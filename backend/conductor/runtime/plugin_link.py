"""Calls of MCP servers' tools, as the engine process makes them: asked of the app over the link."""

import itertools
import threading

from conductor.base.link import Link, Message
from conductor.domain.ports import PluginAnswer, Withdraw


class LinkedPlugins:
    """Implements `domain.ports.Plugins`."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._numbers = itertools.count(1)
        self._waiting: dict[int, PluginAnswer] = {}
        self._lock = threading.Lock()

    def call(
        self,
        server: str,
        tool: str,
        args: dict[str, object],
        timeout_s: float,
        by: str,
        answer: PluginAnswer,
    ) -> Withdraw:
        number = next(self._numbers)
        with self._lock:
            self._waiting[number] = answer
        self._link.send(
            "plugin", call=number, server=server, tool=tool, args=args, timeout_s=timeout_s, by=by
        )
        return lambda: self._withdraw(number)

    def hear(self, message: Message) -> None:
        """Take the app's answer to a call."""
        with self._lock:
            answer = self._waiting.pop(message["call"], None)
        if answer is not None:
            answer(message["error"])

    def _withdraw(self, number: int) -> None:
        with self._lock:
            was_waiting = self._waiting.pop(number, None) is not None
        if was_waiting:
            self._link.send("plugin_withdrawn", call=number)
