"""The replies of the engine to requests of the app (see `engine_protocol.py`)."""

from typing import TYPE_CHECKING, Literal, NotRequired, TypedDict

if TYPE_CHECKING:  # each module that is imported here delays the start of the engine
    from conductor.domain.wire_rows import (
        EventRow,
        ExplainedTraceRow,
        FailureRow,
        TraceRow,
    )

InputConsent = Literal["allowed", "asking", "refused", "needed"]
"""Whether the user allows Conductor to press keys, on systems that ask the user."""


class SwitchModeReply(TypedDict, total=False):
    """The mode that is active now, or the error for a mode that does not exist."""

    error: str
    success: bool
    mode_name: str
    mode_index: int
    total_modes: int


class PauseReply(TypedDict):
    was_paused: bool
    """Whether the mappings had been paused before."""


class RescanReply(TypedDict):
    message: str


class ConnectReply(TypedDict):
    connected: bool


class SendMidiReply(TypedDict):
    """The number of messages that were sent, and why the others were not."""

    sent: int
    refused: NotRequired[str]
    """Why a message was not sent without the approval of the user."""
    error: NotRequired[str]


class PerformReply(TypedDict, total=False):
    """Whether the action was performed and is still running, or why it failed."""

    performed: bool
    running: bool
    error: str


class StatusReply(TypedDict):
    mode: str
    profile: str | None
    paused: bool
    app: list[str]
    """The executable, bundle id and window title of the foreground app."""
    mappings: int
    events_processed: int
    actions_executed: int
    failures: "list[FailureRow]"
    last_event_at: dict[str, float]
    """Seconds since the last event of each device."""
    held_keys: list[str]
    input_route: str | None
    """The input route by which keys reach other programs; None if there is none yet."""
    input_consent: InputConsent | None
    """The user's decision about the input route in use, if this route needs consent; otherwise None."""
    input_problem: str | None
    """Why a better input route of the session is not used; None if the best one is used."""
    dry_run: bool
    problems: list[str]


class AskForConsentReply(TypedDict):
    """The reason why the user cannot be asked, or an empty text if the user is being asked."""

    error: str


class RecentEventsReply(TypedDict):
    events: "list[EventRow]"


class RecentTracesReply(TypedDict):
    traces: "list[TraceRow]"
    failures: "list[FailureRow]"
    """The failures that belong to the traces."""


class ExplainReply(TypedDict):
    trace: "ExplainedTraceRow | None"


class RecordingPart(TypedDict):
    """Consecutive lines of one segment of the recording, from the requested position on."""

    session: str
    number: int
    rows: int
    """The number of lines of the segment that were read so far, with this part."""
    is_all: bool
    """Whether there are no further lines at the moment."""
    oldest: NotRequired[int]
    header: NotRequired[str]
    """The first line of the segment, which only its first part has."""
    pieces: NotRequired[list[str]]


class StartLearnReply(TypedDict):
    status: Literal["learning"]


class LearnedReply(TypedDict):
    events: "list[EventRow]"
    """The captured events, with times in seconds since `started_at`."""
    started_at: float
    """The engine time at which the MIDI Learn session was started."""
