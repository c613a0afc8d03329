"""Captures the input events of a MIDI Learn session."""

from conductor.domain.events import CONTROL_CLASS, InputEvent
from conductor.domain.wire_rows import EventRow, event_to_plain

MAX_CAPTURED_EVENTS = 20_000


class LearnSession:
    """A MIDI Learn session with the events captured so far.

    `domain.patterns.suggest_triggers` turns them into triggers.
    """

    def __init__(self, started_at: float) -> None:
        self.started_at = started_at
        self.events: list[InputEvent] = []

    def add_event(self, event: InputEvent) -> None:
        if event.kind in CONTROL_CLASS and len(self.events) < MAX_CAPTURED_EVENTS:
            self.events.append(event)

    def to_plain(self) -> list[EventRow]:
        """Return the captured events as JSON data, with times in seconds since the start of the session."""
        return [
            event_to_plain(event._replace(time=event.time - self.started_at))
            for event in self.events
        ]
