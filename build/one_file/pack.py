"""Packs the folder build into one file, which `unpack.py` unpacks again."""

import tarfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import BinaryIO, cast

import zstandard
from calls import CallWriter

NOTHING: Mapping[str, Path] = {}
LEVEL = 19
"""The highest level but 20 to 22, which take longer for the same size."""
WINDOW_LOG = 27
"""A window of 128 MiB, the largest that `unpack.MAX_WINDOW_BYTES` allows."""


def pack_folder(
    folder: Path, target: Path, *, level: int = LEVEL, replaced: Mapping[str, Path] = NOTHING
) -> tuple[int, int]:
    """Pack a folder with zstd, the same bytes for the same files. Return its bytes and number of files.

    `replaced` contains files that are packed instead of those at their paths in the folder.
    """
    parameters = zstandard.ZstdCompressionParameters.from_level(
        level, window_log=WINDOW_LOG, threads=-1
    )
    count = size = 0
    with (
        target.open("wb") as file,
        zstandard.ZstdCompressor(compression_params=parameters).stream_writer(file) as packed,
        closing(CallWriter(cast(BinaryIO, packed))) as calls,
        tarfile.open(fileobj=cast(BinaryIO, calls), mode="w|") as tar,
    ):
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            path = replaced.get(name, path)  # noqa: PLW2901
            tar.add(path, name, recursive=False, filter=_normalize)
            if path.is_symlink() or path.is_file():
                count += 1
                size += 0 if path.is_symlink() else path.stat().st_size
    return size, count


def _normalize(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.mtime = 0
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
    return entry
