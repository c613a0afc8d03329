"""Replaces a file only if its content has not changed since the new version was made from it.

An editor may save between the last check of a file and `rename`, and its text would be lost without a trace.
Swapping the two files instead keeps what was replaced: if it is not the expected content, it is restored.
"""

import contextlib
import os
import sys
from collections.abc import Generator
from pathlib import Path
from threading import Event

from conductor.base.atomic import (
    hash_bytes,
    read_regular_file,
    resolve_target,
    sync_folder,
    temporary_file,
)
from conductor.base.clock import now
from conductor.base.exchange import swap_files

MISSING_FILE_HASH = ""
"""The hash of a file that does not exist."""
LOCK_TIMEOUT_S = 2.0
LOCK_RETRY_S = 0.01
MAX_SWAP_ATTEMPTS = 20
"""The maximum number of swaps in the restore loop. Each swap takes microseconds, so an editor cannot save
between 20 of them in a row."""


def replace_if_unchanged(path: Path, data: bytes, expected: str, limit: int) -> bool:
    """Replace a file if its first `limit` bytes have the hash `expected`; return False if they do not.

    With `MISSING_FILE_HASH`, create the file if it does not exist. Any other content is kept, or restored at
    once.

    Raises:
        OSError: the file could not be written; nothing has changed.
    """
    target = resolve_target(path)
    with _lock_folder(target.parent), temporary_file(target, data) as temporary:
        if _hash_file(target, limit) != expected:
            return False
        if expected == MISSING_FILE_HASH:
            return _create_file(temporary, target)
        return _FileSwap(temporary, target, limit).replace_target(expected)


class _FileSwap:
    """Replaces the target file by swapping it with a temporary file, and swaps back if an editor has saved
    meanwhile.
    """

    def __init__(self, temporary: Path, target: Path, limit: int) -> None:
        self._temporary = temporary
        self._target = target
        self._limit = limit

    def replace_target(self, expected: str) -> bool:
        inserted = self._read_identity()
        if not swap_files(self._temporary, self._target):
            return self._replace_by_rename(expected)
        sync_folder(self._target.parent)
        # Read after the sync: an editor that opened the old file before the swap may still write to it.
        displaced = self._read_identity()
        if displaced[1] == expected:
            return True
        self._restore_target(inserted)
        return False

    def _restore_target(self, inserted: tuple[int, str]) -> None:
        """Swap back until our own file is returned, because any other file is a newer save by an editor."""
        for _ in range(MAX_SWAP_ATTEMPTS):
            reinserted = self._read_identity()
            swap_files(self._temporary, self._target)
            if self._read_identity() == inserted:
                break
            inserted = reinserted
        sync_folder(self._target.parent)

    def _read_identity(self) -> tuple[int, str]:
        """Return the inode and the content hash of the file that has the temporary name."""
        content = hash_bytes(read_regular_file(self._temporary, self._limit))
        return self._temporary.stat().st_ino, content

    def _replace_by_rename(self, expected: str) -> bool:
        """Replace by `rename`, where the system cannot swap; a hard link keeps the old file readable.

        A save by `rename` between the last check and ours goes unnoticed; a save into the old file does not.
        """
        aside = self._temporary.with_suffix(".old")
        with contextlib.suppress(OSError):  # the file system has no hard links
            os.link(self._target, aside)
        try:
            if _hash_file(self._target, self._limit) != expected:
                return False
            self._temporary.replace(self._target)
            sync_folder(self._target.parent)
            if aside.exists() and _hash_file(aside, self._limit) != expected:
                aside.replace(self._target)
                return False
            return True
        finally:
            aside.unlink(missing_ok=True)


def _create_file(temporary: Path, target: Path) -> bool:
    try:
        os.link(temporary, target)
    except FileExistsError:
        return False
    except OSError:  # the file system has no hard links
        return _create_by_copy(temporary, target)
    sync_folder(target.parent)
    return True


def _create_by_copy(temporary: Path, target: Path) -> bool:
    """Create the file by exclusive creation and copying: `rename` would replace a file that an editor has
    just created.
    """
    mode = temporary.stat().st_mode & 0o777
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(target, flags, mode)
    except FileExistsError:
        return False
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(temporary.read_bytes())
            file.flush()
            os.fsync(file.fileno())
    except OSError:  # a half-written file would be read as a complete config
        target.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)
    return True


def _hash_file(path: Path, limit: int) -> str:
    try:
        return hash_bytes(read_regular_file(path, limit))
    except FileNotFoundError:
        return MISSING_FILE_HASH


@contextlib.contextmanager
def _lock_folder(folder: Path) -> Generator[None]:
    """Lock a folder against our own processes, for example `conductor undo` beside a running Conductor.

    Without the lock, restoring a swapped file could overwrite what the other process has just written. The
    folder itself is locked, so that no lock file is left behind. After `LOCK_TIMEOUT_S` the write continues
    without the lock: a suspended process must not block this one for ever.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        pause, deadline = Event(), now() + LOCK_TIMEOUT_S
        while now() < deadline:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                pause.wait(LOCK_RETRY_S)
            except OSError:  # the file system does not support locks
                break
        yield
    finally:
        os.close(handle)
