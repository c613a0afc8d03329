"""Opens files for the assistant, but only in folders that the user granted, wherever a path or link leads.

A path is checked as it is written, again after links are resolved, and once more when the file is open, because
another program may replace the file by a link between two checks.
"""

import os
import stat
import sys
import unicodedata
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from conductor.base.invisible_chars import remove_hidden
from conductor.capabilities.private_files import contains_private_key, explain_private_path
from conductor.errors import InvalidParams, NotAllowed, NotAvailable

MAX_PATH_CHARACTERS = 1_000
GRANT_HINT = (
    "The user grants a folder in Settings > Assistant tools, or with `folders` under [skills] in"
    " config.toml"
)
_OPEN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class GrantedFileHandle(NamedTuple):
    """A file or folder that was opened after all checks, so that the assistant may read it."""

    path: Path
    """The real path, with all links resolved."""
    descriptor: int | None
    """The file descriptor; None for a folder on a system that cannot open folders."""
    is_folder: bool
    size: int

    def read_content(self, max_bytes: int) -> bytes:
        """Return the whole content of the file.

        Raises:
            NotAvailable: the file is longer than `max_bytes` bytes.
            NotAllowed: the file contains a private key.
        """
        content = self._read_bytes(max_bytes + 1)
        if len(content) > max_bytes:
            raise NotAvailable(
                f"{_format_visible_path(self.path)} has {self.size / 1e6:.1f} MB; files of this kind are"
                f" read up to {max_bytes / 1e6:g} MB"
            )
        if contains_private_key(content):
            raise NotAllowed(
                f"{_format_visible_path(self.path)} is not read: it contains a private key"
            )
        return content

    def read_head(self) -> bytes:
        """Return the first 8 bytes of the file, from which its kind can be recognised."""
        return self._read_bytes(8)

    def _read_bytes(self, count: int) -> bytes:
        assert self.descriptor is not None
        os.lseek(self.descriptor, 0, os.SEEK_SET)
        with os.fdopen(os.dup(self.descriptor), "rb") as file:
            return file.read(count)


class GrantedFolders:
    """Opens files for the assistant, but only in the folders that the user has granted."""

    def __init__(self, granted: Sequence[str], home: Path) -> None:
        """Set the granted folders and the folder `home` of Conductor, from which nothing may be read."""
        written = [Path(one).expanduser() for one in granted]
        self.roots = [Path(os.path.normpath(one)) for one in written if one.is_absolute()]
        self._real_roots = [Path(os.path.realpath(one)) for one in self.roots]
        self._home = Path(os.path.realpath(home))

    @contextmanager
    def open_granted_path(self, path_text: str) -> Generator[GrantedFileHandle]:
        """Open a file or folder for reading, after checking that the assistant may read it.

        Raises:
            InvalidParams: the text is not a path.
            NotAllowed: the file is not in a granted folder, or must never be shown.
            NotAvailable: the file does not exist or cannot be read.
        """
        path = self._require_granted(path_text)
        try:
            real = Path(os.path.realpath(path, strict=True))
            self.check_readable(real)
            status = real.stat()
            _check_file_type(real, status)
            if stat.S_ISDIR(status.st_mode) and os.name == "nt":
                yield GrantedFileHandle(real, None, True, 0)
                return
            descriptor = os.open(real, _OPEN_FLAGS)
        except OSError as error:
            raise _build_unreadable_error(path, error) from None
        try:
            yield self._check_opened_file(real, descriptor)
        finally:
            os.close(descriptor)

    def check_readable(self, real: Path) -> None:
        """Check that the assistant may read the file at a path whose links are resolved.

        Raises:
            NotAllowed: the file must not be read.
        """
        if not any(_is_path_within(real, root) for root in self._real_roots):
            raise self._build_outside_error("a link leads out of the granted folders")
        reason = explain_private_path(real, self._home)
        if reason is not None:
            raise NotAllowed(f"{_format_visible_path(real)} is not read: {reason}")

    def _check_opened_file(self, real: Path, descriptor: int) -> GrantedFileHandle:
        """Check a file again after it was opened, because another program may have
        replaced it in the meantime.
        """
        status = os.fstat(descriptor)
        current_path = _resolve_opened_path(descriptor, real)
        try:
            is_same = os.path.samestat(status, current_path.stat(follow_symlinks=False))
        except OSError:
            is_same = False
        if not is_same:
            raise NotAvailable(
                f"{_format_visible_path(real)} was changed while it was opened; try again"
            )
        self.check_readable(current_path)
        _check_file_type(current_path, status)
        return GrantedFileHandle(
            current_path, descriptor, stat.S_ISDIR(status.st_mode), status.st_size
        )

    def _require_granted(self, path_text: str) -> Path:
        """Return the path as it is written if it is in a granted folder; the disk is not accessed."""
        if not self.roots:
            raise self._build_outside_error("there is no folder that the assistant may read")
        if len(path_text) > MAX_PATH_CHARACTERS or "\0" in path_text:
            raise InvalidParams("this is not a path")
        path = (
            Path(path_text).expanduser() if path_text.startswith(("~/", "~\\")) else Path(path_text)
        )
        if ".." in path.parts:
            raise InvalidParams("write the path without `..`")
        if not path.is_absolute():
            return self._resolve_relative(path)
        if not any(_is_path_within(path, root) for root in (*self.roots, *self._real_roots)):
            raise self._build_outside_error(
                f"{remove_hidden(path_text)[:200]} is not in a folder that the assistant may read"
            )
        return path

    def _resolve_relative(self, path: Path) -> Path:
        """Return the full path for a relative path, which may begin with the name of a granted folder."""
        candidates = [root / path for root in self.roots]
        candidates += [root.parent / path for root in self.roots if path.parts[:1] == (root.name,)]
        existing = [candidate for candidate in candidates if os.path.lexists(candidate)]
        return (existing or candidates)[0]

    def _build_outside_error(self, problem: str) -> NotAllowed:
        granted = ", ".join(map(str, self.roots)) or "none"
        return NotAllowed(f"{problem}. Granted: {granted[:500]}. {GRANT_HINT}")


def _format_visible_path(path: Path) -> str:
    """Return a path as text with invisible characters as escapes, because any program
    may have chosen the name.
    """
    return remove_hidden(path.name)[:120]


def _check_file_type(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        raise NotAllowed(
            f"{_format_visible_path(path)} is a device, a pipe or a socket; only plain files are read"
        )
    is_own_file = os.name == "nt" or status.st_uid == os.getuid()
    if stat.S_ISREG(status.st_mode) and status.st_nlink > 1 and not is_own_file:
        # A hard link may refer to another user's file anywhere. The user's own links are common in backups.
        raise NotAllowed(
            f"{_format_visible_path(path)} belongs to another user and has several names; copy it to read it"
        )


def _resolve_opened_path(descriptor: int, opened: Path) -> Path:
    """Return the path that the operating system reports for an open file or, without such a
    report, the resolved path.
    """
    if sys.platform == "linux":
        return Path(f"/proc/self/fd/{descriptor}").readlink()
    if sys.platform == "darwin":
        import fcntl

        raw = fcntl.fcntl(descriptor, fcntl.F_GETPATH, bytes(1024))
        return Path(os.fsdecode(raw.rstrip(b"\0")))
    return Path(os.path.realpath(opened))


def _is_path_within(path: Path, root: Path) -> bool:
    parts, above = _split_path(path), _split_path(root)
    return parts[: len(above)] == above


def _split_path(path: Path) -> list[str]:
    """Return the parts of a path in the form in which the operating system compares file names."""
    if sys.platform == "linux":
        return list(path.parts)
    return [unicodedata.normalize("NFC", part).casefold() for part in path.parts]


def _build_unreadable_error(path: Path, error: OSError) -> NotAvailable:
    if isinstance(error, FileNotFoundError):
        return NotAvailable(
            f"there is no {remove_hidden(str(path))[:300]}; list the folder to see what is there"
        )
    return NotAvailable(f"{_format_visible_path(path)} cannot be read: {error.strerror or error}")
