"""What the window remembers for its user: `window.json` in the home folder."""

import json
from pathlib import Path
from typing import Any

from conductor.base.atomic import write_atomic
from conductor.errors import InvalidParams, NotAvailable

FILE = "window.json"
LARGEST = 65_536


def read_prefs(home: Path) -> dict[str, Any]:
    """Return what is kept; nothing when there is no file or it cannot be read."""
    try:
        kept = json.loads((home / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}


def change_prefs(home: Path, patch: dict[str, Any]) -> dict[str, Any]:
    """Set what is given and forget what is null; give everything as it is then.

    Raises:
        InvalidParams: it would be too large.
        NotAvailable: the file cannot be written.
    """
    merged = {**read_prefs(home), **patch}
    kept = {key: item for key, item in merged.items() if item is not None}
    data = json.dumps(kept, indent=1).encode()
    if len(data) > LARGEST:
        raise InvalidParams(f"the window's state is over {LARGEST} bytes; keep less of it")
    try:
        write_atomic(home / FILE, data)
    except OSError as error:
        raise NotAvailable(f"{home / FILE} could not be written: {error.strerror}") from error
    return kept
