"""Watches a config file, and detects every kind of save: in place, by rename, or by a replaced symlink."""

import logging
import os
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from conductor.base.clock import now

log = logging.getLogger(__name__)

WRITE_SETTLE_MS = 5
"""Milliseconds to wait for further file events. An editor that truncates a file and then writes it causes
two events within this time."""
EMPTY_FILE_DELAY_MS = 300
"""Milliseconds to wait before an empty file is reported as an error. On a busy computer, an editor may
truncate a file some time before it writes the new text."""
POLL_INTERVAL_MS = 500
MAX_SYMLINKS = 40

_WATCHDOG_LOG = logging.getLogger("watchdog.observers.inotify")
_THREAD_ENDED_MESSAGE = "called when the thread is inactive"
"""A part of the harmless error message that watchdog logs if its thread ends while it reads events."""

FileSignature = tuple[int, int, int, int] | None
_SIZE_INDEX = 2
"""The index of the file size in a `FileSignature`."""
FolderSignatures = dict[Path, tuple[int, int]]


def _is_write_record(record: logging.LogRecord) -> bool:
    return _THREAD_ENDED_MESSAGE not in record.getMessage()


_WATCHDOG_LOG.addFilter(_is_write_record)


class WriteEvents(FileSystemEventHandler):
    """Wakes the watcher's thread when a file event names one of the watched paths."""

    def __init__(self, names: frozenset[Path], wake: Event) -> None:
        self._names = {os.fsencode(name) for name in names}
        self._wake = wake
        self._written = False

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type in ("opened", "closed_no_write"):
            return
        if self._names.intersection(map(os.fsencode, (event.src_path, event.dest_path))):
            self._written = True
            self._wake.set()

    def pop_written(self) -> bool:
        """Return whether a watched path was written since the last call of this method."""
        written, self._written = self._written, False
        return written


class ConfigWatcher:
    """Calls `on_write` about 5 ms after the file has changed, from a thread of its own.

    The file is also polled every 0.5 s, for network folders, recreated folders and systems without file
    events.
    """

    def __init__(
        self, path: Path, on_write: Callable[[], None], *, notify_missing: bool = False
    ) -> None:
        """Prepare to watch a config file; call `start` to begin.

        With `notify_missing`, `on_write` is also called when the file is deleted.
        """
        self._path = path.absolute()
        self._on_write = on_write
        self._notify_missing = notify_missing
        self._stop = Event()
        self._wake = Event()
        """Set by file events and by `stop`, to wake the thread."""
        self._seen = _read_signature(self._path)
        self._thread = Thread(target=self._run, name="config watcher", daemon=True)

    def start(self) -> None:
        """Start the watcher thread. A change since the constructor call is reported immediately."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the watcher thread and wait until it has ended."""
        self._stop.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._watch_once()
            except (OSError, RuntimeError, ValueError) as error:
                # The file or a link was swapped during the check.
                log.debug("restarting the watch of %s: %s", self._path, error)
                self._stop.wait(POLL_INTERVAL_MS / 1000)

    def _watch_once(self) -> None:
        names = resolve_link_chain(self._path)
        folders = _list_folders(names)
        try:
            if folders:
                self._watch_folders(names, folders)
        except (OSError, RuntimeError) as error:
            log.debug(
                "no file events for %s, polling every %d ms: %s",
                self._path,
                POLL_INTERVAL_MS,
                error,
            )
        self._check_file()
        self._stop.wait(POLL_INTERVAL_MS / 1000 if self._is_unchanged(names, folders) else 0)

    def _watch_folders(self, names: frozenset[Path], folders: FolderSignatures) -> None:
        """Handle file events until the chain of symlinks to the file, or one of the watched folders,
        changes.
        """
        events = WriteEvents(names, self._wake)
        observer = Observer()
        try:
            for folder in folders:
                observer.schedule(events, str(folder), recursive=False)
            observer.start()
            # finds a change that was made after the last check and before the observer started
            self._check_file()
            while not self._stop.is_set() and self._is_unchanged(names, folders):
                self._wake.wait(POLL_INTERVAL_MS / 1000)
                if self._wake.is_set() and not self._stop.wait(WRITE_SETTLE_MS / 1000):
                    self._wake.clear()
                self._check_file(written=events.pop_written())
        finally:
            if observer.is_alive():
                observer.stop()
                observer.join()

    def _is_unchanged(self, names: frozenset[Path], folders: FolderSignatures) -> bool:
        current = resolve_link_chain(self._path)
        return current == names and _list_folders(current) == folders

    def _check_file(self, *, written: bool = False) -> None:
        signature = _read_signature(self._path)
        if signature == self._seen and not written:
            return
        signature = self._wait_for_content(signature)
        self._seen = signature
        if signature is None and not self._notify_missing:
            return
        try:
            self._on_write()
        except Exception:
            log.exception("cannot load the changed config")

    def _wait_for_content(self, signature: FileSignature) -> FileSignature:
        """Wait until the file is not empty, for at most `EMPTY_FILE_DELAY_MS`, and return its signature."""
        until = now() + EMPTY_FILE_DELAY_MS / 1000
        while signature is not None and signature[_SIZE_INDEX] == 0 and now() < until:
            if self._stop.wait(WRITE_SETTLE_MS / 1000):
                break
            signature = _read_signature(self._path)
        return signature


def resolve_link_chain(path: Path) -> frozenset[Path]:
    """Return every path whose change can change the content of the file: the file, each symlink and the
    target.
    """
    path = Path(os.path.realpath(path.parent)) / path.name
    names = {path}
    for _ in range(MAX_SYMLINKS):
        link = _find_first_link(path, below=next(iter(names)).anchor)
        if link is None:
            break
        names.add(link)
        target = Path(os.path.normpath(link.parent / link.readlink()))
        path = target / path.relative_to(link)
        names.add(path)
    return frozenset(names)


def _find_first_link(path: Path, below: str) -> Path | None:
    steps = [path, *path.parents]
    return next(
        (step for step in reversed(steps) if str(step) != below and step.is_symlink()), None
    )


def _list_folders(names: frozenset[Path]) -> FolderSignatures:
    folders: FolderSignatures = {}
    for folder in {name.parent for name in names}:
        try:
            state = folder.stat()
        except OSError:
            continue
        folders[folder] = (state.st_dev, state.st_ino)
    return folders


def _read_signature(path: Path) -> FileSignature:
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns
