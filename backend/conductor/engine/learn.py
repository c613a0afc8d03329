"""A MIDI Learn session: keeps what controls say until it is stopped, and nothing that is only noise."""

from typing import Any

from conductor.domain.events import CONTROL_CLASS, InputEvent
from conductor.domain.trace import plain_event

CAPTURED_AT_MOST = 20_000


class LearnSession:
    """Captures events; `domain.patterns.suggest` makes triggers of them."""

    def __init__(self, started_at: float) -> None:
        self.started_at = started_at
        self.events: list[InputEvent] = []

    def take(self, event: InputEvent) -> None:
        if event.kind in CONTROL_CLASS and len(self.events) < CAPTURED_AT_MOST:
            self.events.append(event)

    def plain(self) -> list[dict[str, Any]]:
        """Return the events with times from the start of the session."""
        return [
            plain_event(event._replace(time=event.time - self.started_at)) for event in self.events
        ]
