"""Reads skills from .zip and .tar.gz archives in memory. The size limits do not depend on what the archive
claims.
"""

import gzip
import io
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import IO, Any, Literal, Self

from conductor.errors import BadSkill
from conductor.skills.tree import (
    BYTES_AT_MOST,
    MAIN,
    Files,
    check_files,
    check_path,
    check_size,
    is_ignored,
)

UNPACKED_AT_MOST = 1024 * 2**20
"""Limit in bytes for a whole unpacked repository, of which only one folder is used."""
HEADER_AT_MOST = 16 * 1024
"""Limit in bytes for an extended tar header, which tarfile reads as a whole."""
GLOBALS_AT_MOST = 64
LONG_HEADERS = (
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
)
Kind = Literal["file", "folder", "other"]
Entry = tuple[str, Kind, Callable[[], IO[bytes]]]
Wanted = Callable[[str], str | None]
"""Maps a path in the archive to a path in the skill, or to None if the file does not belong to the skill."""


def read_archive(content: bytes) -> Files:
    """Read the skill in an archive. SKILL.md must be at the top or in the only folder.

    Raises:
        BadSkill: There is no skill, or it must not be used.
    """
    files = _read(content, lambda path: path)
    root = _root(files)
    kept = {path.removeprefix(root): text for path, text in files.items() if path.startswith(root)}
    check_files(kept)
    return dict(sorted(kept.items()))


def read_folder_of_tar(content: bytes, folder: str) -> Files:
    """Read the skill in one folder of a repository's archive. The archive has a single folder at the top.

    Raises:
        BadSkill: There is no skill, or it must not be used.
    """
    prefix = f"{folder}/" if folder else ""

    def wanted(path: str) -> str | None:
        inner = path.partition("/")[2]
        return inner.removeprefix(prefix) if inner.startswith(prefix) else None

    files = _read(content, wanted)
    if MAIN not in files:
        raise BadSkill(f"the repository has no {prefix + MAIN!a}; name the folder of the skill")
    check_files(files)
    return dict(sorted(files.items()))


def _root(files: Files) -> str:
    mains = [path for path in files if PurePosixPath(path).name == MAIN]
    shallow = [path for path in mains if path.count("/") <= 1]
    if MAIN in mains:
        return ""
    if len(shallow) != 1:
        raise BadSkill("the archive must hold one skill: SKILL.md at the top or in its only folder")
    return shallow[0].removesuffix(MAIN)


def _read(content: bytes, wanted: Wanted) -> Files:
    files: Files = {}
    try:
        entries = _read_zip_entries(content) if content[:2] == b"PK" else _read_tar_entries(content)
        for path, kind, opened in entries:
            _add_entry(files, path, kind, opened, wanted)
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise BadSkill(f"the archive cannot be read: {error}") from None
    except (OSError, RuntimeError, NotImplementedError, ValueError) as error:
        raise BadSkill(f"the archive cannot be read: {error}") from None
    return files


def _add_entry(
    files: Files, path: str, kind: Kind, opened: Callable[[], IO[bytes]], wanted: Wanted
) -> None:
    """Check an entry of an archive and add its content to the files."""
    plain = path.removeprefix("./").rstrip("/")
    inner = wanted(plain)
    if not plain or inner is None or not inner or is_ignored(inner):
        return
    check_path(inner)
    if kind == "other":
        raise BadSkill(f"{inner!a} is a link or a device; a skill has plain files only")
    if kind == "folder":
        return
    if inner in files:
        raise BadSkill(f"the archive has {inner!a} twice")
    left = BYTES_AT_MOST - sum(map(len, files.values()))
    with opened() as file:
        files[inner] = file.read(left + 1)
    check_size(len(files), BYTES_AT_MOST - left + len(files[inner]))


def _read_zip_entries(content: bytes) -> Iterator[Entry]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for entry in archive.infolist():
            mode = (entry.external_attr >> 16) & 0o170000
            kind: Kind = "folder" if entry.is_dir() else "file"
            if mode not in (0, 0o100000, 0o040000):
                kind = "other"
            yield entry.orig_filename, kind, lambda entry=entry: archive.open(entry)


def _read_tar_entries(content: bytes) -> Iterator[Entry]:
    plain: Any = io.BytesIO(content)
    if content[:2] == b"\x1f\x8b":
        plain = _LimitedStream(gzip.GzipFile(fileobj=io.BytesIO(content)), UNPACKED_AT_MOST)
    with tarfile.open(fileobj=plain, mode="r|", tarinfo=_CheckedHeader) as archive:
        for entry in archive:
            vars(archive)["members"].clear()  # tarfile keeps every header otherwise
            if len(archive.pax_headers) > GLOBALS_AT_MOST:
                raise BadSkill("the archive says too much of itself before its files")
            kind: Kind = "file" if entry.isreg() else "folder" if entry.isdir() else "other"

            def opened(entry: tarfile.TarInfo = entry) -> IO[bytes]:
                file = archive.extractfile(entry)
                assert file is not None
                return file

            yield entry.name, kind, opened


NAME_FIELD = 100
"""Length of the name field at the start of a tar header, in bytes."""


class _CheckedHeader(tarfile.TarInfo):
    """A tar header that rejects entries which tarfile would read into memory as a whole."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        if bytes(buf[:NAME_FIELD]).rstrip(b"\0").find(b"\0") >= 0:
            raise BadSkill("the archive is corrupt: a file name has data after its end")
        found = super().frombuf(buf, encoding, errors)
        if found.type == tarfile.GNUTYPE_SPARSE:
            raise BadSkill(f"{found.name[:120]!a} is a sparse file; pack it as a plain one")
        if found.type in LONG_HEADERS and found.size > HEADER_AT_MOST:
            raise BadSkill(f"the archive has a name or a header over {HEADER_AT_MOST // 1024} KiB")
        return found


class _LimitedStream(io.RawIOBase):
    """A decompressing stream that raises an error once its content exceeds the limit."""

    def __init__(self, inner: IO[bytes] | gzip.GzipFile, at_most: int) -> None:
        self._inner = inner
        self._left = at_most

    def read(self, size: int = -1, /) -> bytes:
        found = self._inner.read(size)
        self._left -= len(found)
        if self._left < 0:
            raise BadSkill("the archive unpacks to more than a repository may have")
        return found
