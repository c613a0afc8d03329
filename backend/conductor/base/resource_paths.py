"""Paths of the knowledge base: shipped with the program (packaged or in a checkout) and in the home folder."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from conductor.base.json_types import JsonObject
from conductor.base.paths import find_data_folder

DATABASE_FILE, MODEL_FILE, MANIFEST_FILE = "knowledge.db", "knowledge.onnx", "manifest.json"


@dataclass(frozen=True)
class KnowledgePaths:
    """The folders of the knowledge sources, the user guide, the shipped index and the user's own knowledge."""

    sources: Path
    guide: Path | None
    index: Path
    own: Path

    @property
    def model_file(self) -> Path:
        """The embedding model's file; its tokenizer is in the same folder."""
        return self.index / MODEL_FILE

    @property
    def profiles_folder(self) -> Path:
        """The folder of the user's own device profiles."""
        return self.own / "devices"


def find_knowledge_paths(home: Path) -> KnowledgePaths:
    """Return the knowledge paths for a home folder."""
    sources = find_data_folder("knowledge")
    packaged = sources / "guide"
    guide = packaged if packaged.is_dir() else sources.parent / "docs" / "guide"
    return KnowledgePaths(sources, guide, sources / "index", home / "knowledge")


def read_index_manifest(path: Path) -> JsonObject:
    """Return the manifest of an index; an empty dict if it is missing or damaged."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return cast(JsonObject, found) if isinstance(found, dict) else {}


def read_modified_ns(path: Path) -> int:
    """Return the modification time of a file in nanoseconds; 0 if it is missing or a broken link."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
