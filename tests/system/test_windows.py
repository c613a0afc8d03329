# ruff: noqa: N802 - the names of functions of the system
"""Keys and the foreground app on Windows, with stand-ins for user32, kernel32 and advapi32."""

import ctypes
from collections.abc import Callable, Generator
from typing import Any

import pytest
from tests.system.test_build import NO_TOKEN

from conductor.errors import ActionFailed
from conductor.system.build import make_keyboard
from conductor.system.doctor import check_system
from conductor.system.foreground import ForegroundWatcher
from conductor.system.windows.foreground import find_elevated_app, read_foreground_app
from conductor.system.windows.keyboard import Input
from conductor.system.windows.libraries import load_libraries

EXTENDED, UP, UNICODE = 1, 2, 4
ORDINARY, ADMINISTRATOR = 0x2000, 0x3000
OWN_PROCESS, WINDOW, SID = -1, 7, 1000
PROGRAMS = {1: "C:\\Program Files\\Editor\\editor.exe", 2: "C:\\Windows\\regedit.exe"}


class Function:
    """A function of a library; ctypes sets its types."""

    restype: Any = None
    argtypes: Any = None

    def __init__(self, body: Callable[..., Any]) -> None:
        self.body = body

    def __call__(self, *args: Any) -> Any:
        assert len(args) == len(self.argtypes), "ctypes would refuse the call"
        return self.body(*args)


class FakeWindows:
    """A Windows with one window. `levels` are the integrity levels by process, `closed` the handles that were closed."""

    def __init__(self) -> None:
        self.front = 1
        self.levels = {OWN_PROCESS: ORDINARY, 1: ORDINARY, 2: ADMINISTRATOR}
        self.hidden: set[int] = set()
        """The processes whose token must not be read, as those of an administrator."""
        self.sent: list[tuple[int, int, int]] = []
        self.batches: list[int] = []
        self.accepts = True
        self.opened: list[int] = []
        self.closed: list[int] = []
        self._level = ctypes.c_uint32()
        self._count = ctypes.c_ubyte(1)

    def load(self, name: str, *, use_last_error: bool) -> Any:
        assert use_last_error
        names = {
            "user32": "GetForegroundWindow GetWindowTextW GetWindowThreadProcessId MapVirtualKeyW SendInput VkKeyScanW",
            "kernel32": "OpenProcess CloseHandle GetCurrentProcess QueryFullProcessImageNameW",
            "advapi32": "OpenProcessToken GetTokenInformation GetSidSubAuthorityCount GetSidSubAuthority",
        }
        functions = {each: Function(getattr(self, each)) for each in names[name].split()}
        return type("Library", (), functions)()

    def GetForegroundWindow(self) -> int | None:
        return WINDOW if self.front else None

    def GetWindowTextW(self, window: int, text: Any, size: int) -> int:
        text.value = "Übung"[: size - 1]
        return len(text.value)

    def GetWindowThreadProcessId(self, window: int, pid: Any) -> int:
        assert window == WINDOW
        pid._obj.value = self.front
        return 99

    def OpenProcess(self, access: int, inherit: int, pid: int) -> int | None:
        assert (access, inherit) == (0x1000, 0)
        self.opened.append(100 + pid)
        return 100 + pid

    def CloseHandle(self, handle: Any) -> int:
        self.closed.append(getattr(handle, "value", handle))
        return 1

    def GetCurrentProcess(self) -> int:
        return OWN_PROCESS

    def QueryFullProcessImageNameW(self, process: int, flags: int, path: Any, size: Any) -> int:
        assert size._obj.value == len(path)
        path.value = PROGRAMS[process - 100]
        return 1

    def OpenProcessToken(self, process: int, access: int, token: Any) -> int:
        pid = process - 100 if process > 100 else process
        if pid in self.hidden:
            return 0
        token._obj.value = 1000 + pid
        self.opened.append(1000 + pid)
        return 1

    def GetTokenInformation(self, token: Any, kind: int, label: Any, size: int, needed: Any) -> int:
        assert (kind, size) == (25, len(label))
        self._level.value = self.levels[token.value - 1000]
        ctypes.c_void_p.from_buffer(label).value = SID
        return 1

    def GetSidSubAuthorityCount(self, sid: int) -> int:
        assert sid == SID
        return ctypes.addressof(self._count)

    def GetSidSubAuthority(self, sid: int, index: int) -> int:
        assert (sid, index) == (SID, 0)
        return ctypes.addressof(self._level)

    def MapVirtualKeyW(self, code: int, kind: int) -> int:
        assert kind == 0
        return code + 0x100

    def VkKeyScanW(self, character: str) -> int:
        return {";": 0xBA, ":": 0x1BA}.get(character, -1)

    def SendInput(self, count: int, inputs: Any, size: int) -> int:
        assert size == ctypes.sizeof(Input) == 40, "the size on 64-bit Windows"
        assert count == len(inputs)
        if not self.accepts:
            return 0
        self.batches.append(count)
        for each in inputs:
            assert each.type == 1
            key = each.union.keyboard
            self.sent.append((key.virtual, key.scan, key.flags))
        return count


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> Generator[FakeWindows]:
    fake = FakeWindows()
    monkeypatch.setattr(ctypes, "WinDLL", fake.load, raising=False)
    load_libraries.cache_clear()
    monkeypatch.setattr("conductor.system.windows.libraries.load_libraries", load_libraries)
    yield fake
    load_libraries.cache_clear()
    assert sorted(fake.opened) == sorted(fake.closed), "every handle is closed"


def test_a_chord_is_sent_at_once_with_virtual_keys_and_scan_codes(windows: FakeWindows) -> None:
    keyboard = make_keyboard("win32")
    keyboard.press_keys(["ctrl", "right", "z"])
    keyboard.release_keys(["ctrl", "right", "z"])
    assert windows.batches == [3, 3]
    assert windows.sent == [
        (0x11, 0x111, 0),
        (0x27, 0x127, EXTENDED),
        (0x5A, 0x15A, 0),
        (0x5A, 0x15A, UP),
        (0x27, 0x127, EXTENDED | UP),
        (0x11, 0x111, UP),
    ]


@pytest.mark.parametrize(
    ("key", "code", "flags"),
    [
        ("f24", 0x87, 0),
        ("num1", 0x61, 0),
        ("numenter", 0x0D, EXTENDED),
        ("enter", 0x0D, 0),
        ("cmd", 0x5B, EXTENDED),
        (";", 0xBA, 0),
        ("volumeup", 0xAF, EXTENDED),
    ],
)
def test_each_key_has_its_code(windows: FakeWindows, key: str, code: int, flags: int) -> None:
    make_keyboard("win32").press_keys([key])
    assert windows.sent == [(code, code + 0x100, flags)]


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (":", "no key of this keyboard layout"),
        ("brightnessup", "cannot be pressed"),
        ("nokey", "unknown key"),
    ],
)
def test_a_key_that_cannot_be_pressed_is_an_error(
    windows: FakeWindows, key: str, text: str
) -> None:
    with pytest.raises(ActionFailed, match=text):
        make_keyboard("win32").press_keys(["ctrl", key])
    assert windows.sent == []


def test_text_is_sent_as_utf_16_with_surrogates_and_real_returns(windows: FakeWindows) -> None:
    make_keyboard("win32").type_text("é🎹\n")
    assert windows.sent == [
        (0, 0xE9, UNICODE),
        (0, 0xE9, UNICODE | UP),
        (0, 0xD83C, UNICODE),
        (0, 0xDFB9, UNICODE),
        (0, 0xD83C, UNICODE | UP),
        (0, 0xDFB9, UNICODE | UP),
        (0x0D, 0x10D, 0),
        (0x0D, 0x10D, UP),
    ]


@pytest.mark.parametrize("is_hidden", [False, True])
def test_keys_for_an_app_of_an_administrator_are_refused_but_held_keys_come_up(
    windows: FakeWindows, *, is_hidden: bool
) -> None:
    windows.front = 2
    windows.hidden = {2} if is_hidden else set()
    keyboard = make_keyboard("win32")
    for send in (lambda: keyboard.press_keys(["a"]), lambda: keyboard.type_text("a")):
        with pytest.raises(ActionFailed, match=r"regedit.exe runs as administrator"):
            send()
    assert windows.sent == []
    keyboard.release_keys(["a"])
    assert windows.sent == [(0x41, 0x141, UP)]
    check = check_system(NO_TOKEN, "win32")[0]
    assert (check.ok, "regedit.exe" in check.remedy) == (False, True)
    windows.levels[OWN_PROCESS] = ADMINISTRATOR
    assert find_elevated_app() is None


def test_blocked_input_is_an_error(windows: FakeWindows) -> None:
    windows.accepts = False
    with pytest.raises(ActionFailed, match="another program blocks input"):
        make_keyboard("win32").press_keys(["a"])


def test_the_foreground_window_has_its_executable_and_title(windows: FakeWindows) -> None:
    assert read_foreground_app() == ("editor.exe", "", "Übung")
    windows.front = 0
    assert read_foreground_app() == ("", "", "")
    assert find_elevated_app() is None


def test_a_failing_system_library_does_not_end_the_watcher(
    windows: FakeWindows, monkeypatch: pytest.MonkeyPatch
) -> None:
    import queue

    apps: queue.Queue[str] = queue.Queue()
    failures = iter([OSError("busy"), OSError("busy")])

    def fail_twice() -> int:
        for failure in failures:
            raise failure
        return WINDOW

    monkeypatch.setattr(windows, "GetForegroundWindow", fail_twice)
    watcher = ForegroundWatcher(lambda executable, _id, _title: apps.put(executable), "win32")
    watcher.start()
    assert apps.get(timeout=10) == ""
    assert apps.get(timeout=10) == "editor.exe"
    assert watcher.get_unavailable_reason() is None
    watcher.stop()
