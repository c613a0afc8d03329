"""Reads the foreground window on Windows: its program, its title, and whether our keys reach it.

Windows discards the keys and clicks that a program sends to a window of a higher integrity level, such as a
program that runs as administrator, and reports success all the same. So the levels are compared before keys are
sent.
"""

import ctypes
from contextlib import contextmanager
from typing import TYPE_CHECKING

from conductor.system.foreground_watch import NO_APP, AppNames
from conductor.system.windows.libraries import DWORD, HANDLE, load_libraries

if TYPE_CHECKING:
    from collections.abc import Generator

_QUERY_LIMITED_INFORMATION = 0x1000
_TOKEN_QUERY = 0x8
_TOKEN_INTEGRITY_LEVEL = 25
_MAX_TITLE_LENGTH, _MAX_PATH_LENGTH = 512, 32_768
_MAX_LABEL_BYTES = 256
ELEVATED_LEVEL = 0x3000
"""The integrity level of programs that run as administrator. Ordinary programs have 0x2000."""


def read_foreground_app() -> AppNames:
    """Return the executable and the title of the foreground window."""
    user32 = load_libraries().user32
    window = user32.GetForegroundWindow()
    if not window:
        return NO_APP
    title = ctypes.create_unicode_buffer(_MAX_TITLE_LENGTH)
    user32.GetWindowTextW(window, title, _MAX_TITLE_LENGTH)
    return _read_executable(_find_process(window)), "", title.value


def find_elevated_app() -> str | None:
    """Return the executable of the foreground window if Windows discards our keys for it, otherwise None."""
    window = load_libraries().user32.GetForegroundWindow()
    if not window:
        return None
    pid = _find_process(window)
    if _read_integrity_level(pid) <= _read_own_integrity_level():
        return None
    return _read_executable(pid) or "the app in front"


def _find_process(window: int) -> int:
    pid = DWORD()
    load_libraries().user32.GetWindowThreadProcessId(window, ctypes.byref(pid))
    return pid.value


@contextmanager
def _open_process(pid: int) -> "Generator[int | None]":
    kernel32 = load_libraries().kernel32
    process = kernel32.OpenProcess(_QUERY_LIMITED_INFORMATION, 0, pid)
    try:
        yield process
    finally:
        if process:
            kernel32.CloseHandle(process)


def _read_executable(pid: int) -> str:
    with _open_process(pid) as process:
        if not process:
            return ""
        path, size = ctypes.create_unicode_buffer(_MAX_PATH_LENGTH), DWORD(_MAX_PATH_LENGTH)
        query = load_libraries().kernel32.QueryFullProcessImageNameW
        found = query(process, 0, path, ctypes.byref(size))
        return path.value.rpartition("\\")[2] if found else ""


def _read_own_integrity_level() -> int:
    return _read_token_level(load_libraries().kernel32.GetCurrentProcess())


def _read_integrity_level(pid: int) -> int:
    """Return the integrity level of a process. A process that we may not query counts as elevated."""
    with _open_process(pid) as process:
        return _read_token_level(process) if process else ELEVATED_LEVEL


def _read_token_level(process: int) -> int:
    _, kernel32, advapi32 = load_libraries()
    token = HANDLE()
    if not advapi32.OpenProcessToken(process, _TOKEN_QUERY, ctypes.byref(token)):
        return ELEVATED_LEVEL
    try:
        label, needed = ctypes.create_string_buffer(_MAX_LABEL_BYTES), DWORD()
        if not advapi32.GetTokenInformation(
            token, _TOKEN_INTEGRITY_LEVEL, label, _MAX_LABEL_BYTES, ctypes.byref(needed)
        ):
            return ELEVATED_LEVEL
        # A TOKEN_MANDATORY_LABEL starts with the address of a SID, whose last number is the level.
        sid = ctypes.c_void_p.from_buffer(label).value
        count = ctypes.c_ubyte.from_address(advapi32.GetSidSubAuthorityCount(sid)).value
        return DWORD.from_address(advapi32.GetSidSubAuthority(sid, count - 1)).value
    finally:
        kernel32.CloseHandle(token)
