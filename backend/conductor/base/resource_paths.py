"""Locates the files of the knowledge base: those shipped with the program, and the user's own in the home
folder.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from conductor.base.json_types import JsonObject
from conductor.base.paths import find_data_folder

MANUALS_FOLDER, UNFINISHED_MANUALS_FILE = "manuals", "unfinished"
"""The folder of the user's manuals, and a file in it that exists while manuals wait for being indexed."""
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
        """The path of the embedding model; its tokenizer is in the same folder."""
        return self.index / MODEL_FILE

    @property
    def profiles_folder(self) -> Path:
        """The folder that holds the user's own device profiles."""
        return self.own / "devices"


def find_knowledge_paths(home: Path) -> KnowledgePaths:
    """Return the paths of the knowledge base for a home folder."""
    sources = find_data_folder("knowledge")
    packaged = sources / "guide"
    guide = packaged if packaged.is_dir() else sources.parent / "docs" / "guide"
    return KnowledgePaths(sources, guide, sources / "index", home / "knowledge")


def read_index_manifest(path: Path) -> JsonObject:
    """Return the manifest of a search index, or an empty dict if the manifest is missing or damaged."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return cast(JsonObject, found) if isinstance(found, dict) else {}


def read_modified_ns(path: Path) -> int:
    """Return the modification time of a file in nanoseconds, or 0 if the file is missing or a broken link."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
