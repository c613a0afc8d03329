"""Copies the engine's recording of input to the app, and saves it to disk.

A plan is checked by replaying it.
"""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypedDict

from conductor.base.paths import RECORDING_FOLDER
from conductor.config.store import ConfigStore
from conductor.domain.engine_protocol import ForgetRecording, ReadRecording
from conductor.domain.engine_replies import RecordingPart
from conductor.domain.recording import Recording
from conductor.domain.settings import EngineSettings
from conductor.engine.recording.reader import SegmentReader, UnknownFormatError
from conductor.engine.recording.segment_recorder import count_segments_to_keep
from conductor.errors import NotAvailable
from conductor.runtime.saved_segments import (
    SavedSegment,
    delete_recording_files,
    read_earlier_segments,
)
from conductor.runtime.supervisor import EngineSupervisor
from conductor.storage.recordings import RecordingFiles

log = logging.getLogger(__name__)

READ_INTERVAL_S = 2.0


class RecordingStatus(TypedDict):
    """The size of the recording in memory and on disk, as the user sees it."""

    segments: int
    entries: int
    played_s: float
    is_kept_on_disk: bool
    bytes_on_disk: int


class RecordingStore:
    """Copies the engine's recording to the app in a thread. `read_recording` fetches the latest part first.

    `request_part` requests a part of the recording from the engine, and `clear_in_engine` clears the engine's
    recording. `on_problem` is called with the reason why the recording cannot be written or deleted, and with
    None when the problem has been solved. Without `files` nothing is saved to disk. `clear_derived` discards
    results that were computed from the recording.
    """

    def __init__(
        self,
        request_part: Callable[[ReadRecording], RecordingPart],
        clear_in_engine: Callable[[], None],
        on_problem: Callable[[str | None], None],
        files: RecordingFiles | None,
        settings: EngineSettings,
        clear_derived: Callable[[], None] = lambda: None,
    ) -> None:
        self._request_part = request_part
        self._clear_in_engine = clear_in_engine
        self._clear_derived = clear_derived
        self._on_problem = on_problem
        self._has_problem = False
        self._files = files
        self._settings = settings
        self._lock = threading.Lock()
        self._saved: list[SavedSegment] = []
        self._is_loaded = False
        """Whether the files of earlier sessions have been read."""
        self._is_trimmed = True
        """Whether the history has been shortened to the configured length; false after
        a change of the settings."""
        self._follows_gap = False
        self._has_write_failed = False
        self._session, self._number, self._rows = "", 0, 0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._copy_recording, name="recording", daemon=True)

    def start(self) -> None:
        """Start copying the engine's recording in a separate thread."""
        self._delete_if_not_saved()
        self._thread.start()

    def close(self) -> None:
        """Copy the latest part of the engine's recording, then stop the thread."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(timeout=2)

    def apply_settings(self, settings: EngineSettings) -> None:
        """Apply changed settings. If saving is disabled, the saved recording is deleted immediately."""
        # Without the lock: a thread may hold it while it waits for the engine's answer, and a commit must not
        # wait for that.
        self._settings = settings
        self._is_trimmed = False
        self._delete_if_not_saved()

    def read_recording(self) -> Recording:
        """Return the recording up to now; if the engine does not answer, the latest part is missing."""
        with self._lock:
            self._load_segments()
            self._trim_history()
            with suppress(NotAvailable):
                self._read_new_parts()
            return Recording(tuple(saved.get_segment() for saved in self._saved if saved.is_usable))

    def status(self) -> RecordingStatus:
        """Return the size of the recording, for display to the user."""
        segments = self.read_recording().segments
        return {
            "segments": len(segments),
            "entries": sum(len(segment.entries) for segment in segments),
            "played_s": round(sum(segment.played_s() for segment in segments), 1),
            "is_kept_on_disk": self._is_saving_enabled(),
            "bytes_on_disk": self._count_bytes_on_disk(),
        }

    def clear(self) -> RecordingStatus:
        """Delete the recording in the app, in the engine and on disk. Return its size before the deletion.

        Raises:
            NotAvailable: Some files could not be deleted. The recording in memory was deleted.
        """
        status = self.status()
        with self._lock:
            self._saved.clear()
            self._clear_in_engine()
            self._clear_derived()
            delete_recording_files(self._files)
        return status

    def _is_saving_enabled(self) -> bool:
        return self._files is not None and self._settings.keep_recording

    def _count_bytes_on_disk(self) -> int:
        try:
            return 0 if self._files is None else self._files.measure_total_size()
        except OSError as error:
            log.warning("the recording folder cannot be read: %s", error)
            return 0

    def _delete_if_not_saved(self) -> None:
        """Delete the files if saving is disabled, and tell the user if they cannot be deleted."""
        if self._settings.keep_recording:
            self._has_write_failed = False  # the next write shows whether the problem is solved
            self._report_problem(None)
            return
        # Copied, because the thread may be adding a segment.
        for saved in list(self._saved):
            saved.is_written = False
        try:
            delete_recording_files(self._files)
        except NotAvailable as error:
            log.warning("%s", error)
            self._report_problem(f"Recording is off, but {error}")
        else:
            self._has_write_failed = False
            self._report_problem(None)

    def _report_problem(self, text: str | None) -> None:
        if text is not None or self._has_problem:
            self._has_problem = text is not None
            self._on_problem(text)

    def _copy_recording(self) -> None:
        with self._lock:
            try:
                self._load_segments()
            except Exception:  # new input can be recorded all the same
                log.exception("the recording of earlier sessions could not be read")
        while not self._stopping.wait(READ_INTERVAL_S):
            with self._lock:
                try:
                    self._trim_history()
                    self._read_new_parts()
                except NotAvailable:
                    continue  # the engine is being restarted
                except Exception:  # the next attempt may succeed
                    log.exception("the recent input could not be read from the engine")
        with self._lock, suppress(Exception):
            self._read_new_parts()

    def _read_new_parts(self) -> None:
        is_all = False
        while not is_all:
            part = self._request_part(ReadRecording(self._session, self._number, self._rows))
            self._add_part(part)
            is_all = part["is_all"]

    def _add_part(self, part: RecordingPart) -> None:
        segment_key = part["session"], part["number"]
        if "header" in part and not (
            self._saved and self._saved[-1].get_segment_key() == segment_key
        ):
            self._begin_segment(part["header"])
        current = self._saved[-1] if self._saved else None
        pieces = part.get("pieces", [])
        # A segment that was deleted meanwhile gets no more entries.
        if current is not None and pieces and current.get_segment_key() == segment_key:
            self._add_entries(current, pieces)
        # Set last, so that a part that could not be added is requested again.
        self._session, self._number, self._rows = *segment_key, part["rows"]

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
        self._saved.append(current)
        self._delete_old_segments()
        current.is_written = self._is_saving_enabled()
        self._append_lines(current, [header])
        if self._has_write_failed and current.is_written:
            self._has_write_failed = False
            self._report_problem(None)

    def _add_entries(self, current: SavedSegment, pieces: list[str]) -> None:
        if current.is_damaged:
            return
        try:
            for piece in pieces:
                current.reader.add_lines(piece)
        except UnknownFormatError as error:
            log.warning("the rest of a recording segment cannot be read: %s", error)
            current.mark_damaged()
            self._follows_gap = True
            self._delete_files([current.name])
            return
        self._append_lines(current, pieces)

    def _append_lines(self, current: SavedSegment, lines: list[str]) -> None:
        files = self._files
        if files is None or not current.is_written:
            return
        try:
            files.append_lines(current.name, lines)
        except OSError as error:
            self._on_write_failed(error)
            current.is_written = False
        if not current.is_written:
            # Saving was disabled meanwhile, or the incomplete file would be read as a complete segment.
            with suppress(OSError):
                files.delete_files([current.name])

    def _delete_old_segments(self) -> None:
        sizes = [(len(saved.reader.entries), saved.reader.played_s()) for saved in self._saved]
        first = len(sizes) - count_segments_to_keep(sizes, self._get_history_s())
        old, self._saved = self._saved[:first], self._saved[first:]
        self._delete_files([saved.name for saved in old])

    def _get_history_s(self) -> float:
        return self._settings.history_minutes * 60.0

    def _trim_history(self) -> None:
        if not self._is_trimmed:
            self._is_trimmed = True
            self._delete_old_segments()

    def _delete_files(self, names: list[str]) -> None:
        """Delete the named files and, if the rest is still above the size limit, the oldest of the others."""
        files = self._files
        if files is None:
            return
        try:
            files.delete_files(names)
            files.limit_bytes()
        except OSError as error:
            self._on_write_failed(error)

    def _load_segments(self) -> None:
        """Read the files of earlier sessions, newest first, until the history is long enough.

        Files that are too old or unreadable are deleted, because otherwise they would stay on disk forever.
        """
        files = self._files
        if self._is_loaded or files is None or not self._settings.keep_recording:
            return
        self._is_loaded = True
        self._delete_files([])  # files beyond the size limit will be deleted and need not be read
        try:
            names = files.list_file_names()
        except OSError as error:
            self._on_write_failed(error)
            return
        earlier, unused = read_earlier_segments(files, names, self._saved, self._get_history_s())
        self._saved = [*earlier, *self._saved]
        self._delete_files(unused)

    def _on_write_failed(self, error: OSError) -> None:
        """Notify the user, once, that the recording cannot be saved; it continues in memory."""
        log.warning("the recording cannot be saved to disk: %s", error)
        if not self._has_write_failed:
            self._has_write_failed = True
            self._report_problem(
                f"The recording cannot be saved to disk ({error.strerror}); it is kept in memory"
                " until Conductor ends"
            )


def start_recording_store(
    engine: EngineSupervisor,
    on_problem: Callable[[str | None], None],
    home: Path | None,
    config: ConfigStore,
    clear_derived: Callable[[], None],
) -> RecordingStore:
    """Start the recording store of the app and return it. If `home` is None, nothing is saved to disk."""
    files = None if home is None else RecordingFiles(home / RECORDING_FOLDER)
    settings = config.current_config.settings.engine
    clear_in_engine = partial(engine.send, ForgetRecording())
    store = RecordingStore(
        engine.send_request, clear_in_engine, on_problem, files, settings, clear_derived
    )
    store.start()
    return store
