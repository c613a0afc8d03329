"""Where knowledge lies: with the program, packaged or in a checkout, and in the user's folder."""

from dataclasses import dataclass
from pathlib import Path

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
    """Give the places for a home folder. The current folder plays no part."""
    sources = shipped("knowledge")
    packaged = sources / "guide"
    guide = packaged if packaged.is_dir() else sources.parent / "docs" / "guide"
    return Places(sources, guide, sources / "index", home / "knowledge")
