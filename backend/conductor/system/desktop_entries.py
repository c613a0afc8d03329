"""Finds the installed apps of a Linux desktop, which are described by `.desktop` files."""

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_SHOWN = {"Type": "Application", "NoDisplay": "false", "Hidden": "false"}
_RUNNERS = ("env", "flatpak", "snap", "sh", "bash", "python3")
"""Programs that start another one, whose name is therefore not the name of the app in front."""


class DesktopApp(NamedTuple):
    """An app that a menu of the desktop shows."""

    name: str
    """The name in the menu."""
    entry_id: str
    """The name of its file, which is unique."""
    executable: str
    """The name of its program, or an empty string if its command starts another program first."""


def find_app_command(app: str) -> list[str] | None:
    """Return the command line of an app, by file name or displayed name in any case,
    or None if there is none.
    """
    wanted = app.removesuffix(".desktop").casefold()
    by_name: list[str] | None = None
    for path in _list_entry_files():
        is_id = path.stem.casefold() == wanted
        if not is_id and by_name is not None:
            continue
        entry = _read_entry(path)
        command = _split_exec_line(entry.get("Exec", ""))
        if command and is_id:
            return command
        if command and entry.get("Name", "").casefold() == wanted:
            by_name = command
    return by_name


def list_app_names() -> set[str]:
    """Return the file names and displayed names of all installed apps."""
    paths = list(_list_entry_files())
    return {path.stem for path in paths} | {
        _read_entry(path).get("Name", path.stem) for path in paths
    }


def list_menu_apps() -> list[DesktopApp]:
    """Return the apps that a menu shows, by name. An entry of the user replaces one of the system."""
    apps: dict[str, DesktopApp | None] = {}
    for path in _list_entry_files():
        if path.stem in apps:
            continue
        entry = _read_entry(path)
        command = _split_exec_line(entry.get("Exec", ""))
        is_shown = all(
            entry.get(key, default).casefold() == default.casefold()
            for key, default in _SHOWN.items()
        )
        program = Path(command[0]).name if command else ""
        apps[path.stem] = (
            DesktopApp(
                entry.get("Name", path.stem), path.stem, "" if program in _RUNNERS else program
            )
            if is_shown and command
            else None
        )
    return sorted((app for app in apps.values() if app), key=lambda app: app.name.casefold())


def _list_entry_files() -> Iterator[Path]:
    data_home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local/share")
    data_dirs = os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    for folder in [data_home, *data_dirs.split(":")]:
        if folder:
            yield from sorted(Path(folder, "applications").rglob("*.desktop"))


def _read_entry(path: Path) -> dict[str, str]:
    """Return the fields of the `[Desktop Entry]` group, or an empty dict if the file cannot be read."""
    entry: dict[str, str] = {}
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return entry
    group = ""
    for line in lines:
        if line.startswith("["):
            group = line.strip()
        elif group == "[Desktop Entry]" and "=" in line:
            key, value = line.split("=", 1)
            entry.setdefault(key.strip(), value.strip())
    return entry


def _split_exec_line(line: str) -> list[str]:
    """Split an `Exec=` line into arguments, and remove its field codes such as %f and %U."""
    try:
        words = shlex.split(line)
    except ValueError:
        return []
    filled = [re.sub(r"%[a-zA-Z]", "", word).replace("%%", "%") for word in words]
    return [word for word, original in zip(filled, words, strict=True) if word or not original]
