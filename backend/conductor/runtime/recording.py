"""The recording in the app, which is read from the engine, saved across restarts, and replayed to check
plans.
"""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypedDict

from conductor.base.paths import RECORDING
from conductor.config.store import ConfigStore
from conductor.domain.engine_protocol import ForgetRecording, ReadRecording, RecordingPart
from conductor.domain.recording import Recording
from conductor.domain.settings import EngineSettings
from conductor.engine.recording.reader import SegmentReader, UnknownFormatError
from conductor.engine.recording.segment_recorder import count_segments_to_keep
from conductor.errors import NotAvailable
from conductor.runtime.saved_segments import SavedSegment, delete_all, read_earlier
from conductor.runtime.supervisor import EngineSupervisor
from conductor.storage.recordings import RecordingFiles

log = logging.getLogger(__name__)

READ_EVERY_S = 2.0


class RecordingStatus(TypedDict):
    """How much is currently recorded."""

    segments: int
    entries: int
    played_s: float
    is_kept_on_disk: bool
    bytes_on_disk: int


class RecordingStore:
    """Copies the engine's recording to the app in a separate thread. `read` fetches the latest part first.

    `ask` sends a request to the engine, and `forget` clears its recording. `on_problem` is called with the
    reason why the recording cannot be written or deleted, and with None once it can be. Without `files` nothing
    is saved to disk. `forget_derived` drops results that were computed from the recording.
    """

    def __init__(
        self,
        ask: Callable[[ReadRecording], RecordingPart],
        forget: Callable[[], None],
        on_problem: Callable[[str | None], None],
        files: RecordingFiles | None,
        settings: EngineSettings,
        forget_derived: Callable[[], None] = lambda: None,
    ) -> None:
        self._ask = ask
        self._forget_in_engine = forget
        self._forget_derived = forget_derived
        self._on_problem = on_problem
        self._has_problem = False
        self._files = files
        self._settings = settings
        self._lock = threading.Lock()
        self._kept: list[SavedSegment] = []
        self._is_loaded = False
        """Whether the files of earlier sessions have been read, by the thread or, if earlier, by `read`."""
        self._is_trimmed = True
        """False after a change of settings that may shorten the history."""
        self._follows_gap = False
        self._has_failed = False
        self._session, self._number, self._rows = "", 0, 0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._follow_engine, name="recording", daemon=True)

    def start(self) -> None:
        """Start to copy the engine's recording."""
        self._delete_unless_kept()
        self._thread.start()

    def close(self) -> None:
        """Read the rest of the engine's recording, and end the thread."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(timeout=2)

    def configure(self, settings: EngineSettings) -> None:
        """Apply the settings. If saving is disabled, delete the saved recording at once."""
        # without the lock, which whoever waits for the engine's answer holds: a commit must not wait
        self._settings = settings
        self._is_trimmed = False
        self._delete_unless_kept()

    def read(self) -> Recording:
        """Return the whole recording up to now, or without its latest part if the engine does not answer."""
        with self._lock:
            self._load_segments()
            self._trim_history()
            with suppress(NotAvailable):
                self._read_new_parts()
            return Recording(tuple(one.segment() for one in self._kept if one.is_usable))

    def status(self) -> RecordingStatus:
        """Return how much is recorded, as shown to the user."""
        recording = self.read()
        return {
            "segments": len(recording.segments),
            "entries": sum(len(one.entries) for one in recording.segments),
            "played_s": round(sum(one.played_s() for one in recording.segments), 1),
            "is_kept_on_disk": self._is_on_disk(),
            "bytes_on_disk": self._count_bytes_on_disk(),
        }

    def clear(self) -> RecordingStatus:
        """Delete the recording in the app, in the engine and on disk. Return how much was recorded.

        Raises:
            NotAvailable: Files could not be deleted. Everything else was.
        """
        status = self.status()
        with self._lock:
            self._kept.clear()
            self._forget_in_engine()
            self._forget_derived()
            delete_all(self._files)
        return status

    def _is_on_disk(self) -> bool:
        return self._files is not None and self._settings.keep_recording

    def _count_bytes_on_disk(self) -> int:
        try:
            return 0 if self._files is None else self._files.size()
        except OSError as error:
            log.warning("the recording folder cannot be read: %s", error)
            return 0

    def _delete_unless_kept(self) -> None:
        """Delete the files if saving is disabled, and notify the user if that fails."""
        if self._settings.keep_recording:
            self._has_failed = False  # the next write tells
            self._report_problem(None)
            return
        # copied: the thread may be adding one
        for one in list(self._kept):
            one.is_written = False
        try:
            delete_all(self._files)
        except NotAvailable as error:
            log.warning("%s", error)
            self._report_problem(f"Recording is off, but {error}")
        else:
            self._has_failed = False
            self._report_problem(None)

    def _report_problem(self, text: str | None) -> None:
        if text is not None or self._has_problem:
            self._has_problem = text is not None
            self._on_problem(text)

    def _follow_engine(self) -> None:
        with self._lock:
            try:
                self._load_segments()
            except Exception:  # without it there is still what is played from now on
                log.exception("the recording of earlier sessions could not be read")
        while not self._stopping.wait(READ_EVERY_S):
            with self._lock:
                try:
                    self._trim_history()
                    self._read_new_parts()
                except NotAvailable:
                    continue  # it is being started again
                except Exception:  # the next look may go well
                    log.exception("the recent input could not be read from the engine")
        with self._lock, suppress(Exception):
            self._read_new_parts()

    def _read_new_parts(self) -> None:
        is_all = False
        while not is_all:
            part = self._ask(ReadRecording(self._session, self._number, self._rows))
            self._add_part(part)
            is_all = part["is_all"]

    def _add_part(self, part: RecordingPart) -> None:
        place = part["session"], part["number"]
        if "header" in part and not (self._kept and self._kept[-1].place() == place):
            self._begin_segment(part["header"])
        current = self._kept[-1] if self._kept else None
        pieces = part.get("pieces", [])
        if current is not None and pieces and current.place() == place:  # else forgotten meanwhile
            self._add_entries(current, pieces)
        # last: what could not be taken is asked for again
        self._session, self._number, self._rows = *place, part["rows"]

    def _begin_segment(self, header: str) -> None:
        try:
            reader = SegmentReader(header)
        except UnknownFormatError as error:
            log.warning("a segment of the recording cannot be read: %s", error)
            self._follows_gap = True
            return
        name = f"{time.time_ns() // 1_000_000:014d}-{reader.session}-{reader.number:06d}"
        current = SavedSegment(name, reader, follows_gap=self._follows_gap)
        self._follows_gap = False
        self._kept.append(current)
        self._forget_old_segments()
        current.is_written = self._is_on_disk()
        self._append_lines(current, [header])
        if self._has_failed and current.is_written:
            self._has_failed = False
            self._report_problem(None)

    def _add_entries(self, current: SavedSegment, pieces: list[str]) -> None:
        if current.is_damaged:
            return
        try:
            for piece in pieces:
                current.reader.add(piece)
        except UnknownFormatError as error:
            log.warning("the rest of a recording segment cannot be read: %s", error)
            current.damage()
            self._follows_gap = True
            self._delete_files([current.name])
            return
        self._append_lines(current, pieces)

    def _append_lines(self, current: SavedSegment, lines: list[str]) -> None:
        files = self._files
        if files is None or not current.is_written:
            return
        try:
            files.append(current.name, lines)
        except OSError as error:
            self._on_write_failed(error)
            current.is_written = False
        if not current.is_written:
            # recording was switched off meanwhile, or a part would pass for the whole segment
            with suppress(OSError):
                files.delete([current.name])

    def _forget_old_segments(self) -> None:
        sizes = [(len(one.reader.entries), one.reader.played_s()) for one in self._kept]
        kept = count_segments_to_keep(sizes, self._get_history_s())
        old, self._kept = self._kept[: len(self._kept) - kept], self._kept[len(self._kept) - kept :]
        self._delete_files([one.name for one in old])

    def _get_history_s(self) -> float:
        return self._settings.history_minutes * 60.0

    def _trim_history(self) -> None:
        if not self._is_trimmed:
            self._is_trimmed = True
            self._forget_old_segments()

    def _delete_files(self, names: list[str]) -> None:
        """Delete files that are no longer needed. If the total is too large, also delete the oldest files."""
        files = self._files
        if files is None:
            return
        try:
            files.delete(names)
            files.limit_bytes()
        except OSError as error:
            self._on_write_failed(error)

    def _load_segments(self) -> None:
        """Read the files of earlier sessions, newest first, until the history is long enough.

        Files that are too old or unreadable are deleted. Otherwise they would stay on disk forever without
        anyone noticing.
        """
        files = self._files
        if self._is_loaded or files is None or not self._settings.keep_recording:
            return
        self._is_loaded = True
        self._delete_files([])  # those over the limit need not be read
        try:
            names = files.names()
        except OSError as error:
            self._on_write_failed(error)
            return
        earlier, unused = read_earlier(files, names, self._kept, self._get_history_s())
        self._kept = [*earlier, *self._kept]
        self._delete_files(unused)

    def _on_write_failed(self, error: OSError) -> None:
        """Notify the user once that nothing can be written. Recording continues in memory."""
        log.warning("the recording cannot be saved to disk: %s", error)
        if not self._has_failed:
            self._has_failed = True
            self._report_problem(
                f"The recording cannot be saved to disk ({error.strerror}); it is kept in memory"
                " until Conductor ends"
            )


def follow_engine(
    engine: EngineSupervisor,
    on_problem: Callable[[str | None], None],
    home: Path | None,
    config: ConfigStore,
    forget_derived: Callable[[], None],
) -> RecordingStore:
    """Create and start the recording of a running app. Without a home folder nothing is saved to disk."""
    files = None if home is None else RecordingFiles(home / RECORDING)
    settings = config.current.settings.engine
    forget = partial(engine.send, ForgetRecording())
    store = RecordingStore(engine.ask, forget, on_problem, files, settings, forget_derived)
    store.start()
    return store
