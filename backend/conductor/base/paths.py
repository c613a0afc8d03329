"""Paths of Conductor's files: in the home folder (`CONDUCTOR_HOME`, or `~/.conductor`) and in the package."""

import os
from pathlib import Path

import conductor
from conductor.errors import NotAvailable

SOCKET_PATH_FILE = "run/socket"
"""The file in the home folder that contains the path of the running Conductor's socket."""
HELD_KEYS_FILE = "run/held-keys"
"""The file in the home folder that lists the keys the engine is currently holding down."""
PORTAL_TOKEN_FILE = "run/portal-token"  # noqa: S105 - a path
"""The file in the home folder with the token by which the desktop portal recognises Conductor. With the
token, the desktop does not ask the user again whether Conductor may press keys."""
SOUNDING_NOTES_FILE = "run/sounding-notes"
"""The file in the home folder that lists the MIDI notes that the engine has started and not yet ended."""
CONFIG_FILE_NAME = "config.toml"
RECORDING_FOLDER = "recording"
"""The folder in the home folder with recorded input events, for replays after a restart."""

PACKAGE_FOLDER = Path(conductor.__file__).parent


def find_data_folder(name: str) -> Path:
    """Return the path of a data folder that ships with Conductor, such as `knowledge`, in the package or in a
    checkout.
    """
    packaged = PACKAGE_FOLDER / f"{name}_data"
    return packaged if packaged.is_dir() else PACKAGE_FOLDER.parents[1] / name


def get_home_folder() -> Path:
    """Return the absolute path of the home folder, and create it with mode 0700 if it is missing.

    Raises:
        NotAvailable: the folder cannot be created.
    """
    try:
        folder = Path(os.environ.get("CONDUCTOR_HOME") or Path.home() / ".conductor").expanduser()
    except RuntimeError as error:  # no such user, or no home folder of this user
        raise NotAvailable(
            f"cannot find the home folder ({error}); set CONDUCTOR_HOME to a folder"
        ) from None
    folder = folder.absolute()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise NotAvailable(
            f"cannot create the home folder {folder} ({error.strerror}); set CONDUCTOR_HOME to another folder"
        ) from None
    return folder


def find_other_config(home: Path, config_path: Path) -> str | None:
    """Return the absolute path of the config, or None if it is the default config in the home folder.

    Another path comes from `conductor run --config`.
    """
    path = config_path.absolute()
    return None if path == home / CONFIG_FILE_NAME else str(path)
