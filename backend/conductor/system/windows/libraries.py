"""The system libraries of Windows, with the types of the functions that Conductor calls.

ctypes passes an argument without a declared type as a 32-bit number, which would cut handles and pointers.
"""

import ctypes
from functools import cache
from typing import Any, NamedTuple

HANDLE = ctypes.c_void_p
DWORD, WORD, LONG, BOOL = ctypes.c_uint32, ctypes.c_uint16, ctypes.c_int32, ctypes.c_int32
ULONG_PTR = ctypes.c_size_t


class WindowsLibraries(NamedTuple):
    """user32, kernel32 and advapi32."""

    user32: Any
    kernel32: Any
    advapi32: Any


@cache
def load_libraries() -> WindowsLibraries:
    """Load the libraries, and declare the types of their functions."""
    open_library: Any = getattr(ctypes, "WinDLL")  # noqa: B009 - exists on Windows only
    names = ("user32", "kernel32", "advapi32")
    libraries = WindowsLibraries(*(open_library(name, use_last_error=True) for name in names))
    declare_types(libraries)
    return libraries


def declare_types(libraries: WindowsLibraries) -> None:
    user32, kernel32, advapi32 = libraries
    pointer = ctypes.c_void_p
    for function, result, arguments in (
        (user32.GetForegroundWindow, HANDLE, []),
        (user32.GetWindowTextW, ctypes.c_int, [HANDLE, ctypes.c_wchar_p, ctypes.c_int]),
        (user32.GetWindowThreadProcessId, DWORD, [HANDLE, pointer]),
        (user32.MapVirtualKeyW, ctypes.c_uint, [ctypes.c_uint, ctypes.c_uint]),
        (user32.SendInput, ctypes.c_uint, [ctypes.c_uint, pointer, ctypes.c_int]),
        (user32.VkKeyScanW, ctypes.c_short, [ctypes.c_wchar]),
        (kernel32.OpenProcess, HANDLE, [DWORD, BOOL, DWORD]),
        (kernel32.CloseHandle, BOOL, [HANDLE]),
        (kernel32.GetCurrentProcess, HANDLE, []),
        (kernel32.QueryFullProcessImageNameW, BOOL, [HANDLE, DWORD, ctypes.c_wchar_p, pointer]),
        (advapi32.OpenProcessToken, BOOL, [HANDLE, DWORD, pointer]),
        (advapi32.GetTokenInformation, BOOL, [HANDLE, ctypes.c_int, pointer, DWORD, pointer]),
        (advapi32.GetSidSubAuthorityCount, pointer, [pointer]),
        (advapi32.GetSidSubAuthority, pointer, [pointer, DWORD]),
    ):
        function.restype, function.argtypes = result, arguments
