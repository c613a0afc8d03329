"""Stores the preferences of the window in the file `window.json` in the home folder."""

import json
from pathlib import Path
from threading import Lock

from conductor.base.atomic import write_atomic
from conductor.base.json_types import JsonObject
from conductor.errors import InvalidParams, NotAvailable

PREFS_FILE_NAME = "window.json"
MAX_PREFS_BYTES = 65_536
VARIANT_KEY_PREFIX = "variant."
"""The prefix of the keys under which the user's choice of a variant is stored.

The id of the device profile follows.
"""

PAUSED_KEY = "paused"
"""The key of the preference that all mappings are paused. The pause outlives a restart, because a user who
stopped all actions does not expect that a restart starts them again."""


_lock = Lock()


def read_prefs(home: Path) -> JsonObject:
    """Return the saved preferences of the window.

    The result is empty if the file does not exist or cannot be read.
    """
    try:
        prefs = json.loads((home / PREFS_FILE_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return prefs if isinstance(prefs, dict) else {}


def read_paused(home: Path) -> bool:
    """Return whether the user had paused all mappings when Conductor last ended."""
    return read_prefs(home).get(PAUSED_KEY) is True


def update_prefs(home: Path, patch: JsonObject) -> JsonObject:
    """Change the preferences that `patch` contains and return all of them. A null value deletes its key.

    Raises:
        InvalidParams: The preferences would be too large.
        NotAvailable: The file cannot be written.
    """
    with _lock:
        return _update_prefs(home, patch)


def check_prefs(prefs: JsonObject) -> bytes:
    """Return the preferences as they are stored.

    Raises:
        InvalidParams: The preferences are too large.
    """
    data = json.dumps(prefs, indent=1).encode()
    if len(data) > MAX_PREFS_BYTES:
        raise InvalidParams(
            f"the window's preferences would be larger than {MAX_PREFS_BYTES} bytes; save less"
        )
    return data


def _update_prefs(home: Path, patch: JsonObject) -> JsonObject:
    merged = {**read_prefs(home), **patch}
    prefs = {key: value for key, value in merged.items() if value is not None}
    data = check_prefs(prefs)
    try:
        write_atomic(home / PREFS_FILE_NAME, data)
    except OSError as error:
        raise NotAvailable(
            f"{home / PREFS_FILE_NAME} could not be written: {error.strerror}"
        ) from error
    return prefs
