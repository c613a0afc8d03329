"""The layout of the one-file program: a launcher, the packed folder, and PyInstaller's archive of the launcher.

    bootloader | packed folder (tar, zstd) | trailer | PyInstaller's archive

PyInstaller's bootloader finds its archive from the end of the file, and the launcher finds the trailer from the
start of that archive. The packed folder is only read when it is unpacked.
"""

import hashlib
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_MAGIC = b"CNDTRPK1"
_TRAILER = struct.Struct(">8sQQQ32s")
"""Magic, packed bytes, unpacked bytes, number of files, and the SHA-256 of the packed bytes."""
_COOKIE = struct.Struct("!8sIIII64s")
"""The end of PyInstaller's archive: magic, length of the archive, and more (PyInstaller/archive/writers.py)."""
_COOKIE_MAGIC = b"MEI\014\013\012\013\016"
_BLOCK_BYTES = 1 << 20


class BadArchive(Exception):
    """Raised when the file is not a whole one-file program."""


@dataclass(frozen=True)
class PackedFolder:
    """Where the packed folder is in the one-file program, and what it holds."""

    program: Path
    offset: int
    packed_bytes: int
    unpacked_bytes: int
    file_count: int
    sha256: bytes


def append_folder(
    program: Path, packed: Path, launcher_archive: Path, *, unpacked_bytes: int, file_count: int
) -> None:
    """Append the packed folder and the launcher's archive to a bootloader, to make the one-file program."""
    with packed.open("rb") as source, program.open("ab") as target:
        digest = hashlib.sha256()
        while block := source.read(_BLOCK_BYTES):
            digest.update(block)
            target.write(block)
        size = packed.stat().st_size
        target.write(_TRAILER.pack(_MAGIC, size, unpacked_bytes, file_count, digest.digest()))
        target.write(launcher_archive.read_bytes())


def find_packed_folder(program: Path) -> PackedFolder:
    """Return where the packed folder is.

    Raises:
        BadArchive: The file was cut off or changed.
        OSError: The file cannot be read.
    """
    with program.open("rb") as file:
        end = file.seek(0, 2)
        magic, archive_bytes, *_ = _COOKIE.unpack(_read_at(file, end - _COOKIE.size, _COOKIE.size))
        trailer_at = end - archive_bytes - _TRAILER.size
        if magic != _COOKIE_MAGIC:
            raise BadArchive(f"{program} is damaged: download it again")
        found, packed, unpacked, count, sha256 = _TRAILER.unpack(
            _read_at(file, trailer_at, _TRAILER.size)
        )
    if found != _MAGIC or packed > trailer_at:
        raise BadArchive(f"{program} is damaged: download it again")
    return PackedFolder(program, trailer_at - packed, packed, unpacked, count, sha256)


def _read_at(file: BinaryIO, position: int, size: int) -> bytes:
    if position < 0:
        raise BadArchive(f"{file.name} is damaged: download it again")
    file.seek(position)
    data = file.read(size)
    if len(data) < size:
        raise BadArchive(f"{file.name} is damaged: download it again")
    return data


class PackedReader:
    """Reads the packed bytes of a program and computes their SHA-256."""

    def __init__(self, file: BinaryIO, folder: PackedFolder) -> None:
        file.seek(folder.offset)
        self._file = file
        self._left_bytes = folder.packed_bytes
        self._digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(self._left_bytes if size < 0 else min(size, self._left_bytes))
        self._left_bytes -= len(data)
        self._digest.update(data)
        return data

    def finish(self) -> bytes:
        """Read the rest, and return the SHA-256 of everything."""
        while self.read(_BLOCK_BYTES):
            pass
        return self._digest.digest()
