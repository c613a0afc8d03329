"""Where each installed skill came from, in `skills/.installed/NAME.json`: where no skill can forge it."""

import json
from pathlib import Path
from typing import Any

INSTALLED = ".installed"


def provenance(shelf: Path, name: str) -> dict[str, Any]:
    """Return what was noted when a skill was installed; nothing when the user put it there."""
    try:
        noted = json.loads(_file(shelf, name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return noted if isinstance(noted, dict) else {}


def note(shelf: Path, name: str, facts: dict[str, Any]) -> None:
    """Note where a skill came from."""
    path = _file(shelf, name)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")


def forget(shelf: Path, name: str) -> None:
    _file(shelf, name).unlink(missing_ok=True)


def _file(shelf: Path, name: str) -> Path:
    return shelf / INSTALLED / f"{name}.json"
