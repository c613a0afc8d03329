"""Records where each skill was installed from, in `skills/.installed/NAME.json`.

A skill cannot write to this folder.
"""

import json
from pathlib import Path

from conductor.base.json_types import JsonObject

PROVENANCE_FOLDER_NAME = ".installed"


def read_provenance(folder: Path, name: str) -> JsonObject:
    """Return the record of the installation of a skill.

    If the user copied the skill into the folder, the record is empty.
    """
    try:
        recorded = json.loads(_build_record_path(folder, name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return recorded if isinstance(recorded, dict) else {}


def write_provenance(folder: Path, name: str, facts: JsonObject) -> None:
    """Record where a skill was installed from, so that an edited copy can be told from the installed
    version.
    """
    path = _build_record_path(folder, name)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")


def delete_provenance(folder: Path, name: str) -> None:
    """Delete the record of the installation of a skill."""
    _build_record_path(folder, name).unlink(missing_ok=True)


def _build_record_path(folder: Path, name: str) -> Path:
    return folder / PROVENANCE_FOLDER_NAME / f"{name}.json"
