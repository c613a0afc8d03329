"""Where knowledge lies: with the program, packaged or in a checkout, and in the user's folder."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from conductor.base.paths import shipped

DATABASE, MODEL, MANIFEST = "knowledge.db", "knowledge.onnx", "manifest.json"


@dataclass(frozen=True)
class Places:
    """The folder of sources, the guide, the index that ships, and the folder for an index of one's own."""

    sources: Path
    guide: Path | None
    index: Path
    own: Path

    @property
    def model(self) -> Path:
        """The model's file; its tokenizer is beside it."""
        return self.index / MODEL

    @property
    def profiles(self) -> Path:
        """The folder of device profiles that the user has brought."""
        return self.own / "devices"


def places(home: Path) -> Places:
    """Return the places for a home folder. The current folder plays no part."""
    sources = shipped("knowledge")
    packaged = sources / "guide"
    guide = packaged if packaged.is_dir() else sources.parent / "docs" / "guide"
    return Places(sources, guide, sources / "index", home / "knowledge")


def manifest(path: Path) -> dict[str, Any]:
    """Return what is written beside an index; nothing when it is not there or damaged."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return cast(dict[str, Any], found) if isinstance(found, dict) else {}


def written_ns(path: Path) -> int:
    """Return when a file was written; 0 when it is not there, or is a link to nothing."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
