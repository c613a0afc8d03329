"""Transfers the recording of the engine to the app, in parts that the app requests.

The link's reader thread encodes the parts while the engine thread records. No lock is needed, because
entries are only appended. A part is encoded in small pieces, so that the engine thread waits for the
interpreter lock no longer than the encoding of one piece takes.
"""

from conductor.domain.engine_replies import RecordingPart
from conductor.engine.recording.segment_recorder import SegmentRecorder
from conductor.engine.recording.wire import (
    count_segment_rows,
    encode_segment_header,
    encode_segment_rows,
)

MAX_ROWS_PER_PART = 500


def read_recording_part(
    recorder: SegmentRecorder, session: str, number: int, rows: int
) -> RecordingPart:
    """Return the lines of a segment after the first `rows`. If the session differs, return
    the start of the recording.

    The first part of a segment has a `header`. `is_all` is set if there are no further lines at the moment.
    """
    if session != recorder.session:
        number, rows = 0, 0
    segments = [segment for segment in list(recorder.segments) if segment.number >= number]
    if segments and segments[0].number == number and len(segments) > 1:
        first = segments[0]
        if rows >= count_segment_rows(first):
            segments, rows = segments[1:], 0
    if not segments:
        return {"session": recorder.session, "number": number, "rows": rows, "is_all": True}
    segment = segments[0]
    if segment.number != number:
        rows = 0
    end = count_segment_rows(segment)
    pieces = encode_segment_rows(segment, rows, min(end - rows, MAX_ROWS_PER_PART))
    reached = rows + sum(piece.count("\n") + 1 for piece in pieces)
    part: RecordingPart = {
        "session": recorder.session,
        "number": segment.number,
        "oldest": recorder.segments[0].number,
        "pieces": pieces,
        "rows": reached,
        "is_all": reached == end and len(segments) == 1,
    }
    if rows == 0:
        part["header"] = encode_segment_header(segment, recorder.session)
    return part
