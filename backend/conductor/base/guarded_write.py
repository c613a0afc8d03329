"""Replaces a file only if it still has the content that the new one was made from.

Between a last look at a file and `rename` an editor may save: its text would be gone without a trace.
Swapping the two files instead shows what was replaced. If that is not what was expected it is put back.
"""

import contextlib
import os
import sys
from collections.abc import Generator
from pathlib import Path
from threading import Event

from conductor.base.atomic import hash_of, read_regular, sync_folder, target_of, temporary_file
from conductor.base.clock import now
from conductor.base.exchange import exchange

MISSING = ""
"""The hash of a file that is not there."""
LOCK_WITHIN_S = 2.0
LOCK_EVERY_S = 0.01
SWAPS_AT_MOST = 20
"""An editor that saves within each of so many microseconds is none."""


def replace_if_unchanged(path: Path, data: bytes, expected: str, limit: int) -> bool:
    """Replace a file whose first `limit` bytes have this hash; return False if they have another.

    `MISSING` makes a file where there is none. Whatever else is there stays, or is back at once.

    Raises:
        OSError: nothing was changed.
    """
    target = target_of(path)
    with _folder_lock(target.parent), temporary_file(target, data) as temporary:
        if _hash_or_missing(target, limit) != expected:
            return False
        if expected == MISSING:
            return _create(temporary, target)
        return _Swap(temporary, target, limit).replace(expected)


class _Swap:
    """Two names: what is to be written, and the file."""

    def __init__(self, temporary: Path, target: Path, limit: int) -> None:
        self._temporary = temporary
        self._target = target
        self._limit = limit

    def replace(self, expected: str) -> bool:
        put_in = self._beside()
        if not exchange(self._temporary, self._target):
            return self._rename(expected)
        sync_folder(self._target.parent)
        # Read after the folder was synced: an editor that had opened the old file writes to it still.
        taken_out = self._beside()
        if taken_out[1] == expected:
            return True
        self._put_back(put_in)
        return False

    def _put_back(self, put_in: tuple[int, str]) -> None:
        """Swap until what comes out is what was put in: anything else is a newer save of an editor."""
        for _ in range(SWAPS_AT_MOST):
            next_in = self._beside()
            exchange(self._temporary, self._target)
            if self._beside() == put_in:
                break
            put_in = next_in
        sync_folder(self._target.parent)

    def _beside(self) -> tuple[int, str]:
        """Return which file is under the temporary name: its number, and its content."""
        content = hash_of(read_regular(self._temporary, self._limit))
        return self._temporary.stat().st_ino, content

    def _rename(self, expected: str) -> bool:
        """Replace without a swap: a second name keeps the old file in sight.

        A save by `rename` in the moment between the last look and ours is not seen; one into the old file is.
        """
        aside = self._temporary.with_suffix(".old")
        with contextlib.suppress(OSError):  # no hard links here
            os.link(self._target, aside)
        try:
            if _hash_or_missing(self._target, self._limit) != expected:
                return False
            self._temporary.replace(self._target)
            sync_folder(self._target.parent)
            if aside.exists() and _hash_or_missing(aside, self._limit) != expected:
                aside.replace(self._target)
                return False
            return True
        finally:
            aside.unlink(missing_ok=True)


def _create(temporary: Path, target: Path) -> bool:
    try:
        os.link(temporary, target)
    except FileExistsError:
        return False
    except OSError:  # no hard links here
        return _create_by_copy(temporary, target)
    sync_folder(target.parent)
    return True


def _create_by_copy(temporary: Path, target: Path) -> bool:
    """Write to a name that must be free: `rename` would replace a file that an editor has just made."""
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
    except OSError:  # a half-written file would be taken for the whole one
        target.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)
    return True


def _hash_or_missing(path: Path, limit: int) -> str:
    try:
        return hash_of(read_regular(path, limit))
    except FileNotFoundError:
        return MISSING


@contextlib.contextmanager
def _folder_lock(folder: Path) -> Generator[None]:
    """Keep our own processes apart, `conductor undo` and a running Conductor say.

    A swap that is put back would otherwise put back what the other one has just written. The folder itself
    is locked, so that no file is left behind. Without the lock the write goes on after a while: a process
    that was stopped must not hold up this one for ever.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        pause, deadline = Event(), now() + LOCK_WITHIN_S
        while now() < deadline:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                pause.wait(LOCK_EVERY_S)
            except OSError:  # a file system without locks
                break
        yield
    finally:
        os.close(handle)
