"""Where Conductor keeps its files: `CONDUCTOR_HOME`, by default `~/.conductor`, owner only."""

import os
from pathlib import Path

import conductor
from conductor.errors import NotAvailable

SOCKET_PLACE = "run/socket"
"""A file in the home folder that says where the running Conductor's socket is."""
HELD_KEYS = "run/held-keys"
"""A file in the home folder: the keys that the engine holds down."""
SOUNDING_NOTES = "run/sounding-notes"
"""A file in the home folder: the notes that the engine has sounding."""
RECORDING = "recording"
"""A folder in the home folder: what was played, for replays after a restart."""

PACKAGE = Path(conductor.__file__).parent


def shipped(name: str) -> Path:
    """Return a folder that comes with Conductor, as packaged or as it is in a source checkout."""
    packaged = PACKAGE / f"{name}_data"
    return packaged if packaged.is_dir() else PACKAGE.parents[1] / name


def home() -> Path:
    """Return the home folder, made with mode 0700 if it is not there. Never the current folder."""
    folder = Path(os.environ.get("CONDUCTOR_HOME") or Path.home() / ".conductor").expanduser()
    folder = folder.absolute()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise NotAvailable(
            f"the home folder {folder} cannot be made ({error.strerror}); set CONDUCTOR_HOME to another"
        ) from None
    return folder
