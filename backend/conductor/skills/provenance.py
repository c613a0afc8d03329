"""Records where each skill was installed from, in `skills/.installed/NAME.json`. Skills cannot write to this
folder.
"""

import json
from pathlib import Path

from conductor.base.json_types import JsonObject

INSTALLED = ".installed"


def provenance(folder: Path, name: str) -> JsonObject:
    """Return the record of a skill's installation, or an empty object if the user copied the skill there."""
    try:
        recorded = json.loads(_file(folder, name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return recorded if isinstance(recorded, dict) else {}


def record(folder: Path, name: str, facts: JsonObject) -> None:
    """Record where a skill was installed from."""
    path = _file(folder, name)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")


def forget(folder: Path, name: str) -> None:
    """Delete the record of a skill's installation."""
    _file(folder, name).unlink(missing_ok=True)


def _file(folder: Path, name: str) -> Path:
    return folder / INSTALLED / f"{name}.json"
