"""What was played, in the app: read from the engine, kept over restarts, handed to whoever proves a change."""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from conductor.app.supervisor import EngineProcess
from conductor.base.paths import RECORDING
from conductor.config.store import ConfigStore
from conductor.domain.recording import Recording, Segment
from conductor.domain.settings import EngineSettings
from conductor.engine.recording_wire import SegmentReader, UnknownFormat
from conductor.engine.segment_recorder import keep_newest
from conductor.errors import NotAvailable
from conductor.storage.recordings import RecordingFiles

log = logging.getLogger(__name__)

READ_EVERY_S = 2.0


class AskEngine(Protocol):
    def __call__(self, op: str, /, **fields: Any) -> dict[str, Any]: ...


class _Kept:
    """A segment that is being read, or was."""

    def __init__(self, name: str, reader: SegmentReader) -> None:
        self.name = name
        self.reader = reader
        self._built: Segment | None = None

    def segment(self) -> Segment:
        """Return it; built again only when entries have come since."""
        built = self._built
        if built is None or len(built.entries) != len(self.reader.entries):
            built = self._built = self.reader.segment()
        return built


class RecordingStore:
    """Follows the engine's recording in a thread of its own; `read` brings it up to date first.

    `ask` asks the engine, `forget` makes it forget, `notify` shows the user a sentence. Without `files`
    nothing is kept on disk.
    """

    def __init__(
        self,
        ask: AskEngine,
        forget: Callable[[], None],
        notify: Callable[[str], None],
        files: RecordingFiles | None,
        settings: EngineSettings,
    ) -> None:
        self._ask = ask
        self._forget_in_engine = forget
        self._notify = notify
        self._files = files
        self._settings = settings
        self._lock = threading.Lock()
        self._kept: list[_Kept] = []
        self._is_loaded = False
        """Files of earlier sessions are read at the first need of them."""
        self._has_failed = False
        self._session, self._number, self._rows = "", 0, 0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="recording", daemon=True)

    def start(self) -> None:
        """Follow the engine from now on."""
        with self._lock:
            self._apply_setting()
        self._thread.start()

    def close(self) -> None:
        """Read what is left, and end the thread."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(timeout=2)

    def configure(self, settings: EngineSettings) -> None:
        """Apply settings; delete the saved recording at once when nothing is to be kept on disk."""
        # without the lock, which whoever waits for the engine's answer holds: a commit must not wait
        self._settings = settings
        self._apply_setting()

    def read(self) -> Recording:
        """Return all that is kept, up to this moment; what came so far when the engine does not answer."""
        with self._lock:
            self._load()
            with suppress(NotAvailable):
                self._read_on()
            return Recording(tuple(one.segment() for one in self._kept if one.reader.is_usable))

    def status(self) -> dict[str, Any]:
        """Return how much is kept, for the user."""
        recording = self.read()
        return {
            "segments": len(recording.segments),
            "entries": sum(len(one.entries) for one in recording.segments),
            "played_s": round(sum(one.played_s() for one in recording.segments), 1),
            "is_kept_on_disk": self._is_on_disk(),
            "bytes_on_disk": 0 if self._files is None else self._files.size(),
        }

    def clear(self) -> dict[str, Any]:
        """Forget what was played, here, in the engine and on disk, and return how much that was."""
        status = self.status()
        with self._lock:
            self._kept.clear()
            self._forget_in_engine()
            if self._files is not None:
                self._write(self._files.clear)
        return status

    def _is_on_disk(self) -> bool:
        return self._files is not None and self._settings.keep_recording

    def _apply_setting(self) -> None:
        if self._files is not None and not self._settings.keep_recording:
            self._write(self._files.clear)

    def _follow(self) -> None:
        while not self._stopping.wait(READ_EVERY_S):
            with self._lock:
                try:
                    self._read_on()
                except NotAvailable:
                    continue  # it is being started again
                except Exception:  # the next look may go well
                    log.exception("what was played could not be read from the engine")
        with self._lock, suppress(Exception):
            self._read_on()

    def _read_on(self) -> None:
        is_all = False
        while not is_all:
            part = self._ask(
                "query",
                what="recording",
                session=self._session,
                number=self._number,
                rows=self._rows,
            )
            self._take(part)
            is_all = part["is_all"]

    def _take(self, part: dict[str, Any]) -> None:
        self._session, self._number, self._rows = part["session"], part["number"], part["rows"]
        lines: list[str] = part.get("pieces", [])
        is_known = bool(self._kept) and self._is_current(self._kept[-1].reader)
        if "header" in part and not is_known:
            reader = SegmentReader(part["header"])
            name = f"{time.time_ns() // 1_000_000:014d}-{reader.session}-{reader.number:06d}"
            self._kept.append(_Kept(name, reader))
            self._forget_old()
            lines = [part["header"], *lines]
        current = self._kept[-1] if self._kept else None
        if current is None or not lines or not self._is_current(current.reader):
            return  # forgotten meanwhile
        for piece in part["pieces"]:
            current.reader.add(piece)
        files = self._files
        if files is not None and self._settings.keep_recording:
            self._write(lambda: files.append(current.name, lines))
            self._apply_setting()  # it may have been switched off meanwhile

    def _is_current(self, reader: SegmentReader) -> bool:
        return (reader.session, reader.number) == (self._session, self._number)

    def _forget_old(self) -> None:
        history_s = self._settings.history_minutes * 60.0
        sizes = [(len(one.reader.entries), one.reader.played_s()) for one in self._kept]
        kept = keep_newest(sizes, history_s)
        old, self._kept = self._kept[: len(self._kept) - kept], self._kept[-kept:]
        files = self._files
        if files is not None:
            self._write(lambda: files.delete([one.name for one in old]))
            self._write(files.limit_bytes)

    def _load(self) -> None:
        """Read the files of earlier sessions, the newest first, until there are enough."""
        files = self._files
        if self._is_loaded or files is None or not self._settings.keep_recording:
            return
        self._is_loaded = True
        known = {one.name for one in self._kept}
        earlier: list[_Kept] = []
        for name in reversed(files.names()):
            if name in known:
                continue
            reader = read_lines(files.read(name))
            if reader is not None:
                earlier.append(_Kept(name, reader))
        self._kept = [*reversed(earlier), *self._kept]
        if self._kept:
            self._forget_old()

    def _write(self, do: Callable[[], None]) -> None:
        """Change files; when that fails the user is told once, and the recording goes on in memory."""
        try:
            do()
        except OSError as error:
            log.warning("the recording cannot be kept on disk: %s", error)
            if not self._has_failed:
                self._has_failed = True
                self._notify(
                    f"What is played cannot be kept on disk ({error.strerror}); it is kept in memory"
                    " until Conductor ends"
                )


def follow_engine(
    engine: EngineProcess, notify: Callable[[str], None], home: Path | None, config: ConfigStore
) -> RecordingStore:
    """Build the store of a running app and start it; without a home folder nothing is kept on disk."""
    files = None if home is None else RecordingFiles(home / RECORDING)
    settings = config.current.settings.engine
    store = RecordingStore(
        engine.ask, lambda: engine.send("forget_recording"), notify, files, settings
    )
    store.start()
    return store


def read_lines(lines: list[str]) -> SegmentReader | None:
    """Read a file's lines up to the first that is damaged; None when that leaves nothing to play."""
    try:
        reader = SegmentReader(lines[0] if lines else "")
    except (UnknownFormat, KeyError):
        return None
    for line in lines[1:]:
        try:
            reader.add(line)
        except (ValueError, TypeError, KeyError, AttributeError):
            break
    return reader if reader.is_usable and reader.entries else None
