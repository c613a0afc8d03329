"""Defines the payloads of the app's events; those of the engine's events are in `wire_rows`."""

from datetime import datetime
from typing import Literal

from conductor.domain.chat.messages import ProviderHealth
from conductor.domain.coverage import Coverage
from conductor.domain.manuals import Manual
from conductor.domain.validate import Problem
from conductor.domain.value import Value


class ConfigTopic(Value):
    """Reports that a new config is running."""

    hash: str


class ProblemsTopic(Value):
    """The errors because of which the config file on disk is not loaded; empty if the file is loaded."""

    problems: tuple[Problem, ...]


class PlanCoverageTopic(Value):
    """The results so far of playing generated gestures for a plan; the last event has the final results."""

    plan_id: str
    coverage: Coverage


class KnowledgeTopic(Value):
    """The progress of building the knowledge index; the last event is sent when the index is complete."""

    updating: bool
    step: str
    done: int
    of: int


class ManualsTopic(Value):
    """The state of all manuals of the user, sent whenever one is added, indexed further or removed."""

    manuals: tuple[Manual, ...]


class MidiLearnSession(Value):
    """A MIDI Learn session of a client, which captures what the user plays until it expires or is stopped."""

    session_id: str
    caller: str
    """The kind of the client, such as `mcp`; see `Requester`."""
    client: str | None
    executable: str | None
    conversation_id: str | None
    """The conversation whose assistant started the session, or None."""
    expires_at: datetime


class MidiLearnTopic(Value):
    """The clients that are capturing input now, sent whenever one starts or ends."""

    sessions: tuple[MidiLearnSession, ...]


class ModeSwitchTopic(Value):
    """Reports that a client has switched to another mode in the running engine."""

    mode: str
    previous_mode: str
    caller: str
    """The kind of the client, such as `mcp`; see `Requester`."""
    client: str | None
    executable: str | None


class ProviderTopic(Value):
    """The health of a model provider, sent when it answers again, fails, or fails in another way."""

    provider: str
    health: ProviderHealth


class VoiceTopic(Value):
    """Whether the microphone is open, and what was heard when it was closed."""

    state: Literal["idle", "opening", "listening", "recognizing"]
    by: str = ""
    """The name of the mapping whose control is or was held; empty for the button in the chat."""
    text: str = ""
    """What was heard; only in the event after the microphone was closed."""
    outcome: Literal["none", "sent", "performed", "waiting", "failed"] = "none"
    """What happened to the text. `waiting`: it waits in the message field of the chat."""
    message: str = ""
    """The message for the chat, or the reason of a failure."""
    conversation_id: str | None = None
    """The conversation to which the message was sent."""


class CodeTopic(Value):
    """Offers a piece of code to the pages, one of which runs it, or withdraws the offer."""

    run_id: str
    state: Literal["wanted", "stopped"]
