"""Lists the installed apps, checks whether a program, app or file exists on this computer, and suggests
similar names for mistyped ones.
"""

import os
import plistlib
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from conductor.base.links import is_url
from conductor.system import desktop_entries

MAX_INSTALLED_APPS = 2_000
MAC_APP_FOLDERS = ("/Applications", "/System/Applications", "~/Applications")
WINDOWS_MENU = r"Microsoft\Windows\Start Menu\Programs"
UDP_SOCKET_TABLES = ("/proc/net/udp", "/proc/net/udp6")


class InstalledApp(NamedTuple):
    """An installed app, with the names by which actions and conditions refer to it."""

    name: str
    launch: str
    """What a `Launch` action needs to open it: its name, the name of its file, or its path."""
    program: str
    """The executable or bundle id that an `AppFrontmost` condition compares, or an empty string if unknown."""


def list_installed_apps(platform: str = sys.platform) -> list[InstalledApp]:
    """Return the apps that the menu of the system shows, by name."""
    if platform == "darwin":
        found = _list_mac_apps()
    elif platform == "win32":
        found = _list_windows_apps()
    else:
        found = _list_linux_apps()
    return sorted(found, key=lambda app: app.name.casefold())[:MAX_INSTALLED_APPS]


def _list_linux_apps() -> Iterator[InstalledApp]:
    apps = desktop_entries.list_menu_apps()
    # A name that two apps have would open the first of them.
    counts = Counter(app.name.casefold() for app in apps)
    for app in apps:
        is_unique = counts[app.name.casefold()] == 1
        yield InstalledApp(app.name, app.name if is_unique else app.entry_id, app.executable)


def _list_mac_apps() -> Iterator[InstalledApp]:
    for folder in MAC_APP_FOLDERS:
        for path in sorted(Path(folder).expanduser().rglob("*.app")):
            # An app may contain helper apps, which no menu shows.
            if not any(parent.suffix == ".app" for parent in path.parents):
                yield InstalledApp(path.stem, path.stem, _read_bundle_id(path))


def _read_bundle_id(app: Path) -> str:
    try:
        info = plistlib.loads((app / "Contents" / "Info.plist").read_bytes())
    except (OSError, ValueError, plistlib.InvalidFileException):
        return ""
    return str(info.get("CFBundleIdentifier", ""))


def _list_windows_apps() -> Iterator[InstalledApp]:
    for variable in ("PROGRAMDATA", "APPDATA"):
        if folder := os.environ.get(variable):
            menu = Path(folder, *WINDOWS_MENU.split("\\"))
            for path in sorted(menu.rglob("*.lnk")):
                yield InstalledApp(path.stem, str(path), "")


def find_launch_problem(app: str) -> str | None:
    """Return why a `Launch` action would fail, with a similar name if there is one, or None if it would
    succeed.

    On macOS and Windows only paths are checked, because their openers know apps by other names.
    """
    path = Path(app).expanduser()
    if is_url(app) or path.exists() or shutil.which(str(path)):
        return None
    if path.parent != Path():
        return f"there is no file `{app}` on this computer{_suggest_name(path.name, _list_folder_names(path))}"
    if not sys.platform.startswith("linux") or desktop_entries.find_app_command(app):
        return None
    names = {*_list_programs(), *desktop_entries.list_app_names()}
    return f"there is no program or app `{app}` on this computer{_suggest_name(app, names)}"


def find_run_problem(program: str) -> str | None:
    """Return why a `Shell` action would fail, with a similar name if there is one, or None if it would
    succeed.
    """
    if shutil.which(program):
        return None
    path = Path(program)
    known = _list_folder_names(path) if path.parent != Path() else _list_programs()
    return f"there is no program `{program}` on this computer{_suggest_name(path.name, known)}"


def list_udp_ports() -> frozenset[int] | None:
    """Return the UDP ports on which programs of this computer listen, or None if they cannot be determined."""
    ports: set[int] = set()
    try:
        for table in UDP_SOCKET_TABLES:
            lines = Path(table).read_text(encoding="ascii").splitlines()[1:]
            ports.update(int(line.split()[1].rpartition(":")[2], 16) for line in lines)
    except (OSError, ValueError, IndexError):
        return None
    return frozenset(ports)


def _list_programs() -> set[str]:
    return {
        entry.name
        for folder in os.get_exec_path()
        for entry in _list_folder_entries(folder)
        if _is_program(entry)
    }


def _is_program(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file() and os.access(entry.path, os.X_OK)
    except OSError:  # for example a symbolic link to itself
        return False


def _list_folder_names(path: Path) -> set[str]:
    return {entry.name for entry in _list_folder_entries(str(path.parent))}


def _list_folder_entries(folder: str) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except OSError:
        return


def _suggest_name(name: str, known: set[str]) -> str:
    lowered = {candidate.casefold(): candidate for candidate in sorted(known)}
    word = name.casefold()
    near = get_close_matches(word, lowered, n=1, cutoff=0.7)
    if not near and len(word) >= 4:
        near = sorted((candidate for candidate in lowered if word in candidate), key=len)[:1]
    return f" - did you mean `{lowered[near[0]]}`?" if near else ""
