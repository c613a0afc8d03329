"""How the app reads the engine's recording: part by part, from where the last part ended.

The link's reader thread answers while the engine's thread records. Entries only grow, and a part is encoded
in small pieces, so the engine's thread never waits longer than one piece takes.
"""

from typing import Any

from conductor.engine.recording.segment_recorder import SegmentRecorder
from conductor.engine.recording.wire import count_rows, encode_header, encode_rows

ROWS_A_PART = 500
Part = dict[str, Any]


def read_part(recorder: SegmentRecorder, session: str, number: int, rows: int) -> Part:
    """Return what follows the first `rows` lines of a segment; a new session begins at its start.

    `header` comes with the first part of a segment. `is_all` says that nothing follows at the moment.
    """
    if session != recorder.session:
        number, rows = 0, 0
    segments = [one for one in list(recorder.segments) if one.number >= number]
    if segments and segments[0].number == number and len(segments) > 1:
        first = segments[0]
        if rows >= count_rows(first):
            segments, rows = segments[1:], 0
    if not segments:
        return {"session": recorder.session, "number": number, "rows": rows, "is_all": True}
    segment = segments[0]
    if segment.number != number:
        rows = 0
    end = count_rows(segment)
    pieces = encode_rows(segment, rows, min(end - rows, ROWS_A_PART))
    reached = rows + sum(piece.count("\n") + 1 for piece in pieces)
    part: Part = {
        "session": recorder.session,
        "number": segment.number,
        "oldest": recorder.segments[0].number,
        "pieces": pieces,
        "rows": reached,
        "is_all": reached == end and len(segments) == 1,
    }
    if rows == 0:
        part["header"] = encode_header(segment, recorder.session)
    return part
