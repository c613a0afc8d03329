"""The queue of events for one page, whose size is limited.

A newer event replaces a queued event on the same subject. A slow page loses traces and receives the number
of lost traces. Events about the config, plans and questions are never lost, because the latest one replaces
the earlier ones. Chat events keep their order, and consecutive pieces of a text are merged.
"""

import threading
from typing import Any

from conductor.base.json_types import JsonObject

MAX_QUEUED_TRACES = 1000
"""The maximum number of traces in a batch, those of half a second at 2,000 events a second: a page that is
busy for a moment misses none, and a slow page does not fill the memory.
"""
MAX_QUEUED_FAILURES = 100
MAX_QUEUED_NOTICES = 50
CONTINUOUS_EVENT_KINDS = frozenset(
    {"cc", "nrpn", "rpn", "axis", "gamepad_trigger", "pitch_bend"}
) | {
    "poly_pressure",
    "channel_pressure",
}
"""Kinds of events of continuous controls.

Only the latest event of a control and outcome is sent, with a count.
"""
_TOPIC_LIMITS = {
    "trace": MAX_QUEUED_TRACES,
    "failure": MAX_QUEUED_FAILURES,
    "notice": MAX_QUEUED_NOTICES,
}
_SUBJECT_FIELDS: dict[str, str | None] = {
    "status": None,
    "devices": None,
    "config": None,
    "problems": None,
    "front": None,
    "knowledge": None,
    "manuals": None,
    "names": None,
    "midi_learn": None,
    "mode_switch": None,
    "plan": "plan_id",
    "plan_coverage": "plan_id",
    "approval": "approval_id",
    "servers": "name",
    "question": "question_id",
    "authorization_request": "request_id",
    "a2a": None,
    "remote": None,
    "provider": "provider",
    "code": "run_id",
    "notice": "text",
}
"""The field that names the subject of an event, or None if all events of the topic have the same subject."""

Batch = list[list[Any]]
_EventKey = tuple[Any, ...]


class Outbox:
    """The queue of events for one page. Any thread may add events, and a single consumer removes them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queued: dict[_EventKey, tuple[str, JsonObject]] = {}
        self._counts = dict.fromkeys(_TOPIC_LIMITS, 0)
        self._skipped = 0
        self._last_unique_key = 0
        self._sequence = 0

    def queue_event(self, topic: str, payload: JsonObject) -> None:
        """Add an event to the next batch. It may replace a queued event on the same subject."""
        with self._lock:
            if topic == "skipped":
                self._skipped += payload["count"]
                return
            if topic == "chat" and payload["type"] in ("delta", "call"):
                payload = self._merge_with_last_text(payload)
            key = self._build_key(topic, payload)
            before = self._queued.pop(key, None)
            if before is not None:
                if topic == "trace":
                    payload = {**payload, "count": before[1]["count"] + payload["count"]}
            elif topic in _TOPIC_LIMITS:
                self._drop_oldest_if_full(topic)
            self._queued[key] = (topic, payload)

    def take_batch(self) -> Batch:
        """Remove all queued events and return them as a list of `[number, topic, payload]`.

        The numbers are consecutive across batches, so that a page can detect a lost batch.
        """
        with self._lock:
            events = list(self._queued.values())
            self._queued.clear()
            self._counts = dict.fromkeys(_TOPIC_LIMITS, 0)
            if self._skipped:
                events.append(("skipped", {"count": self._skipped}))
                self._skipped = 0
            first = self._sequence + 1
            self._sequence += len(events)
        return [[first + at, topic, payload] for at, (topic, payload) in enumerate(events)]

    def __len__(self) -> int:
        return len(self._queued) + (self._skipped > 0)

    def _build_key(self, topic: str, payload: JsonObject) -> _EventKey:
        """Return the subject of an event. An event replaces the queued event with the same subject."""
        match topic:
            case "trace" if payload["event"]["kind"] in CONTINUOUS_EVENT_KINDS:
                event = payload["event"]
                control = (event["device"], event["channel"], event["kind"], event["number"])
                return (topic, *control, payload["outcome"])
            case "chat" if payload["type"] == "state":
                return (topic, payload["conversation_id"])
            case "voice" if payload["outcome"] == "none":
                return (topic,)
            case "trace" | "failure" | "chat" | "voice":
                self._last_unique_key += 1
                return (topic, self._last_unique_key)
            case _ if topic in _SUBJECT_FIELDS:
                field = _SUBJECT_FIELDS[topic]
                return (topic,) if field is None else (topic, payload[field])
            case _:
                raise ValueError(f"no key is defined for events of topic `{topic}`")

    def _merge_with_last_text(self, piece: JsonObject) -> JsonObject:
        """Append a piece of chat text to the last queued event, if that is the preceding piece of the same
        text.
        """
        if not self._queued:
            return piece
        key, (topic, last) = next(reversed(self._queued.items()))
        text_keys = ("type", "message_id", "index")
        if topic != "chat" or any(last.get(name) != piece[name] for name in text_keys):
            return piece
        del self._queued[key]
        return {**last, "text": last["text"] + piece["text"]}

    def _drop_oldest_if_full(self, topic: str) -> None:
        if self._counts[topic] < _TOPIC_LIMITS[topic]:
            self._counts[topic] += 1
            return
        oldest = next(key for key, event in self._queued.items() if event[0] == topic)
        dropped = self._queued.pop(oldest)[1]
        self._skipped += dropped.get("count", 1)
