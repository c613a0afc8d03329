"""The one-file program unpacks itself once, repairs what was damaged, and removes older versions."""

import fcntl
import importlib
import itertools
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

ROOT = Path(__file__).resolve().parents[2]
CALLS = b"".join(
    b"\xe8" + (1_000_000 - place).to_bytes(4, "little") + os.urandom(3)
    for place in range(0, 400_000, 8)
)
"""Machine code that calls one function from many places, over more bytes than are unpacked at once."""


class OneFile:
    """A program of a few bytes, made as the real one is."""

    def __init__(self, folder: Path) -> None:
        self.archive: Any = importlib.import_module("archive")
        self.pack: Any = importlib.import_module("pack")
        self.unpack: Any = importlib.import_module("unpack")
        self.launcher: Any = importlib.import_module("launcher")
        self.locks: Any = importlib.import_module("locks")
        self.folder = folder
        self.caches = [folder / "cache" / "app", folder / "data" / "app"]

    def build(self, text: str = "one") -> Any:
        """Build a program and return where its packed folder is."""
        source = self.folder / f"source-{text}"
        (source / "lib").mkdir(parents=True)
        (source / "conductor").write_text(f"#!/bin/sh\necho {text} $1 $CONDUCTOR_ONE_FILE\n")
        (source / "conductor").chmod(0o755)
        (source / "lib" / "data").write_bytes(os.urandom(300_000))
        (source / "lib" / "code").write_bytes(CALLS)
        (source / "lib" / "link").symlink_to("data")
        program, packed = self.folder / f"program-{text}", self.folder / "packed"
        program.write_bytes(b"the bootloader")
        size, count = self.pack.pack_folder(source, packed, level=3)
        launcher = self.folder / "launcher.pkg"
        head = b"the launcher"
        cookie = struct.pack(
            "!8sIIII64s", b"MEI\014\013\012\013\016", len(head) + 88, 0, 0, 311, b"x"
        )
        launcher.write_bytes(head + cookie)
        self.archive.append_folder(program, packed, launcher, unpacked_bytes=size, file_count=count)
        return self.archive.find_packed_folder(program)

    def start(self, packed: Any) -> Path:
        """Unpack if needed, and return the folder that would be started."""
        with self.unpack.unpacked(packed, self.caches) as (place, _):
            return place


class FakeKernel32:
    """LockFileEx of Windows: a handle may have a shared lock beside its own exclusive one, but not the reverse."""

    def __init__(self) -> None:
        self.locks: list[tuple[int, bool]] = []
        self.files: dict[int, int] = {}
        """The file of each handle."""

    def LockFileEx(self, handle: int, flags: int, *_: Any) -> bool:  # noqa: N802
        assert flags & 1, "a start must not wait"
        is_exclusive = bool(flags & 2)
        others = [
            exclusive
            for other, exclusive in self.locks
            if other != handle and self.files[other] == self.files[handle]
        ]
        if any(others) or (others and is_exclusive):
            return False
        if is_exclusive and any(other == handle for other, _ in self.locks):
            return False
        self.locks.append((handle, is_exclusive))
        return True

    def UnlockFileEx(self, handle: int, *_: Any) -> bool:  # noqa: N802
        mine = sorted(
            (lock for lock in self.locks if lock[0] == handle), key=lambda lock: not lock[1]
        )
        self.locks.remove(mine[0])
        return True


@pytest.fixture(params=["posix", "nt"])
def system(
    request: pytest.FixtureRequest, one_file: "OneFile", monkeypatch: pytest.MonkeyPatch
) -> str:
    """Lock as on one system. Handles of Windows are those of files that are open at the same time."""
    if request.param == "nt":
        kernel, handles = FakeKernel32(), itertools.count(1)
        numbers: dict[int, int] = {}
        locker = one_file.locks.WindowsLocker(kernel)

        def get_handle(file: Any) -> int:
            handle = numbers.setdefault(id(file), next(handles))
            kernel.files[handle] = os.fstat(file.fileno()).st_ino
            return handle

        monkeypatch.setattr(locker, "_get_handle", get_handle)
        monkeypatch.setattr(one_file.locks, "make_locker", lambda: locker)
        close = one_file.locks.FileLock.__exit__

        def close_and_unlock(lock: Any, *error: object) -> None:
            handle = numbers.pop(id(lock._file), None)
            kernel.locks[:] = [each for each in kernel.locks if each[0] != handle]
            close(lock, *error)

        monkeypatch.setattr(one_file.locks.FileLock, "__exit__", close_and_unlock)
    return request.param


@pytest.fixture
def one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OneFile:
    monkeypatch.syspath_prepend(str(ROOT / "build" / "one_file"))
    return OneFile(tmp_path)


def test_the_first_start_unpacks_and_later_starts_do_not(
    one_file: OneFile, capsys: pytest.CaptureFixture[str]
):
    packed = one_file.build()
    place = one_file.start(packed)
    run = subprocess.run([place / "conductor", "hello"], capture_output=True, text=True, check=True)
    assert run.stdout.split()[:2] == ["one", "hello"]
    assert (place / "lib" / "link").read_bytes() == (place / "lib" / "data").read_bytes()
    assert "once for this version" in capsys.readouterr().err
    assert one_file.start(packed) == place
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("damage", ["shorten", "delete", "add"])
def test_a_damaged_version_is_unpacked_again(one_file: OneFile, damage: str):
    packed = one_file.build()
    data = one_file.start(packed) / "lib" / "data"
    whole = data.read_bytes()
    if damage == "shorten":
        data.write_bytes(whole[:10])
    elif damage == "delete":
        data.unlink()
    else:
        data.with_name("more").write_bytes(b"x")
    assert (one_file.start(packed) / "lib" / "data").read_bytes() == whole
    assert not data.with_name("more").exists()


def test_a_damaged_download_is_refused_and_leaves_nothing(one_file: OneFile):
    packed = one_file.build()
    with packed.program.open("r+b") as file:
        file.seek(packed.offset + packed.packed_bytes // 2)
        file.write(b"damaged")
    with pytest.raises(one_file.unpack.CannotUnpack, match="download it again"):
        one_file.start(packed)
    assert [path.suffix for path in one_file.caches[0].iterdir()] == [".lock"]
    packed.program.write_bytes(packed.program.read_bytes()[:-20])
    with pytest.raises(one_file.archive.BadArchive, match="download it again"):
        one_file.archive.find_packed_folder(packed.program)


def test_calls_in_machine_code_are_packed_as_equal_bytes_and_restored(one_file: OneFile):
    packed = one_file.build()
    assert (one_file.start(packed) / "lib" / "code").read_bytes() == CALLS
    distinct_bytes = len(CALLS) * 3 // 8
    assert packed.packed_bytes < 300_000 + distinct_bytes * 1.2


def test_a_full_disk_or_one_without_programs_is_passed_over(
    one_file: OneFile, monkeypatch: pytest.MonkeyPatch
):
    packed = one_file.build()
    first, second = one_file.caches

    def disk_usage(path: Path) -> Any:
        return SimpleNamespace(free=1_000 if Path(path) == first else 10**12)

    monkeypatch.setattr(one_file.unpack.shutil, "disk_usage", disk_usage)
    assert one_file.start(packed).parent == second
    shutil.rmtree(second.parent)
    noexec = MagicMock(return_value=SimpleNamespace(f_flag=os.ST_NOEXEC))
    monkeypatch.setattr(one_file.unpack.os, "statvfs", noexec)
    with pytest.raises(one_file.unpack.CannotUnpack, match="noexec") as raised:
        one_file.start(packed)
    assert "XDG_CACHE_HOME" in str(raised.value)


@pytest.mark.parametrize("is_whole", [False, True])
@pytest.mark.parametrize("depth", ["folder", "parent"])
def test_a_folder_that_others_can_write_is_not_used(
    one_file: OneFile, depth: str, *, is_whole: bool
):
    packed = one_file.build()
    if is_whole:
        one_file.start(packed)
    else:
        one_file.caches[0].mkdir(parents=True)
    (one_file.caches[0] if depth == "folder" else one_file.caches[0].parent).chmod(0o777)
    assert one_file.start(packed).parent == one_file.caches[1]


def test_a_version_that_is_damaged_while_it_runs_is_not_replaced(
    one_file: OneFile, system: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(one_file.unpack, "DAMAGED_TIMEOUT_S", 0.0)
    packed = one_file.build()
    with one_file.unpack.unpacked(packed, one_file.caches) as (place, _):
        assert one_file.start(packed) == place
        (place / "lib" / "data").write_bytes(b"")
        with pytest.raises(one_file.unpack.CannotUnpack, match="quit it"):
            one_file.start(packed)
    assert one_file.start(packed) == place
    assert (place / "lib" / "data").stat().st_size == 300_000


def test_an_older_version_is_removed_unless_it_runs(one_file: OneFile, system: str):
    old, new, newest = (one_file.build(text) for text in ("old", "new", "newest"))
    with one_file.unpack.unpacked(old, one_file.caches) as (old_place, lock):
        new_place = one_file.start(new)
        assert old_place.exists()
        if system == "posix":
            fcntl.flock(lock, fcntl.LOCK_SH)  # as a running program holds it
    one_file.start(newest)
    assert not old_place.exists()
    assert not new_place.exists()


def test_two_starts_at_once_do_not_share_a_lock(one_file: OneFile, system: str):
    path = one_file.folder / "version.lock"
    with one_file.locks.FileLock(path) as first, one_file.locks.FileLock(path) as second:
        assert first.try_lock(exclusive=True)
        assert not second.try_lock(exclusive=True)
        assert not second.try_lock(exclusive=False)
        assert first.try_lock(exclusive=False)
        assert second.try_lock(exclusive=False)
        assert not second.try_lock(exclusive=True), "the first one runs"
    with one_file.locks.FileLock(path) as third:
        assert third.try_lock(exclusive=True)


def test_the_window_of_windows_starts_without_a_console(one_file: OneFile):
    choose = one_file.launcher.choose_program
    assert choose("posix", []) == "conductor"
    assert choose("nt", []) == choose("nt", ["run", "--window", "--hidden"]) == "conductorw.exe"
    assert choose("nt", ["doctor"]) == choose("nt", ["run", "--headless"]) == "conductor.exe"


def test_what_a_killed_start_left_is_removed(one_file: OneFile):
    packed = one_file.build()
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    of_old_version = one_file.caches[0] / f".abc.{gone.pid}.partial"
    # a killed process whose parent has not noticed it still has its id
    of_this_version = one_file.caches[0] / f".{packed.sha256.hex()[:16]}.{os.getppid()}.partial"
    for left in (of_old_version, of_this_version):
        left.mkdir(parents=True)
    one_file.start(packed)
    assert not of_old_version.exists()
    assert not of_this_version.exists()


def test_the_program_gets_the_file_of_the_user_and_the_old_library_path(one_file: OneFile):
    inherited = {"LD_LIBRARY_PATH": "/tmp/launcher", "LD_LIBRARY_PATH_ORIG": "/mine", "HOME": "/h"}
    environment = one_file.launcher.build_environment(Path("/apps/conductor"), inherited)
    assert environment["CONDUCTOR_ONE_FILE"] == "/apps/conductor"
    assert environment["LD_LIBRARY_PATH"] == "/mine"
    assert "LD_LIBRARY_PATH_ORIG" not in environment
