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
import tempfile
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import IO, BinaryIO, cast

import zstandard
from archive import PackedFolder, PackedReader

if os.name == "posix":
    import fcntl

SPARE_BYTES = 64_000_000
"""Room that is left on the disk, for Conductor's own files."""
MAX_WINDOW_BYTES = 1 << 27
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
        Path(tempfile.gettempdir(), f"conductor-{os.getuid()}", "app"),
    ]


@contextlib.contextmanager
def unpacked(folder: PackedFolder, caches: Sequence[Path]) -> Generator[tuple[Path, IO[bytes]]]:
    """Yield the folder with the unpacked program, and the lock that keeps it from being removed.

    Raises:
        CannotUnpack: There is no room, or no cache folder from which programs may run.
    """
    name = folder.sha256.hex()[:16]
    for cache in caches:
        if is_whole(cache / name, folder):
            with _lock(cache / (name + LOCK), exclusive=False) as lock:
                yield cache / name, lock
            return
    cache = _choose_cache(caches, folder.unpacked_bytes)
    with _lock(cache / (name + LOCK), exclusive=True) as lock:
        if not is_whole(cache / name, folder):  # another start may have been faster
            _unpack(folder, cache / name)
        _remove_unused_versions(cache, name)
        _share(lock)
        yield cache / name, lock


def is_whole(place: Path, folder: PackedFolder) -> bool:
    """Return whether a folder has as many files and bytes as were packed."""
    files = [path for path in place.rglob("*") if path.is_symlink() or path.is_file()]
    size = sum(path.stat().st_size for path in files if not path.is_symlink())
    return (len(files), size) == (folder.file_count, folder.unpacked_bytes)


def _unpack(folder: PackedFolder, place: Path) -> None:
    _say(f"Unpacking Conductor ({folder.unpacked_bytes / 1e6:.0f} MB, once for this version) ...")
    partial = place.with_name(f".{place.name}.{os.getpid()}{PARTIAL}")
    try:
        with folder.program.open("rb") as file:
            reader = PackedReader(file, folder)
            _extract(reader, partial)
            if reader.finish() != folder.sha256:
                raise CannotUnpack(f"{folder.program} is damaged: download it again")
        shutil.rmtree(place, ignore_errors=True)  # a damaged version
        partial.rename(place)
    except (zstandard.ZstdError, tarfile.TarError) as problem:
        raise CannotUnpack(f"{folder.program} is damaged: download it again") from problem
    except OSError as problem:
        raise CannotUnpack(
            f"{place.parent} cannot be written ({problem.strerror or problem}): free"
            f" {folder.unpacked_bytes / 1e6:.0f} MB there, or set XDG_CACHE_HOME to another folder"
        ) from problem
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _extract(reader: PackedReader, place: Path) -> None:
    decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW_BYTES)
    with (
        decompressor.stream_reader(cast(BinaryIO, reader)) as plain,
        tarfile.open(fileobj=plain, mode="r|") as tar,
    ):
        tar.extractall(place, filter="data")


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
        + "\nFree some room, or set XDG_CACHE_HOME to a folder on another disk."
    )


def _find_problem(cache: Path, needed_bytes: int) -> str | None:
    """Create a cache folder, and return why it cannot be used, or None."""
    try:
        cache.mkdir(parents=True, exist_ok=True, mode=0o700)
        if os.name == "posix":
            facts = cache.stat()
            if facts.st_uid != os.getuid() or facts.st_mode & 0o022:
                return "other users could change the program there"
            if os.statvfs(cache).f_flag & os.ST_NOEXEC:
                return "its disk does not allow programs to run (noexec)"
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
    """Remove what killed starts had begun to unpack."""
    for partial in cache.glob(f".*{PARTIAL}"):
        pid = partial.name.split(".")[-2]
        if not (os.name == "posix" and pid.isdigit() and _is_running(int(pid))):
            shutil.rmtree(partial, ignore_errors=True)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _remove_unused_versions(cache: Path, current: str) -> None:
    for lock_file in cache.glob(f"*{LOCK}"):
        name = lock_file.name.removesuffix(LOCK)
        if name == current:
            continue
        with contextlib.suppress(OSError), lock_file.open("rb") as lock:
            if os.name == "posix":
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while that version runs
            shutil.rmtree(cache / name)
            lock_file.unlink()


@contextlib.contextmanager
def _lock(path: Path, *, exclusive: bool) -> Generator[IO[bytes]]:
    """Open and lock a file. Windows needs no lock: it does not remove programs that run."""
    with path.open("ab") as lock:
        if os.name == "posix":
            fcntl.flock(lock, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
        yield lock


def _share(lock: IO[bytes]) -> None:
    if os.name == "posix":
        fcntl.flock(lock, fcntl.LOCK_SH)


def _say(text: str) -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):  # a window program has no stderr
        print(text, file=sys.stderr, flush=True)
