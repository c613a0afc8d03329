"""Reads skills from .zip and .tar.gz archives in memory.

The sizes are limited while reading, whatever sizes an archive declares.
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
    MAX_SKILL_BYTES,
    SKILL_FILE_NAME,
    SkillFiles,
    check_skill_files,
    check_skill_path,
    check_skill_size,
    is_ignored_path,
)

MAX_UNPACKED_BYTES = 1024 * 2**20
"""The maximum size of a whole unpacked repository, of which only one folder is used."""
MAX_TAR_HEADER_BYTES = 16 * 1024
"""The maximum size of an extended tar header, which tarfile reads as a whole."""
MAX_TAR_GLOBAL_HEADERS = 64
TAR_EXTENDED_HEADER_TYPES = (
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
)
EntryKind = Literal["file", "folder", "other"]
ArchiveEntry = tuple[str, EntryKind, Callable[[], IO[bytes]]]
PathFilter = Callable[[str], str | None]
"""Returns the path in the skill for a path in the archive, or None if the file does not belong to the skill."""


def read_skill_archive(content: bytes) -> SkillFiles:
    """Return the files of the skill in an archive. `SKILL.md` must be at the top or in the only folder.

    Raises:
        BadSkill: The archive contains no skill, or one that must not be used.
    """
    files = _read_archive_entries(content, lambda path: path)
    root = _find_skill_root(files)
    skill_files = {
        path.removeprefix(root): text for path, text in files.items() if path.startswith(root)
    }
    check_skill_files(skill_files)
    return dict(sorted(skill_files.items()))


def read_repository_folder(content: bytes, folder: str) -> SkillFiles:
    """Return the files of the skill in one folder of a repository's archive, which has a single folder at
    the top.

    Raises:
        BadSkill: The folder contains no skill, or one that must not be used.
    """
    prefix = f"{folder}/" if folder else ""

    def filter_path(path: str) -> str | None:
        inner = path.partition("/")[2]
        return inner.removeprefix(prefix) if inner.startswith(prefix) else None

    files = _read_archive_entries(content, filter_path)
    if SKILL_FILE_NAME not in files:
        raise BadSkill(
            f"the repository has no {prefix + SKILL_FILE_NAME!a}; name the folder of the skill"
        )
    check_skill_files(files)
    return dict(sorted(files.items()))


def _find_skill_root(files: SkillFiles) -> str:
    mains = [path for path in files if PurePosixPath(path).name == SKILL_FILE_NAME]
    shallow = [path for path in mains if path.count("/") <= 1]
    if SKILL_FILE_NAME in mains:
        return ""
    if len(shallow) != 1:
        raise BadSkill("the archive must hold one skill: SKILL.md at the top or in its only folder")
    return shallow[0].removesuffix(SKILL_FILE_NAME)


def _read_archive_entries(content: bytes, filter_path: PathFilter) -> SkillFiles:
    files: SkillFiles = {}
    try:
        entries = _read_zip_entries(content) if content[:2] == b"PK" else _read_tar_entries(content)
        for path, kind, open_entry in entries:
            _add_archive_entry(files, path, kind, open_entry, filter_path)
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise BadSkill(f"the archive cannot be read: {error}") from None
    except (OSError, RuntimeError, NotImplementedError, ValueError) as error:
        raise BadSkill(f"the archive cannot be read: {error}") from None
    return files


def _add_archive_entry(
    files: SkillFiles,
    path: str,
    kind: EntryKind,
    open_entry: Callable[[], IO[bytes]],
    filter_path: PathFilter,
) -> None:
    """Check an entry of an archive and add its content to the files of the skill."""
    archive_path = path.removeprefix("./").rstrip("/")
    skill_path = filter_path(archive_path)
    if not archive_path or skill_path is None or not skill_path or is_ignored_path(skill_path):
        return
    check_skill_path(skill_path)
    if kind == "other":
        raise BadSkill(
            f"{skill_path!a} is a link or a device; a skill may contain only regular files"
        )
    if kind == "folder":
        return
    if skill_path in files:
        raise BadSkill(f"the archive has {skill_path!a} twice")
    remaining_bytes = MAX_SKILL_BYTES - sum(map(len, files.values()))
    with open_entry() as file:
        files[skill_path] = file.read(remaining_bytes + 1)
    check_skill_size(len(files), MAX_SKILL_BYTES - remaining_bytes + len(files[skill_path]))


def _read_zip_entries(content: bytes) -> Iterator[ArchiveEntry]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for entry in archive.infolist():
            mode = (entry.external_attr >> 16) & 0o170000
            kind: EntryKind = "folder" if entry.is_dir() else "file"
            if mode not in (0, 0o100000, 0o040000):
                kind = "other"
            yield entry.orig_filename, kind, lambda entry=entry: archive.open(entry)


def _read_tar_entries(content: bytes) -> Iterator[ArchiveEntry]:
    stream: Any = io.BytesIO(content)
    if content[:2] == b"\x1f\x8b":
        stream = _SizeLimitedStream(gzip.GzipFile(fileobj=io.BytesIO(content)), MAX_UNPACKED_BYTES)
    with tarfile.open(fileobj=stream, mode="r|", tarinfo=_CheckedTarHeader) as archive:
        for entry in archive:
            vars(archive)["members"].clear()  # tarfile would keep every header otherwise
            if len(archive.pax_headers) > MAX_TAR_GLOBAL_HEADERS:
                raise BadSkill("the archive has too many global headers")
            if not getattr(entry, "is_checked", False):
                raise BadSkill(
                    "this version of Python cannot check the archive; pack it as a zip file"
                )
            kind: EntryKind = "file" if entry.isreg() else "folder" if entry.isdir() else "other"

            def open_entry(entry: tarfile.TarInfo = entry) -> IO[bytes]:
                file = archive.extractfile(entry)
                assert file is not None
                return file

            yield entry.name, kind, open_entry


TAR_NAME_FIELD_BYTES = 100
"""The length in bytes of the name field at the start of a tar header."""


class _CheckedTarHeader(tarfile.TarInfo):
    """A tar header that rejects entries which tarfile would read into memory as a whole.

    The methods are those that tarfile calls: `frombuf`, and since the releases of 2025 `_frombuf`.
    """

    is_checked = False

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        return cls._check(buf, super().frombuf(buf, encoding, errors))

    @classmethod
    def _frombuf(cls, buf: bytes | bytearray, *others: Any, **named: Any) -> Self:
        return cls._check(
            buf, vars(tarfile.TarInfo)["_frombuf"].__get__(None, cls)(buf, *others, **named)
        )

    @classmethod
    def _check(cls, buf: bytes | bytearray, found: Self) -> Self:
        if bytes(buf[:TAR_NAME_FIELD_BYTES]).rstrip(b"\0").find(b"\0") >= 0:
            raise BadSkill("the archive is corrupt: a file name has data after its end")
        if found.type == tarfile.GNUTYPE_SPARSE:
            raise BadSkill(f"{found.name[:120]!a} is a sparse file; pack it as a regular file")
        if found.type in TAR_EXTENDED_HEADER_TYPES and found.size > MAX_TAR_HEADER_BYTES:
            raise BadSkill(
                f"the archive has a name or a header over {MAX_TAR_HEADER_BYTES // 1024} KiB"
            )
        found.is_checked = True
        return found


class _SizeLimitedStream(io.RawIOBase):
    """A decompressing stream that raises an error as soon as its content exceeds the limit."""

    def __init__(self, inner: IO[bytes] | gzip.GzipFile, max_bytes: int) -> None:
        self._inner = inner
        self._remaining_bytes = max_bytes

    def read(self, size: int = -1, /) -> bytes:
        found = self._inner.read(size)
        self._remaining_bytes -= len(found)
        if self._remaining_bytes < 0:
            raise BadSkill("the unpacked archive is larger than a repository may be")
        return found
