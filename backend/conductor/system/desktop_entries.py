"""The apps a Linux desktop knows by name: `.desktop` files and the commands in them."""

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path


def command_of(app: str) -> list[str] | None:
    """Return the command of the entry whose file name or `Name=` is `app`, in any case."""
    wanted = app.removesuffix(".desktop").casefold()
    by_name: list[str] | None = None
    for path in _entry_files():
        is_id = path.stem.casefold() == wanted
        if not is_id and by_name is not None:
            continue
        entry = _read(path)
        command = _split_exec(entry.get("Exec", ""))
        if command and is_id:
            return command
        if command and entry.get("Name", "").casefold() == wanted:
            by_name = command
    return by_name


def names() -> set[str]:
    """Return the names of all apps: of their files, and as people see them."""
    paths = list(_entry_files())
    return {path.stem for path in paths} | {_read(path).get("Name", path.stem) for path in paths}


def _entry_files() -> Iterator[Path]:
    data_home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local/share")
    data_dirs = os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    for folder in [data_home, *data_dirs.split(":")]:
        if folder:
            yield from sorted(Path(folder, "applications").rglob("*.desktop"))


def _read(path: Path) -> dict[str, str]:
    """Read the `[Desktop Entry]` group; a file that cannot be read is an empty one."""
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


def _split_exec(line: str) -> list[str]:
    """Split an `Exec=` line, leaving its field codes (%f, %U) out."""
    try:
        words = shlex.split(line)
    except ValueError:
        return []
    filled = [re.sub(r"%[a-zA-Z]", "", word).replace("%%", "%") for word in words]
    return [word for word, original in zip(filled, words, strict=True) if word or not original]
