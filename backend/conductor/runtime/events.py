"""Delivers the events of the app to everything that shows or forwards them."""

import logging
from collections.abc import Callable

from conductor.base.json_types import JsonObject

log = logging.getLogger(__name__)

Listener = Callable[[str, JsonObject], None]


class EventBus:
    """Calls each listener with a topic and its payload, in the thread that publishes.

    The topics are those of `bridge.topics`, and two more: `loaded`, when the engine runs a config, and `tools`,
    when the tools that agents may call have changed.
    """

    def __init__(self) -> None:
        self._listeners: tuple[Listener, ...] = ()

    def subscribe(self, listener: Listener) -> None:
        """Call `listener` with every event from now on."""
        self._listeners = (*self._listeners, listener)

    def publish(self, topic: str, payload: JsonObject) -> None:
        for listener in self._listeners:
            try:
                listener(topic, payload)
            except (
                Exception
            ):  # such as a closed terminal: the other listeners and the publisher go on
                log.exception("a listener for %s failed", topic)
