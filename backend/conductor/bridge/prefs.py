"""Stores the preferences of the window in `window.json` in the home folder."""

import json
from pathlib import Path

from conductor.base.atomic import write_atomic
from conductor.base.json_types import JsonObject
from conductor.errors import InvalidParams, NotAvailable

FILE = "window.json"
LARGEST = 65_536
VARIANT_PREF = "variant."
"""Prefix of preference keys; the key with the id of a device profile stores the variant that the user chose."""


def read_prefs(home: Path) -> JsonObject:
    """Return the saved preferences of the window.

    Returns an empty object if the file does not exist or cannot be read.
    """
    try:
        prefs = json.loads((home / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return prefs if isinstance(prefs, dict) else {}


def change_prefs(home: Path, patch: JsonObject) -> JsonObject:
    """Merge a patch into the saved preferences and return the result; a null value deletes its key.

    Raises:
        InvalidParams: The preferences would be too large.
        NotAvailable: The file cannot be written.
    """
    merged = {**read_prefs(home), **patch}
    prefs = {key: item for key, item in merged.items() if item is not None}
    data = json.dumps(prefs, indent=1).encode()
    if len(data) > LARGEST:
        raise InvalidParams(f"the window's preferences would be larger than {LARGEST} bytes; save less")
    try:
        write_atomic(home / FILE, data)
    except OSError as error:
        raise NotAvailable(f"{home / FILE} could not be written: {error.strerror}") from error
    return prefs
