"""Leaves out the shared libraries that no file of the packaged app needs, on Linux.

PyInstaller collects the libraries of every file that it finds, also of those that `slim.py` leaves out later:
the plugins of Qt for printing and GTK, and the modules of pygame for sound, images and fonts.
"""

import re
import subprocess
from collections.abc import Sequence
from pathlib import PurePath

Row = tuple[str, str, str]
LIBRARY_FOLDERS = re.compile(r"\.|PySide6/Qt/lib|[\w.-]+\.libs")
LIBRARY = re.compile(r"lib[\w.+-]+?\.so(\.[\w.]+)?")
LOADED_BY_NAME = re.compile(
    r"""
    libpython3 |  # by the bootloader
    lib(softokn3|freebl3|freeblpriv3|nssckbi|nssdbm3)\.so |  # by libnss3
    libpulse\.so |  # by pulsectl
    libudev\.so  # by SDL
    """,
    re.VERBOSE,
)
NEEDED = re.compile(r"^\s*NEEDED\s+(\S+)", re.MULTILINE)


def drop_unneeded(rows: Sequence[Row]) -> list[Row]:
    """Return the rows without the libraries that no other row needs, directly or indirectly."""
    needs = {name: set[str]() for name in (PurePath(path).name for path, _, _ in rows)}
    for path, source, kind in rows:
        if kind != "SYMLINK":
            needs[PurePath(path).name] |= read_needed(source)
    needed: set[str] = set()
    waiting = [PurePath(path).name for path, _, _ in rows if not is_droppable(path)]
    while waiting:
        name = waiting.pop()
        if name in needs and name not in needed:
            needed.add(name)
            waiting += needs[name]
    return [row for row in rows if PurePath(row[0]).name in needed]


def is_droppable(path: str) -> bool:
    """Return whether a file is a library that is in the package only because another file needs it."""
    place = PurePath(path)
    return (
        LIBRARY.fullmatch(place.name) is not None
        and LIBRARY_FOLDERS.fullmatch(str(place.parent)) is not None
        and LOADED_BY_NAME.match(place.name) is None
    )


def read_needed(source: str) -> set[str]:
    """Return the names of the libraries that a program or library loads when it is started."""
    done = subprocess.run(["objdump", "-p", source], capture_output=True, text=True, check=False)
    return set(NEEDED.findall(done.stdout))
