"""The segments of the recording that the app keeps. Those of earlier sessions are read from files."""

from collections.abc import Sequence

from conductor.domain.recording import Segment
from conductor.engine.recording.reader import SegmentReader, UnknownFormatError
from conductor.engine.recording.segment_recorder import count_segments_to_keep
from conductor.errors import NotAvailable
from conductor.storage.recordings import RecordingFiles

UNREADABLE = "a part of the recording could not be read"
"""Completes the sentence "when this part of the recording begins, ..."."""


class SavedSegment:
    """A segment of the recording, which may still be growing while it is read from the engine."""

    def __init__(self, name: str, reader: SegmentReader, *, follows_gap: bool = False) -> None:
        self.name = name
        self.reader = reader
        self.follows_gap = follows_gap
        """Whether the input just before this segment is lost. A replay must then not join the two segments."""
        self.is_damaged = False
        """Whether some entries could not be read."""
        self.is_written = False
        """Whether the file contains all entries so far. Lines after a hole would be read as its next
        entries.
        """
        self._built: Segment | None = None

    def place(self) -> tuple[str, int]:
        return self.reader.session, self.reader.number

    @property
    def is_usable(self) -> bool:
        return self.is_damaged or self.reader.is_usable

    def damage(self) -> None:
        """Mark the segment as damaged. Replays then report that its effect is unknown."""
        self.is_damaged, self.is_written, self._built = True, False, None

    def segment(self) -> Segment:
        """Return the segment. It is rebuilt only if entries were added since the last call."""
        built = self._built
        if built is None or len(built.entries) != len(self.reader.entries):
            built = self._built = self._build_segment()
        return built

    def _build_segment(self) -> Segment:
        segment = self.reader.segment()
        if self.is_damaged:
            start = segment.start._replace(unfinished=(UNREADABLE, *segment.start.unfinished))
            return segment._replace(start=start, is_loaded=True)
        # a load ends a chain of segments that a replay plays in one go, and so does a gap
        return segment._replace(is_loaded=True) if self.follows_gap else segment


def read_earlier(
    files: RecordingFiles, names: Sequence[str], kept: Sequence[SavedSegment], history_s: float
) -> tuple[list[SavedSegment], list[str]]:
    """Read recording files, newest first, until they and the segments in memory cover enough history.

    Returns the segments, oldest first, and the names of files that are too old or contain nothing to replay.
    """
    known = {one.name for one in kept}
    sizes = [(len(one.reader.entries), one.reader.played_s()) for one in reversed(kept)]
    earlier: list[SavedSegment] = []
    unused: list[str] = []
    is_enough = False
    for name in reversed([name for name in names if name not in known]):
        found = None if is_enough else read_lines(files.read(name))
        if found is not None:
            sizes.append((len(found[0].entries), found[0].played_s()))
            is_enough = count_segments_to_keep(sizes[::-1], history_s) < len(sizes)
        if found is None or is_enough:
            unused.append(name)
            continue
        reader, is_whole = found
        if earlier and not (is_whole and earlier[-1].reader.number == reader.number + 1):
            earlier[-1].follows_gap = True
        earlier.append(SavedSegment(name, reader))
    return earlier[::-1], unused


def read_lines(lines: list[str]) -> tuple[SegmentReader, bool] | None:
    """Return a reader with the file's lines before the first damaged line, and whether no line is damaged.

    Return None if no line is left to replay.
    """
    is_whole = True
    try:
        reader = SegmentReader(lines[0] if lines else "")
    except UnknownFormatError:
        return None
    for line in lines[1:]:
        try:
            reader.add(line)
        except UnknownFormatError:
            is_whole = False
            break
    return (reader, is_whole) if reader.is_usable and reader.entries else None


def delete_all(files: RecordingFiles | None) -> None:
    """Delete all files of the recording. Does nothing if `files` is None.

    Raises:
        NotAvailable: some could not be deleted.
    """
    if files is None:
        return
    try:
        files.clear()
    except OSError as error:
        raise NotAvailable(
            f"the recording could not be deleted: {error.strerror or error}. Check that"
            f" {files.folder} and the files in it are yours and can be written, and try again,"
            " or delete the folder"
        ) from error
