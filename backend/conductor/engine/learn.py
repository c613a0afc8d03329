"""Captures input events for MIDI Learn."""

from conductor.domain.events import CONTROL_CLASS, InputEvent
from conductor.domain.wire_rows import EventRow, event_to_plain

MAX_CAPTURED_EVENTS = 20_000


class LearnSession:
    """The captured events of a MIDI Learn session, from which `domain.patterns.suggest_triggers` derives
    triggers.
    """

    def __init__(self, started_at: float) -> None:
        self.started_at = started_at
        self.events: list[InputEvent] = []

    def add_event(self, event: InputEvent) -> None:
        if event.kind in CONTROL_CLASS and len(self.events) < MAX_CAPTURED_EVENTS:
            self.events.append(event)

    def to_plain(self) -> list[EventRow]:
        """Return the events as plain data, with times relative to the start of the session."""
        return [
            event_to_plain(event._replace(time=event.time - self.started_at))
            for event in self.events
        ]
