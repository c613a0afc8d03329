"""Holds the segments of the app's recording, and reads those of earlier sessions from files."""

from collections.abc import Sequence

from conductor.domain.recording import Segment
from conductor.engine.recording.reader import SegmentReader, UnknownFormatError
from conductor.engine.recording.segment_recorder import count_segments_to_keep
from conductor.errors import NotAvailable
from conductor.storage.recordings import RecordingFiles

UNREADABLE_PART_MESSAGE = "a part of the recording could not be read"
"""Why a replay cannot judge an unreadable part. The text completes "when this part of
the recording begins, ..."."""


class SavedSegment:
    """A segment of the recording in the app; the current one grows while it is copied from the engine."""

    def __init__(self, name: str, reader: SegmentReader, *, follows_gap: bool = False) -> None:
        self.name = name
        self.reader = reader
        self.follows_gap = follows_gap
        """Whether input before the segment was lost, so that a replay must not join it
        to the previous segment."""
        self.is_damaged = False
        """Whether some entries of the segment could not be read."""
        self.is_written = False
        """Whether the file contains all entries so far. If not, nothing may be appended to the file, because
        a reader would not notice the missing lines."""
        self._cached_segment: Segment | None = None

    def get_segment_key(self) -> tuple[str, int]:
        """Return the session and the number of the segment, which identify it in the engine's recording."""
        return self.reader.session, self.reader.number

    @property
    def is_usable(self) -> bool:
        return self.is_damaged or self.reader.is_usable

    def mark_damaged(self) -> None:
        """Mark the segment as damaged, so that replays report an unknown effect for it."""
        self.is_damaged, self.is_written, self._cached_segment = True, False, None

    def get_segment(self) -> Segment:
        """Return the segment in the form that a replay needs. The result is cached until entries are added."""
        segment = self._cached_segment
        if segment is None or len(segment.entries) != len(self.reader.entries):
            segment = self._cached_segment = self._build_segment()
        return segment

    def _build_segment(self) -> Segment:
        segment = self.reader.build_segment()
        if self.is_damaged:
            start = segment.start._replace(
                unfinished=(UNREADABLE_PART_MESSAGE, *segment.start.unfinished)
            )
            return segment._replace(start=start, is_loaded=True)
        # A replay joins consecutive segments up to the next loaded config, and must also stop at a gap.
        return segment._replace(is_loaded=True) if self.follows_gap else segment


def read_earlier_segments(
    files: RecordingFiles, names: Sequence[str], kept: Sequence[SavedSegment], history_s: float
) -> tuple[list[SavedSegment], list[str]]:
    """Read recording files, newest first, until their segments and the `kept` segments cover `history_s`
    seconds.

    Return the segments, oldest first, and the names of files that are too old or contain nothing to replay.
    """
    known = {saved.name for saved in kept}
    sizes = [(len(saved.reader.entries), saved.reader.played_s()) for saved in reversed(kept)]
    earlier: list[SavedSegment] = []
    unused: list[str] = []
    is_enough = False
    for name in reversed([name for name in names if name not in known]):
        parsed = None if is_enough else parse_segment_lines(files.read_lines(name))
        if parsed is not None:
            sizes.append((len(parsed[0].entries), parsed[0].played_s()))
            is_enough = count_segments_to_keep(sizes[::-1], history_s) < len(sizes)
        if parsed is None or is_enough:
            unused.append(name)
            continue
        reader, is_whole = parsed
        if earlier and not (is_whole and earlier[-1].reader.number == reader.number + 1):
            earlier[-1].follows_gap = True
        earlier.append(SavedSegment(name, reader))
    return earlier[::-1], unused


def parse_segment_lines(lines: list[str]) -> tuple[SegmentReader, bool] | None:
    """Parse the lines of a recording file up to the first damaged line.

    Returns a reader with the entries, and whether all lines are intact, or None if
    there is nothing to replay.
    """
    is_whole = True
    try:
        reader = SegmentReader(lines[0] if lines else "")
    except UnknownFormatError:
        return None
    for line in lines[1:]:
        try:
            reader.add_lines(line)
        except UnknownFormatError:
            is_whole = False
            break
    return (reader, is_whole) if reader.is_usable and reader.entries else None


def delete_recording_files(files: RecordingFiles | None) -> None:
    """Delete all files of the recording. Do nothing if `files` is None.

    Raises:
        NotAvailable: Some files could not be deleted.
    """
    if files is None:
        return
    try:
        files.delete_all_files()
    except OSError as error:
        raise NotAvailable(
            f"the recording could not be deleted: {error.strerror or error}. Check that you own"
            f" {files.folder} and the files in it and can write to them, and try again,"
            " or delete the folder"
        ) from error
