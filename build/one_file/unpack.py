"""Unpacks the one-file program once for each version, into a cache of the user.

A version is unpacked beside its final folder and renamed when it is whole and its hash is right, so that a
start that is killed, or a full disk, leaves no half version behind. Versions that nothing uses any more are
removed.
"""

import contextlib
import os
import shutil
import sys
import tarfile
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, cast

import zstandard
from archive import PackedFolder, PackedReader
from calls import CallReader
from locks import FileLock

SPARE_BYTES = 64_000_000
"""Room that is left on the disk, for Conductor's own files."""
MAX_WINDOW_BYTES = 1 << 27
DAMAGED_TIMEOUT_S = 60.0
"""How long to wait for another start that may be repairing the same version."""
LOCK_INTERVAL_S = 0.1
RENAME_TIMEOUT_S = 10.0
"""How long a scanner for viruses may keep files open on Windows, where open files cannot be renamed."""
CACHE_VARIABLE = "LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME"
PARTIAL = ".partial"
LOCK = ".lock"


class CannotUnpack(Exception):
    """Raised when no folder can hold the unpacked program. The message says what to do."""


def list_cache_folders(environment: Mapping[str, str]) -> list[Path]:
    """Return the folders that can hold unpacked versions, the best first."""
    home = environment.get("HOME") or environment.get("USERPROFILE") or Path.home()
    if os.name == "nt":
        own = Path(environment.get("LOCALAPPDATA") or Path(home, "AppData", "Local"))
        return [own / "Conductor" / "app"]
    cache = environment.get("XDG_CACHE_HOME") or Path(home, ".cache")
    data = environment.get("XDG_DATA_HOME") or Path(home, ".local", "share")
    return [
        Path(cache, "conductor", "app"),
        Path(data, "conductor", "app"),
    ]


@contextlib.contextmanager
def unpacked(folder: PackedFolder, caches: Sequence[Path]) -> Generator[tuple[Path, FileLock]]:
    """Yield the folder with the unpacked program, and the lock that keeps it from being removed.

    Raises:
        CannotUnpack: There is no room, no cache folder from which programs may run, or the unpacked program
            is damaged while it runs.
    """
    name = folder.sha256.hex()[:16]
    usable = (cache for cache in caches if _find_risk(cache) is None)
    cache = next((cache for cache in usable if is_whole(cache / name, folder)), None)
    cache = cache or _choose_cache(caches, folder.unpacked_bytes)
    with FileLock(cache / (name + LOCK)) as lock:
        if _lock_alone_or_whole(lock, cache / name, folder):
            if not is_whole(cache / name, folder):
                _unpack(folder, cache / name)
            _remove_unused_versions(cache, name)
            lock.try_lock(exclusive=False)
        yield cache / name, lock


def _lock_alone_or_whole(lock: FileLock, place: Path, folder: PackedFolder) -> bool:
    """Lock a version: exclusively, or shared with others once it is whole. Return whether it is exclusive."""
    deadline = time.monotonic() + DAMAGED_TIMEOUT_S
    while not lock.try_lock(exclusive=True):  # it runs, or another start unpacks it
        if is_whole(place, folder):
            if lock.try_lock(exclusive=False) and is_whole(place, folder):
                return False
        elif place.exists() and time.monotonic() > deadline:
            raise CannotUnpack(
                f"Conductor is running, and files of it in {place} are damaged: quit it, then start it again"
            )
        threading.Event().wait(LOCK_INTERVAL_S)
    return True


def is_whole(place: Path, folder: PackedFolder) -> bool:
    """Return whether a folder has as many files and bytes as were packed."""
    files = [path for path in place.rglob("*") if path.is_symlink() or path.is_file()]
    size = sum(path.stat().st_size for path in files if not path.is_symlink())
    return (len(files), size) == (folder.file_count, folder.unpacked_bytes)


def _unpack(folder: PackedFolder, place: Path) -> None:
    _print_status(
        f"Unpacking Conductor ({folder.unpacked_bytes / 1e6:.0f} MB, once for this version) ..."
    )
    # The lock is exclusive, so nobody else unpacks this version.
    for left in place.parent.glob(f".{place.name}.*{PARTIAL}"):
        shutil.rmtree(left, ignore_errors=True)
    partial = place.with_name(f".{place.name}.{os.getpid()}{PARTIAL}")
    try:
        with folder.program.open("rb") as file:
            reader = PackedReader(file, folder)
            _extract(reader, partial)
            if reader.finish() != folder.sha256:
                raise CannotUnpack(f"{folder.program} is damaged: download it again")
        shutil.rmtree(place, ignore_errors=True)  # a damaged version
        _rename(partial, place)
    except (zstandard.ZstdError, tarfile.TarError) as problem:
        raise CannotUnpack(f"{folder.program} is damaged: download it again") from problem
    except OSError as problem:
        raise CannotUnpack(
            f"{place.parent} cannot be written ({problem.strerror or problem}): free"
            f" {folder.unpacked_bytes / 1e6:.0f} MB there, or set {CACHE_VARIABLE} to another folder"
        ) from problem
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _extract(reader: PackedReader, place: Path) -> None:
    decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW_BYTES)
    with (
        decompressor.stream_reader(cast(BinaryIO, reader)) as plain,
        tarfile.open(fileobj=cast(BinaryIO, CallReader(cast(BinaryIO, plain))), mode="r|") as tar,
    ):
        # Debian 12's Python 3.11.2 has no filters. The hash is checked before anything is used.
        if hasattr(tarfile, "data_filter"):
            tar.extraction_filter = tarfile.data_filter
        tar.extractall(place)


def _choose_cache(caches: Sequence[Path], unpacked_bytes: int) -> Path:
    problems: list[str] = []
    for cache in caches:
        problem = _find_problem(cache, unpacked_bytes + SPARE_BYTES)
        if problem is None:
            return cache
        problems.append(f"  {cache}: {problem}")
    raise CannotUnpack(
        "Conductor unpacks itself once, and no folder can hold it:\n"
        + "\n".join(problems)
        + f"\nFree some room, or set {CACHE_VARIABLE} to a folder on another disk."
    )


def _find_risk(cache: Path) -> str | None:
    """Return why programs in a cache folder must not or cannot be run, or None."""
    if os.name != "posix":
        return None
    try:
        for each in (cache, cache.parent):
            status = each.stat()
            if status.st_uid != os.getuid() or status.st_mode & 0o022:
                return "other users could change the program there"
        if os.statvfs(cache).f_flag & os.ST_NOEXEC:
            return "its disk does not allow programs to run (noexec)"
    except OSError as problem:
        return problem.strerror or str(problem)
    return None


def _find_problem(cache: Path, needed_bytes: int) -> str | None:
    """Create a cache folder, and return why it cannot be used, or None."""
    try:
        cache.parent.parent.mkdir(parents=True, exist_ok=True)
        for each in (cache.parent, cache):
            each.mkdir(exist_ok=True, mode=0o700)
        risk = _find_risk(cache)
        if risk is not None:
            return risk
        if not os.access(cache, os.W_OK):
            return "it cannot be written"
        _remove_leftovers(cache)
        free_bytes = shutil.disk_usage(cache).free
    except OSError as problem:
        return problem.strerror or str(problem)
    if free_bytes < needed_bytes:
        return f"{needed_bytes / 1e6:.0f} MB are needed, and {free_bytes / 1e6:.0f} MB are free"
    return None


def _remove_leftovers(cache: Path) -> None:
    """Remove what killed starts had begun to unpack or to remove."""
    for partial in cache.glob(f".*{PARTIAL}"):
        version = partial.name.split(".")[1]
        with FileLock(cache / (version + LOCK)) as lock:
            if lock.try_lock(exclusive=True):  # else a start works on that version
                shutil.rmtree(partial, ignore_errors=True)


def _rename(partial: Path, place: Path) -> None:
    """Rename a folder whose files were just written."""
    deadline = time.monotonic() + RENAME_TIMEOUT_S
    while True:
        try:
            partial.rename(place)
            return
        except PermissionError:
            if os.name != "nt" or time.monotonic() > deadline:
                raise
        threading.Event().wait(LOCK_INTERVAL_S)


def _remove_unused_versions(cache: Path, current: str) -> None:
    for place in cache.glob("[!.]*"):
        if not place.is_dir() or place.name == current:
            continue
        # Renamed first: nobody starts half a version, and Windows renames no folder with open files.
        partial = place.with_name(f".{place.name}.{os.getpid()}{PARTIAL}")
        with contextlib.suppress(OSError), FileLock(place.with_name(place.name + LOCK)) as lock:
            if lock.try_lock(exclusive=True):  # else that version runs
                place.rename(partial)
                shutil.rmtree(partial)


def _print_status(text: str) -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):  # a window program has no stderr
        print(text, file=sys.stderr, flush=True)
