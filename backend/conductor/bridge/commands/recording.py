"""Commands about the recording of input events: report its size, or delete it."""

from conductor.bridge.models import Empty
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
def get_recording_status(params: Empty, call: Call) -> RecordingStatus:
    """Return the size of the recording that replays use."""
    return RecordingStatus.model_validate(call.services.engine.recording.status())


@command("recording.clear", "stateful")
def clear_recording(params: Empty, call: Call) -> RecordingStatus:
    """Delete the recording from memory and disk, and return how large it was."""
    return RecordingStatus.model_validate(call.services.engine.recording.clear())
