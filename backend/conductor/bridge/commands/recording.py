"""Commands of the recording: how much of what was played is kept, and forgetting it."""

from conductor.bridge.models import Nothing
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.value import Value


class RecordingStatus(Value):
    segments: int
    entries: int
    played_s: float
    is_kept_on_disk: bool
    bytes_on_disk: int


@query("recording.status")
def status(params: Nothing, call: Call) -> RecordingStatus:
    """Return how much of what was played is kept for replays."""
    return RecordingStatus.model_validate(call.desk.recording.status())


@command("recording.clear", "stateful")
def clear(params: Nothing, call: Call) -> RecordingStatus:
    """Forget what was played, in memory and on disk; the answer says how much that was."""
    return RecordingStatus.model_validate(call.desk.recording.clear())
